import { expect, test } from 'vitest';
import { lines, reading } from '../support/command-lines.ts';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForAll({ seed: 1 });

const misspelled: Readonly<Record<string, string>> = { web: 'wbe', ':/x': 'defualt:/x', '/x': 'defualt:/x' };
const meant = /\b(web|default)\b/;

/** Lines with a misspelled app or volume. `--app` is for one that takes it. */
const typed = (words: readonly string[]) => words.map((word) => misspelled[word] ?? word);

const ofApp = (command: string) => (/^secrets (un)?set$/.test(command) ? ['--app', 'wbe'] : []);
const cases = Object.entries(lines)
  .map(([command, words]): [string, string[]] => [command, [...typed(words), ...ofApp(command)]])
  .filter(([, words]) => words.some((word) => Object.values(misspelled).includes(word)));

test('only a command that reads is told again with the name that was guessed', async () => {
  const cwd = newFolder({ 'main.py': 'x = 1\n', 'inputs.jsonl': '{"a": 1}\n' });
  const told = { reading: [] as string[], acting: [] as string[] };
  const guessing = { reading: 0, acting: 0 };
  for (const [command, words] of cases) {
    const line = [...command.split(' '), ...words];
    const kind = reading.has(command) ? 'reading' : 'acting';
    const { stdout, stderr } = await gantry([...line, '--json'], { emulator, cwd, env: { A: 'x' } });
    if (!stderr.includes('did you mean')) continue;
    guessing[kind] += 1;
    const { next = [], fix = '' } = JSON.parse(
      stdout
        .trim()
        .split(/\n(?=\{)/)
        .at(-1) ?? '',
    ).error;
    if ([...next, fix, /^ {2}fix (.*)$/m.exec(stderr)?.[1]].some((text) => meant.test(text)))
      told[kind].push(line.join(' '));
  }
  expect(told.acting).toEqual([]);
  expect(guessing.acting).toBeGreaterThan(12);
  expect(told.reading).toHaveLength(guessing.reading);
});
