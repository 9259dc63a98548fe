import { describe, expect, it } from 'vitest';
import { jsonLog, type LogLevel } from './json-log.ts';

const logged = (level: LogLevel) => {
  const lines: string[] = [];
  return { log: jsonLog({ level, write: (line) => void lines.push(line) }), lines };
};

describe('jsonLog', () => {
  it('writes one JSON object per line, the fields beside the message', () => {
    const { log, lines } = logged('info');
    log('info', 'task\nsettled', { trace_id: 'ab', tries: 2, nested: { a: [1] } });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.any(Number),
      pid: process.pid,
      message: 'task\nsettled',
      trace_id: 'ab',
      tries: 2,
      nested: { a: [1] },
    });
  });

  it('writes nothing below its level', () => {
    const { log, lines } = logged('warn');
    log('debug', 'a');
    log('info', 'b');
    log('warn', 'c');
    log('error', 'd');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'error']);
  });

  it('writes nothing at all when it is silent', () => {
    const { log, lines } = logged('silent');
    log('error', 'a');
    expect(lines).toEqual([]);
  });

  it('never has one key twice: a field of its own name moves', () => {
    const { log, lines } = logged('info');
    log('info', 'own', { message: 'mine', level: 9, time: 'noon' });
    expect(lines[0]?.match(/"message":/g)).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      message: 'own',
      message_: 'mine',
      level_: 9,
      time_: 'noon',
    });
  });

  it('survives a field that refers to itself', () => {
    const { log, lines } = logged('info');
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    log('info', 'round', { loop });
    expect(JSON.parse(lines[0] ?? '').message).toBe('round');
  });
});
