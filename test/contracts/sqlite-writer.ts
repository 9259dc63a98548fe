import { writeSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { sqliteMemory } from '@foldmesh/sqlite';
import { longFact } from './sqlite-facts.ts';

// A process that writes one fact after the other, says of each when it was answered, and dies: by its own hand before
// its nth call of SQLite, or by its parent's, whom it tells that it begins its nth commit.
const [path = '', first, killer, nth] = process.argv.slice(2);

const opened = await sqliteMemory({ path, log: () => {} });
if (!opened.ok) throw new Error(opened.fault.detail);

let calls = 0;
let commits = 0;
const before = (sql = ''): void => {
  calls += 1;
  if (killer === 'itself' && calls === Number(nth)) process.kill(process.pid, 'SIGKILL');
  if (sql === 'COMMIT') commits += 1;
  if (killer === 'parent' && sql === 'COMMIT' && commits === Number(nth)) writeSync(1, 'now\n');
};
const counted = <F extends (...given: never[]) => unknown>(call: F): F =>
  new Proxy(call, {
    apply: (target, self, given) => {
      before(given[0]);
      return Reflect.apply(target, self, given);
    },
  });
DatabaseSync.prototype.exec = counted(DatabaseSync.prototype.exec);
StatementSync.prototype.get = counted(StatementSync.prototype.get);
StatementSync.prototype.run = counted(StatementSync.prototype.run);

for (let step = Number(first); ; step++) {
  const written = await opened.value.write(longFact(step));
  if (!written.ok) throw new Error(written.fault.detail);
  writeSync(1, `${step}\n`);
}
