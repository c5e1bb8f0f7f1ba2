import { beforeAll, expect, test } from 'vitest';
import { reference } from '../../src/cli/reference.ts';
import { lines } from '../support/command-lines.ts';
import { emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let here: Setting;
let reading: readonly string[];

const emulator = emulatorForAll({ seed: 1 });

beforeAll(async () => {
  here = { emulator, cwd: newFolder(smallApp()) };
  const { commands } = await reference();
  reading = commands.filter(({ effect, unattended }) => effect === 'reads' && unattended).map(({ command }) => command);
});

const isReading = (words: readonly string[]) =>
  words.includes('--help') || reading.includes(words.slice(0, 2).join(' ')) || reading.includes(words[0] ?? '');

/** Of a result and of an error; of a log, its last line is that. */
function nextOf(stdout: string): string[][] {
  const [first = '', ...others] = stdout.trim().split(/\n(?=\{)/);
  const document = JSON.parse(others.at(-1) ?? (first || '{}'));
  return [...(document.next ?? []).map(({ argv }: { argv: string[] }) => argv), document.error?.next ?? []];
}

test('what a command that reads says to do next works as it is printed, for each that reads too', async () => {
  const told = new Map<string, string[]>();
  const note = async (words: string[]) => {
    for (const [program, ...next] of nextOf((await gantry([...words, '--json'], here)).stdout))
      if (program === 'gantry' && isReading(next)) told.set(next.join(' '), next);
  };
  for (const [command, words] of Object.entries(lines).filter(([command]) => reading.includes(command)))
    for (const typed of [words, words.length > 0 ? words.with(0, 'nosuch') : [], [...words, '--nosuch']].filter(
      (each) => each.length > 0,
    ))
      await note([...command.split(' '), ...typed]);
  expect(told.size).toBeGreaterThan(10);
  const broken = [];
  for (const next of told.values()) {
    const { code, stderr } = await gantry(next, here);
    if ([2, 9, 70].includes(code ?? 70)) broken.push(`${next.join(' ')}\n${stderr}`);
  }
  expect(broken).toEqual([]);
});
