import { beforeAll, expect, test } from 'vitest';
import { type Reference, reference } from '../../../src/cli/reference.ts';
import { emulatorForAll, gantry, newFolder } from '../../support/index.ts';

let program: Reference;

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(async () => {
  program = await reference();
});

/** Types a line with a shell variable that is not set. */
async function type(words: string[]) {
  const before = emulator.calls.length;
  const { code, stderr } = await gantry(words, { emulator, cwd: newFolder({ 'main.py': '' }) });
  return { code, stderr, calls: emulator.calls.length - before };
}

const refused = { code: 2, stderr: expect.stringContaining('check that the shell variable is set'), calls: 0 };

test.each([
  [['rm', '-r', '/d', '', '--confirm', '/d ']],
  [['rm', '/d/x.bin', '', '--yes']],
  [['cat', '/a', '']],
  [['cp', ':/a.txt', '']],
  [['cp', 'main.py', '']],
  [['service-accounts', 'grant', 'sa-1', 'p-x', '', '--yes']],
  [['secrets', 'unset', 'A', '', '--yes']],
  [['apps', 'delete', 'web', '--confirm', 'web', '-p', '']],
  [['apps', 'delete', 'web', '--confirm', 'web', '--project=']],
  [['-C', '', 'deploy', '--yes']],
  [['deploy', '--yes', '--preview=']],
])('%j asks nothing of the platform', async (words) => {
  expect(await type(words)).toMatchObject(refused);
});

test('what belongs to another program may be empty', async () => {
  const { stderr } = await gantry(['emulator', 'exec', '--', process.execPath, '-e', '0', ''], { emulator });
  expect(stderr).not.toContain('shell variable');
});

test('every flag with a value is refused if that is empty', async () => {
  const accepted: string[] = [];
  const before = emulator.calls.length;
  let tried = 0;
  for (const { command, flags } of program.commands) {
    for (const { flags: spelling } of [...flags, ...program.flags]) {
      const [, flag] = /(--[\w-]+) [<[]/.exec(spelling) ?? [];
      // `--json=` is how the parser takes `--json`.
      if (!flag || flag === '--json') continue;
      tried++;
      const { code, stderr } = await gantry([...command.split(' '), flag, ''], { emulator });
      if (code !== 2 || !/empty|expected|invalid/i.test(stderr)) accepted.push(`${command} ${flag}: ${stderr}`);
    }
  }
  expect([accepted, emulator.calls.length]).toEqual([[], before]);
  expect(tried).toBeGreaterThan(300);
});
