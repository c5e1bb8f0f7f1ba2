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

test.each([
  ['run --gpu= job.py', 'run --gpu=TURING_T4 job.py'],
  ['run --gpu= job.py x=', 'run --gpu=TURING_T4 job.py x='],
  ['run --gpu _ job.py x=', 'run --gpu TURING_T4 job.py x='],
  ['run --compute= job.py', 'run --compute=CPU job.py'],
  ['run --timeout= job.py', 'run --timeout=30s job.py'],
  ['deploy --if-busy=', 'deploy --if-busy=proceed'],
  ['deploy --if-busy _ --name=', 'deploy --if-busy proceed --help'],
  ['deploy --preview a --ttl=', 'deploy --preview a --ttl=30s'],
  ['cp --concurrency= a :/a', 'cp --concurrency=1 a :/a'],
  ['cp --limit-rate= a :/a', 'cp --limit-rate=20MB a :/a'],
  ['sync --part-size= . :/a', 'sync --part-size=20MB . :/a'],
  ['map web --max-failures= --concurrency 2', 'map web --max-failures=1 --help'],
  ['apps bench web --rate=', 'apps bench web --rate=5'],
  ['apps bench web --for=', 'apps bench web --for=30s'],
  ['apps tune web --budget=', 'apps tune web --budget=2'],
])('%s: for example gantry %s', async (line, meant) => {
  const words = line.split(' ').map((word) => (word === '_' ? '' : word));
  const { code, stderr } = await gantry(words, { emulator });
  expect([code, stderr.match(/fix (.*)/)?.[1]]).toEqual([2, `for example: gantry ${meant}`]);
});

test('the fix of an empty value has one in its place, for every flag', async () => {
  const wrong: string[] = [];
  let fixed = 0;
  for (const { command, flags } of program.commands) {
    for (const { flags: spelling } of flags) {
      const [, flag] = /(--[\w-]+) </.exec(spelling) ?? [];
      if (!flag) continue;
      const { stderr } = await gantry([...command.split(' '), `${flag}=`], { emulator });
      const [, fix = ''] = /fix for example: gantry (.*)/.exec(stderr) ?? [];
      const typed = fix
        .split(' ')
        .filter((word) => word.includes(flag))
        .map((word) => word.replace(/^'/, ''));
      if (typed.some((word) => !word.startsWith(flag) || word.endsWith('='))) wrong.push(fix);
      if (typed.length > 0) fixed++;
    }
  }
  expect(wrong).toEqual([]);
  expect(fixed).toBeGreaterThan(40);
});
