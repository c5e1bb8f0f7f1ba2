import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });

/** Command lines in the folder of an app, in turn, and what they warn of. */
test.each([
  [['deploy', '--dry-run'], ['the variable ABC is not set']],
  [['deploy'], ['the variable ABC is not set']],
  [['secrets', 'set', 'ABC', '--from-env'], ['keep the old secrets']],
])('what %j says on stderr is in its JSON as well', async (words, warnings) => {
  const kept = smallApp('[cerebrium.scaling]\nmin_replicas = 1\n');
  const app = newFolder({ ...kept, 'main.py': 'import os\ndef f():\n    return os.environ["ABC"]\n' });
  const { stderr, json } = await gantry([...words, '--json'], { emulator, cwd: app, env: { ABC: 'x' } });
  const said = [...stderr.matchAll(/^warning: (.*)$/gm)].map(([, message]) => message);
  expect(said).toEqual(warnings.map((part) => expect.stringContaining(part)));
  const document = json() as { warnings: { message: string }[] };
  expect(document.warnings.map(({ message }) => message)).toEqual(said);
});

test.each([['--json'], ['--events']])(
  'what was warned of before a failure is beside its error, with %s',
  async (flag) => {
    const cwd = newFolder({
      'cerebrium.toml': '[cerebrium.deployment]\nname = "fails"\n',
      'main.py': 'import os\n\nKEY = os.environ["FAILS_KEY"]\n',
    });
    const { code, stdout, stderr } = await gantry(['deploy', flag], { emulator, cwd });
    expect([code, stderr]).toEqual([10, expect.stringContaining('warning: this app is public')]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'project' },
      warnings: [{ message: expect.stringContaining('this app is public') }],
    });
  },
);
