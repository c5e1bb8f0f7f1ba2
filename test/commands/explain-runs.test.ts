import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { altering } from '../support/altering.ts';
import { fixture, smallApp } from '../support/app.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, wideTerminal } from '../support/gantry.ts';
import { recordMany } from '../support/runs.ts';

const emulator = emulatorForAll();

/** The clock of a command leaps; Python does not. */
const meanwhile = () => setTimeout(20);

describe.skipIf(!python)('apps that really fail (need python3)', () => {
  test('an app that exits later is live, and its failed run is explained', async () => {
    const cwd = fixture('exits-later');
    const deploy = await gantry(['deploy'], { emulator, cwd, meanwhile });
    expect(deploy.code, deploy.stderr).toBe(0);
    const call = await gantry(['invoke', 'exits-later', '--data', '{"after": 0}'], { emulator, cwd });
    expect(call.code).toBeGreaterThan(0);
    emulator.late.pass();
    const { json, stderr } = await gantry(['explain', '--json'], { emulator, cwd });
    expect(json(), stderr).toMatchObject({
      app: 'exits-later',
      build: null,
      failed: true,
      cause: 'app-exited',
      evidence: { text: expect.stringMatching(/^error: .*exit code \d+/) },
    });
  });

  test('of a server, --wait waits for no lines of a run, and what it printed explains its call', async () => {
    const main = `import http.server, traceback
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_POST(self):
        try: {}["user"]
        except KeyError:
            if self.path == "/prints": traceback.print_exc()
            if self.path == "/prints": return self.send_error(500)
            self.send_response(404 if self.path == "/refuses" else 500)
            self.end_headers()
http.server.HTTPServer(("0.0.0.0", 8000), Handler).serve_forever()
`;
    const config =
      '[cerebrium.deployment]\nname = "server"\n[cerebrium.runtime.custom]\nentrypoint = ["python3", "-u", "main.py"]\nport = 8000\n';
    const setting = { emulator, cwd: newFolder({ 'main.py': main, 'cerebrium.toml': config }), meanwhile };
    await gantry(['deploy'], setting);
    for (const [path, says, waitMs] of [
      ['prints', /KeyError: 'user'/, 3_000],
      ['fails', /failed \(HTTP 500\)/, 4_000],
      ['refuses', /failed \(HTTP 404\)/, 0],
    ] as const) {
      emulator.calls.length = 0;
      const { code, stderr, waits } = await gantry(['invoke', 'server', path, '--wait'], setting);
      expect([path, code, stderr]).toEqual([path, 13, expect.stringMatching(says)]);
      const afterRun = emulator.calls.filter(({ path: asked }) => !asked.includes('/runs/'));
      expect(waits.reduce((one, other) => one + other, 0)).toBeLessThanOrEqual(waitMs + 2_500);
      expect(afterRun.length).toBeLessThanOrEqual(waitMs === 0 ? 4 : 12);
    }
    expect(await gantry(['invoke', 'server', 'prints'], setting)).toExit(13, 'fix gantry explain server\n');
    emulator.late.pass();
    expect((await gantry(['explain', '--json'], setting)).json()).toMatchObject({
      cause: 'code-error',
      title: "the code of the app raised KeyError: 'user'",
      location: { file: 'main.py', line: 5 },
    });
  });

  test('the latest run is the one that has just failed, before the platform lists it', async () => {
    const main = 'def run(word):\n    raise RuntimeError(word)\n';
    const env = await altering(emulator, (_, path, reply) => {
      const { items } = (reply ?? {}) as { items?: unknown[] };
      return path.endsWith('/runs') && items ? { body: { ...(reply as object), items: items.slice(1) } } : undefined;
    });
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': main }), env, meanwhile };
    await gantry(['deploy', '--name', 'own'], setting);
    for (const word of ['first', 'second']) {
      expect((await gantry(['invoke', 'own', `word=${word}`], setting)).code).toBe(13);
      emulator.late.pass();
      for (const latest of ['latest', 'latest:failed'])
        expect((await gantry(['logs', 'own', '--run', latest], setting)).stdout).toContain(`RuntimeError: ${word}`);
    }
    await gantry(['apps', 'delete', 'own', '--confirm', 'own'], setting);
    await gantry(['deploy', '--name', 'own'], setting);
    expect(await gantry(['logs', 'own', '--run', 'latest'], setting)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('own has no runs yet'),
    });
  });

  test('a secret that came after the replica is not set once more', async () => {
    const main =
      'import os\ndef run():\n    return os.environ.get("ABC") or os.environ["ABC"]\ndef hi():\n    return 1\n';
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': main }), meanwhile, env: { ABC: 'value' } };
    const explained = async () => {
      emulator.late.pass();
      const { next, ...shown } = (await gantry(['explain', 'late', '--json'], setting)).json() as {
        next?: { argv: string[] }[];
        laterSucceeded: boolean;
      };
      return [next?.[0]?.argv.slice(1).join(' '), shown.laterSucceeded];
    };
    await gantry(['deploy', '--name', 'late'], setting);
    expect((await gantry(['invoke', 'late'], setting)).code).toBe(13);
    expect(await explained()).toEqual(['secrets set ABC --app late --from-env', false]);
    const { stderr } = await gantry(['explain', 'late'], setting);
    expect(stderr).toContain('to fix it, with ABC in the environment: gantry secrets set ABC --app late --from-env\n');
    await gantry(['secrets', 'set', 'ABC', '--from-env', '--app', 'late'], setting);
    expect((await gantry(['invoke', 'late'], setting)).code).toBe(13);
    expect(await explained()).toEqual(['apps restart late --yes', false]);
    expect((await gantry(['apps', 'restart', 'late', '--yes'], setting)).code).toBe(0);
    expect((await gantry(['invoke', 'late'], setting)).code).toBe(0);
    expect(await explained()).toEqual([undefined, true]);
  });

  test('a mistake of a file that was only run has the location that its error had', async () => {
    const files = { 'job.py': 'def bad():\n    return [][3]\n', 'needs.py': 'import cv2_missing\n' };
    const setting = { emulator, cwd: newFolder(files), meanwhile };
    const missing = /^cause: the Python module cv2_missing is not installed$/m;
    expect((await gantry(['run', '--name', 'job', 'needs.py'], setting)).stderr).toMatch(missing);
    const { error } = (await gantry(['run', 'job.py::bad', '--json'], setting)).json() as {
      error: { details: { app: string; explanation: { location: object } } };
    };
    const { app, explanation } = error.details;
    emulator.late.pass();
    const explained = (await gantry(['explain', app, '--json'], setting)).json();
    expect(explanation.location).toMatchObject({ file: 'job.py', line: 2 });
    expect(explained).toMatchObject({ location: explanation.location });
  });

  test('a mistake of the code and its own error are located in the file, also behind all pages of other runs', async () => {
    const mistakes = ['1 + "a"', '{}["user"]', '[][3]'];
    const functions = mistakes.map((mistake, at) => `def f${at}():\n    return ${mistake}\n`);
    const main = `${functions.join('')}def own():\n    raise RuntimeError("the flux is gone")\n`;
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': main }), meanwhile };
    await gantry(['deploy'], setting);
    for (const [at, mistake] of mistakes.entries()) {
      await gantry(['invoke', '.', `f${at}`], setting);
      emulator.late.pass();
      const { json } = await gantry(['explain', '--json'], setting);
      const line = 2 * at + 2;
      expect(json()).toMatchObject({
        cause: 'code-error',
        fix: expect.stringMatching(new RegExp(`^correct main\\.py:${line} `)),
        location: { file: 'main.py', line, column: 5, text: `    return ${mistake}` },
      });
    }
    await gantry(['invoke', '.', 'own'], setting);
    emulator.late.pass();
    expect((await gantry(['explain', '--json'], setting)).json()).toMatchObject({
      cause: 'code-error',
      title: 'the code of the app raised RuntimeError: the flux is gone',
      fix: expect.stringMatching(/^look for its reason at main.py:8/),
      location: { file: 'main.py', line: 8 },
    });
    const now = Date.now();
    recordMany(emulator, { name: 'fine', number: 120, from: now, to: now + 119, app: `${emulator.project}-web` });
    const { json } = await gantry(['explain', 'web', '--json=failed,title'], setting);
    expect(json()).toMatchObject({ failed: true, title: expect.stringContaining('the flux is gone') });
  });

  test('a run that was killed for its memory has the fact in its log', async () => {
    const main =
      'import time\ndef run():\n    kept = []\n    while True:\n        kept.append(b"x" * 8_000_000)\n        time.sleep(0.02)\n';
    const more = '[cerebrium.hardware]\ncpu = 1.0\nmemory = 0.1\ncompute = "CPU"\n';
    const cwd = newFolder({ ...smallApp(more), 'main.py': main });
    const deploy = await gantry(['deploy'], { emulator, cwd, meanwhile });
    expect(deploy.code, deploy.stderr).toBe(0);
    expect((await gantry(['invoke', '--wait'], { emulator, cwd })).code).toBeGreaterThan(0);
    const { json, stderr } = await gantry(['explain', '--json'], { emulator, cwd });
    expect(json(), stderr).toMatchObject({
      cause: 'out-of-memory',
      evidence: { source: 'log', text: expect.stringMatching(/^OOMKilled: /) },
    });
    const log = await gantry(['logs', '--run', (json() as { run: string }).run], { emulator, cwd });
    expect(log.stdout).toContain('OOMKilled: the replica used');
  });

  // Through a pipe: test/commands/apps-that-cannot-start.test.ts.
  test('a deploy that fails on a terminal ends in cause, place, fix and log, as its JSON error and its log do', async () => {
    const setting = { emulator, cwd: fixture('crashes'), meanwhile };
    const { code, stderr, json } = await gantry(['deploy', '--yes', '--json'], { ...setting, ...wideTerminal });
    expect([code, stderr.trimEnd().split('\n').slice(-4)]).toEqual([
      12,
      [
        'cause: the Python module model_that_is_missing is not installed',
        expect.stringMatching(
          /^ {2}in {2}line \d+ of the log: ModuleNotFoundError: No module named 'model_that_is_missing'$/,
        ),
        expect.stringMatching(/^ {2}fix \S/),
        expect.stringMatching(/^ {2}log gantry explain crashes \S+$/),
      ],
    ]);
    expect(json()).toMatchObject({
      error: {
        fix: expect.stringMatching(/^gantry explain crashes \S+$/),
        details: {
          explanation: {
            cause: 'module-missing',
            title: 'the Python module model_that_is_missing is not installed',
            evidence: { source: 'log' },
            fix: expect.any(String),
            location: null,
          },
        },
      },
    });
    const log = await gantry(['logs', 'crashes', '--build', '-f'], setting);
    expect(log).toExit(12, /^cause: the Python module model_that_is_missing is not installed$/m);
    for (const noun of ['builds', 'apps']) {
      const got = await gantry([noun, 'get', 'crashes'], { emulator });
      expect(got.stderr).toMatch(/^to see why (it|the latest build) failed: gantry explain \S+( \S+)?$/m);
    }
  });

  test('so do invoke --wait and logs -f of a run, and explain, also in another folder', async () => {
    await gantry(['deploy'], { emulator, cwd: fixture('memory-loop'), meanwhile });
    const waited = await gantry(['invoke', 'memory-loop', '--wait', '--json'], { emulator, meanwhile });
    const { run } = (waited.json() as { error: { details: { run: string } } }).error.details;
    const followed = await gantry(['logs', 'memory-loop', '--run', run, '-f'], { emulator, meanwhile });
    for (const outcome of [waited, followed]) expect(outcome).toExit(13, 'cause: the app ran out of memory\n');
    const { stderr } = await gantry(['runs', 'get', 'memory-loop', run], { emulator });
    expect(stderr).toMatch(/^to see why it failed: gantry explain \S+( \S+)?$/m);
    expect(waited.json()).toMatchObject({ error: { details: { explanation: { evidence: { source: 'log' } } } } });
    const explained = await gantry(['explain', 'memory-loop', '--json'], { emulator, meanwhile });
    const evidence = { text: expect.stringMatching(/^MemoryError/) };
    expect(explained.json()).toMatchObject({ build: null, failed: true, cause: 'out-of-memory', evidence });
  });

  test.each([
    ['helpers', 'exclude pattern "helpers" matches helpers'],
    ['helpers/*', 'exclude pattern "helpers/*" matches the files in helpers/'],
  ])('a module that exclude leaves out with "%s" is named, and by each call', async (pattern, why) => {
    const files: Record<string, string> = {
      ...smallApp(`exclude = [".*", "${pattern}"]\n`),
      // The look at files does not see it.
      'main.py': 'import importlib\n\nimportlib.import_module(".".join(["helpers", "text"]))\n',
      'helpers/text.py': '',
    };
    const cwd = newFolder(files);
    const { stderr } = await gantry(['deploy', '--name', 'excluded'], { emulator, cwd, meanwhile });
    expect(stderr).toContain(`cause: helpers/ is in the app folder, but is not sent: ${why}\n`);
    expect((await gantry(['invoke', 'excluded'], { emulator })).stderr).toContain('fix gantry explain excluded\n');
    const ofItsName = (files['cerebrium.toml'] ?? '').replace('"web"', '"excluded"');
    writeFileSync(join(cwd, 'cerebrium.toml'), ofItsName);
    const explained = await gantry(['explain', 'excluded'], { emulator, cwd });
    expect(explained.stdout).toContain(`  in  cerebrium.toml:4:11\n      4 | exclude = [".*", "${pattern}"]\n`);
    expect(explained.stdout).toContain(`  fix remove "${pattern}" from exclude, or change it to match fewer files\n`);
    // The list of the files shows what is wrong, and mends nothing.
    expect(explained.stdout + explained.stderr).not.toContain('--files');
  });

  test('a parameter that only has a position is said by check, invoke, explain and run', async () => {
    const main =
      'def run(a, /):\n    return a\n\ndef fine(a=1, /, b=2):\n    return help(b)\n\ndef help(a, /):\n    return a\n';
    const setting = { emulator, cwd: newFolder({ ...smallApp(), 'main.py': main }), meanwhile };
    const [said, fix] = [
      'run takes a by its position only, and a call gives it by its name',
      'remove the / from the parameters of run',
    ];
    const problems = (await gantry(['check', '--jq', '[.problems[] | .message, .fix]'], setting)).json();
    expect(problems).toEqual([said, fix]);
    expect((await gantry(['deploy'], setting)).stderr).toContain('to call it: gantry invoke web fine');
    expect((await gantry(['invoke', '.', 'a=1'], setting)).stderr).toContain(`fix ${fix}`);
    emulator.late.pass();
    expect((await gantry(['explain', '--json=title,fix'], setting)).json()).toEqual({ title: said, fix });
    for (const words of [['main.py::run'], ['main.py::run', 'a=1']])
      expect((await gantry(['run', ...words], setting)).stderr).toContain('run takes a by position only');
  });

  test('a call with other parameters gets the line that works, and explain knows what it knew', async () => {
    const app = newFolder({
      ...smallApp(),
      'main.py': 'def run(name, times: int, greeting="hi"):\n    return name\n',
    });
    const setting = { emulator, cwd: app, meanwhile };
    await gantry(['deploy'], setting);
    const { stderr, json } = await gantry(['invoke', '.', 'nam=Ada', '--json'], setting);
    const { details, next } = (json() as { error: { details: { run: string }; next: string[] } }).error;
    expect(stderr).toContain("web/run returned 422: run: missing a required argument: 'name'");
    expect(stderr).toContain('why run takes name, times, greeting (optional)\n');
    expect(next).toEqual(['gantry', 'invoke', '.', 'times:=1', 'name=Ada', '--json']);
    const fixOf = async (...words: string[]) =>
      /fix (.*)/.exec((await gantry(['invoke', '.', ...words], setting)).stderr)?.[1];
    expect(await fixOf('nam=Ada L', 'times:=2')).toBe("gantry invoke . 'name=Ada L' times:=2");
    expect(await fixOf('zzz=1')).toBe('gantry invoke web name=text times:=1');
    expect(await fixOf()).toBe('gantry invoke web name=text times:=1');
    expect(await fixOf('{"name": "Ada"}')).toBe(`pass a whole body as --data '{"name": "Ada"}'`);
    expect((await gantry(next.slice(1), setting)).code).toBe(0);
    emulator.late.pass();
    const explained = await gantry(['explain', details.run], setting);
    expect(explained.stdout).toContain("the call of run has other parameters than the function: 'name'");
    expect((await gantry(['explain', details.run, '--jq', '.cause'], setting)).stdout).toBe('wrong-arguments\n');
    // What is refused has no log that could be late.
    expect(explained.waits).toEqual([]);
    expect(explained.stderr).not.toContain('gantry logs');
    const elsewhere = await gantry(['invoke', 'web', 'nam=Ada'], { emulator });
    expect(elsewhere.stderr).toContain('fix pass the parameters of run: name=text, or name:=json');
  });

  test('a call of a map that the function refuses is explained as the map does', async () => {
    const app = newFolder({
      ...smallApp(),
      'main.py': 'def run(name):\n    return name\n',
      'in.jsonl': '{"nam": 1}\n',
    });
    const setting = { emulator, cwd: app, meanwhile };
    await gantry(['deploy'], setting);
    const { json } = await gantry(['map', '.', 'in.jsonl', '-o', 'out.jsonl', '--json'], setting);
    const [{ title }] = (json() as { failures: [{ title: string }] }).failures;
    emulator.late.pass();
    const explained = await gantry(['explain', '--json=cause,title'], setting);
    expect(explained.json()).toEqual({ cause: 'wrong-arguments', title });
  });
});

describe.skipIf(!python)('a call that has just failed (needs python3)', () => {
  const late = emulatorForAll({ late: 900 });

  test('is known to explain at once', async () => {
    const app = newFolder({ ...smallApp(), 'main.py': 'def run():\n    return {}["user"]\n' });
    const setting = { emulator: late, cwd: app, meanwhile };
    await gantry(['deploy', '--name', 'boom'], setting);
    for (const line of ['explain boom RUN', 'explain boom']) {
      const call = await gantry(['invoke', 'boom', '--json'], setting);
      const { run } = (call.json() as { error: { details: { run: string } } }).error.details;
      const { json, stderr } = await gantry([...line.replace('RUN', run).split(' '), '--json'], setting);
      expect(json(), stderr).toMatchObject({ run, failed: true, title: expect.stringContaining("KeyError: 'user'") });
    }
  });
});
