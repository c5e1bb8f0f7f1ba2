import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explainLog } from '../../src/causes/index.ts';
import { rules } from '../../src/causes/rules/index.ts';

/** Logs, an empty line between two, each with what is said about it: indented, and renewed by `vitest -u`. */
const file = resolve('fixtures/failures/signs.txt');
const logs = readFileSync(file, 'utf8').split('\n\n').map(withoutAnswer);

describe('every sign of a cause', () => {
  test('has a line that shows it', () => {
    const lines = logs.join('\n').split('\n');
    const without = rules.flatMap(({ cause, signs }) =>
      signs.filter((sign) => !lines.some((line) => sign.test(line))).map(({ source }) => `${cause}: ${source}`),
    );
    expect(without).toEqual([]);
  });

  test('gets this answer', async () => {
    await expect(logs.map((log) => `${log}\n${answer(log)}`).join('\n')).toMatchFileSnapshot(file);
  });
});

function withoutAnswer(block: string): string {
  return block.trimEnd().replace(/(?:\n {2}.*)+$/, '');
}

function answer(log: string): string {
  const found = explainLog(log);
  if (!found) return '  nothing: the rest of the log or the config file decides\n';
  const { cause, title, fix, setting, next } = found;
  const rest = [`fix: ${fix}`, ...(setting === undefined ? [] : [`at: ${setting}`]), ...(next ? [next.join(' ')] : [])];
  return [`${cause}: ${title}`, ...rest].map((line) => `  ${line}\n`).join('');
}
