import { inspect } from './inspect.ts';
import { rules } from './rules.ts';
import { readTree } from './tree.ts';

const { passed, lines } = inspect(readTree(process.cwd()), rules);
console.log(lines.join('\n'));
process.exitCode = passed ? 0 : 1;
