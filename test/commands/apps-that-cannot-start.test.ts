import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { emulatorForAll, fixture, gantry, machine, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll();

/** The clock of a command leaps; Python does not. */
const meanwhile = () => setTimeout(20);
const env = machine();
const wrong = { ...smallApp(), 'main.py': 'def run(:\n    pass\n' };

describe.skipIf(!python)('an app that cannot start (needs python3)', () => {
  test('fails its deploy with 12 and its own traceback, which builds get shows as well', async () => {
    const deploy = await gantry(['deploy'], { emulator, cwd: fixture('crashes'), meanwhile });
    expect(deploy).toExit(12, '    File "main.py", line 1, in <module>\n');
    const end = deploy.stderr.slice(deploy.stderr.indexOf('error: ')).trimEnd().split('\n');
    expect(end).toEqual([
      'error: crashes was built but did not start (init_failure)',
      'cause: the Python module model_that_is_missing is not installed',
      expect.stringMatching(/^ {2}in {2}line \d+ of the log: ModuleNotFoundError/),
      expect.stringMatching(/^ {2}fix if model_that_is_missing is a file of the app/),
      expect.stringMatching(/^ {2}log gantry explain crashes \S+$/),
    ]);
    expect((await gantry(['builds', 'get', 'crashes', '--json=status,initError'], { emulator })).json()).toEqual({
      status: 'init_failure',
      initError: expect.stringContaining('File "main.py", line 1'),
    });
  });

  test('is refused and explained with the same place, of what a module of Python makes of its code', async () => {
    const cwd = newFolder({ ...smallApp(), 'main.py': 'import json\njson.loads("{")\n' });
    const place = /^cause: json raised .*JSONDecodeError.*\n {2}in {2}main\.py:2:1\b[\s\S]+ {2}fix .*main\.py:2 /m;
    expect(await gantry(['deploy'], { emulator, cwd, meanwhile })).toExit(12, place);
    expect((await gantry(['explain'], { emulator, cwd })).stdout).toMatch(place);
  });

  test('says where an error came from that no rule knows, as explain does: deploy, and a call', async () => {
    const main = 'import os\nif os.environ.get("APP_NAME") == "odd":\n    int("x")\ndef run():\n    int("x")\n';
    const raised = (line: number) =>
      new RegExp(
        `cause: the code of the app raised ValueError: .*\\n(?: {2}in {2}main\\.py:${line}:5\\n[^]+)?.*\\n {2}fix look for its reason at main\\.py:${line} `,
      );
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': main }), meanwhile };
    const deploy = await gantry(['deploy', '--name', 'odd'], setting);
    expect(deploy).toExit(12, 'Traceback (most recent call last)', raised(3), '\n  log gantry explain odd ');
    expect((await gantry(['explain', 'odd'], setting)).stdout).toMatch(raised(3));
    await gantry(['deploy', '--name', 'even', '--new'], setting);
    expect(await gantry(['invoke', 'even', '--wait'], setting)).toExit(13, raised(5), '\n  log gantry explain even ');
    expect((await gantry(['explain', 'even'], setting)).stdout).toMatch(raised(5));
  });

  test('shows its traceback once without the log', async () => {
    const deploy = await gantry(['deploy', '-q'], { emulator, cwd: fixture('crashes'), meanwhile });
    expect(deploy.stderr.match(/ModuleNotFoundError/g)).toHaveLength(1);
    expect(deploy.stderr).not.toContain('end of the log');
  });
});

describe.skipIf(!python)('a syntax error (needs python3)', () => {
  const shown =
    /^error: main\.py has a syntax error\n {2}in {2}main\.py:1:\d+\n {6}1 \| def run\(:\n {8}\| +\^+\n {2}why .+\n/m;

  test.each([['check'], ['deploy'], ['deploy', '--dry-run'], ['deploy', '--dry-run', '-o', '-'], ['run', 'main.py']])(
    'is found by gantry %s %s before anything is sent',
    async (...words) => {
      const before = emulator.calls.length;
      const outcome = await gantry(words.filter(Boolean), { emulator, cwd: newFolder(wrong), env });
      expect([outcome.code, outcome.stderr]).toEqual([10, expect.stringMatching(shown)]);
      expect(emulator.calls).toHaveLength(before);
    },
  );

  test.each([
    ['uvicorn', ['uvicorn', 'src.app:app', '--port', '8000'], 'src/app.py'],
    ['gunicorn with a factory', ['gunicorn', '-b', '0.0.0.0:8000', 'src.app:make()'], 'src/app.py'],
    ['a script', ['python', '-u', './server.py'], 'server.py'],
    ['a shell', ['sh', '-c', 'exec python server.py'], 'server.py'],
  ])('is found in the file that the entrypoint starts: %s', async (_, entrypoint, file) => {
    const settings = `[cerebrium.runtime.custom]\nentrypoint = ${JSON.stringify(entrypoint)}\nport = 8000\n`;
    const app = newFolder({ ...smallApp(settings), 'main.py': 'unused(\n', [file]: '\nx = = 1\n' });
    expect(await gantry(['check'], { cwd: app, env })).toExit(10, `  in  ${file}:2:5\n      2 | x = = 1\n`);
  });

  test('is shown with the folder that is checked', async () => {
    const app = newFolder();
    const other = newFolder(wrong);
    const { code, stderr } = await gantry(['check', other], { cwd: app, env });
    expect([code, stderr]).toEqual([10, expect.stringContaining(`  in  ${join(relative(app, other), 'main.py')}:1:`)]);
  });

  test('only warns if the app has a newer Python than this machine', async () => {
    const app = newFolder({
      ...wrong,
      'cerebrium.toml': '[cerebrium.deployment]\nname = "web"\npython_version = "3.99"\n',
    });
    const { code, stderr } = await gantry(['check'], { cwd: app, env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: main\.py may have a syntax error\n {2}in /m)]);
  });
});
