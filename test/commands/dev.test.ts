import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { turn } from '../../src/kernel/clock.ts';
import { FolderWatcher } from '../../src/local/dev/folder-watcher.ts';
import { children, python } from '../emulator/support/running.ts';
import { developing, type Session } from '../support/developing.ts';
import {
  gantry,
  jsonLines,
  newFolder,
  type Setting,
  smallApp,
  startEmulator,
  temporaryFiles,
} from '../support/index.ts';

const curl = spawnSync('curl', ['--version']).status === 0;
const linux = process.platform === 'linux';
const pipe: Setting = { columns: undefined, stdin: undefined };
const ready = /(\w+) is ready in/;
/** So many reloads have been said. */
const reloads = (number: number) => new RegExp(`(?:(reloaded) in [\\s\\S]*){${number}}`);
const main = 'def run(name="you"):\n    print("called by", name)\n    return "hello"\n';
const app = { ...smallApp(), 'main.py': main };
const named = (name: string, more = '') => `[cerebrium.deployment]\nname = "${name}"\n${more}`;

describe.skipIf(!python)('gantry dev (needs python3)', () => {
  test('runs the app, prints its URL and its log, and ends on Ctrl-C', async () => {
    const { code, stdout, stderr } = await developing(
      app,
      [],
      async ({ result, until }) => {
        expect(await result({ name: 'me' })).toMatchObject({ result: 'hello' });
        await until(/( {2}called by me\n)/);
        await until(/(POST \/run 200)/);
      },
      pipe,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^http:\S+\/web\n.*curl .*http:\S+\/web\/run -H 'content-type: application\/json' -d '\{\}'\n$/,
    );
    expect(stderr).toMatch(/^✓ web is ready in .+, build \S+/m);
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d POST \/run 200 .+ m?s$/m);
    expect(stderr).toContain('watching for changes; press Ctrl-C to stop\n');
    expect(stderr).toContain('to use it in another shell: eval "$(gantry emulator env)"\n');
    expect(stderr).not.toMatch(/Packed|cancelling|error|keys:/);
    expect(temporaryFiles()).toEqual([]);
  });

  test('runs the app of --config-file, and again when that changes', async () => {
    await developing(
      { ...app, 'prod.toml': named('prod') },
      ['--config-file', 'prod.toml'],
      async ({ write, until }) => {
        expect(await until(ready)).toBe('prod');
        write('prod.toml', named('other'));
        await until(/(other) is ready in .* \(renamed from prod\)/);
      },
      pipe,
    );
  });

  test.skipIf(!curl)(
    'prints a command that calls a private app, without a token in its arguments (needs curl)',
    async () => {
      const main = 'def run(name: str, times: int, run_id, more=2):\n    return f"hello {name} {times}"\n';
      await developing({ ...app, 'main.py': main }, [], async ({ until }) => {
        const command = await until(/(?:^|\n)(.*curl .* -d '.*')\n/);
        const { stdout } = await promisify(execFile)('sh', ['-c', command]);
        expect(JSON.parse(stdout)).toMatchObject({ result: 'hello text 1' });
        expect(command).not.toMatch(/curl.*Bearer/);
      });
    },
  );

  test('reloads on save, also in a new folder, and tells on one line what changed or was deleted', async () => {
    const { stderr } = await developing(app, [], async ({ result, until, write, path }) => {
      await until(ready);
      write('more/deep/words.py', 'WORD = "new"\n');
      await until(reloads(1));
      write('main.py', 'from more.deep.words import WORD\ndef run():\n    return WORD\n');
      await until(reloads(2));
      expect(await result()).toMatchObject({ result: 'new' });
      write('more/deep/words.py', 'WORD = "newer"\n');
      await until(reloads(3));
      expect(await result()).toMatchObject({ result: 'newer' });
      // As editors save.
      write('.main.py.tmp', 'def run():\n    return 4\n');
      renameSync(join(path, '.main.py.tmp'), join(path, 'main.py'));
      await until(reloads(4));
      rmSync(join(path, 'more'), { recursive: true });
      await until(reloads(5));
      // It ends a line.
      write('a\n14:00:00 b.py', '');
      await until(reloads(6));
      rmSync(join(path, 'main.py'));
      await until(/(not reloaded)/);
    });
    const changed = [...stderr.matchAll(/\d\d:\d\d:\d\d (.*) changed: web reloaded in .+$/gm)].map(([, what]) => what);
    const odd = '"a\\n14:00:00 b.py"';
    const saved = ['more/deep/words.py', 'main.py', 'more/deep/words.py', 'main.py', 'more/deep/words.py', odd];
    expect(changed).toEqual(saved);
    expect(stderr).toMatch(/ main\.py changed: web not reloaded\n/);
  });

  test('does not reload without end because of what it prints itself', async () => {
    let log = '';
    const main = 'print("starting")\ndef run():\n    return 1\n';
    const work = async ({ until, write, path }: Session) => {
      await until(ready);
      log = join(path, 'out.log');
      write('out.log', 'mine\n');
      await until(/(out\.log keeps changing: its changes reload the app no more)/);
      write('main.py', `${main}\n`);
      await until(/(main\.py) changed: web reloaded/);
    };
    // As `2>&1 | tee out.log` does.
    const seen = (_: string, stderr: string) => log && writeFileSync(log, `mine\n${stderr}`);
    const { stderr } = await developing({ ...app, 'main.py': main }, [], work, { ...pipe, seen });
    expect(stderr.match(/out\.log.* changed: web reloaded/g)?.length ?? 0).toBeLessThan(6);
    expect(stderr.slice(stderr.indexOf('main.py changed'))).not.toMatch(/out\.log.* changed/);
  });

  test('waits for a fix of what cannot start; says at a save why it cannot serve, and keeps the version before', async () => {
    const broken = { ...app, 'cerebrium.toml': '[cerebrium.deployment\n' };
    const { code, stdout, stderr } = await developing(broken, [], async ({ result, until, write }) => {
      await until(/(no version of it is running yet; waiting for a fix)/);
      write('cerebrium.toml', smallApp()['cerebrium.toml'] ?? '');
      const keeps = async (number: number) => {
        await until(new RegExp(`(?:(still serving the version of \\d\\d:\\d\\d:\\d\\d; waiting)[\\s\\S]*){${number}}`));
        expect(await result()).toMatchObject({ result: 'hello' });
      };
      await until(ready);
      write('.notes', 'not sent');
      write('cerebrium.toml', named(''));
      await keeps(1);
      write('cerebrium.toml', `${smallApp()['cerebrium.toml']}# fixed\n`);
      await until(reloads(1));
      write('main.py', 'def run(:\n    return 1\n');
      await keeps(2);
      write('main.py', 'import nothing_there\n');
      await keeps(3);
      write('main.py', app['main.py'].replace('hello', 'back'));
      await until(reloads(2));
      expect(await result()).toMatchObject({ result: 'back' });
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('/web\n')]);
    expect(stderr.match(/another shell/g)).toHaveLength(1);
    expect(stderr.slice(stderr.search(ready)).match(/not reloaded/g)).toHaveLength(3);
    const [mistakes = '', failure = ''] = stderr.split(/(?=web was built but did not start)/);
    expect(mistakes).toMatch(
      /cerebrium\.toml changed: web not reloaded\n.*error: .*\n {2}in {2}cerebrium\.toml:2:\d+\n/s,
    );
    expect(mistakes).toMatch(
      /main\.py changed: web not reloaded\nerror: main\.py has a syntax error\n {2}in {2}main\.py:1:\d+\n/,
    );
    expect(mistakes).not.toMatch(/Traceback|gantry builds|cause:/);
    expect(failure).toContain('File "main.py", line 1');
    expect(failure).toMatch(
      /\n {6}cause: the Python module nothing_there is not installed\n {2}fix if nothing_there is /,
    );
    expect(failure.match(/No module named 'nothing_there'/g)).toHaveLength(1);
  });

  test('takes the newest save, also while the start of an earlier one hangs', async () => {
    const hanging = 'import threading\nthreading.Event().wait()\n';
    const { stderr } = await developing(
      { ...app, 'main.py': hanging },
      [],
      async ({ result, until, write, press, path }) => {
        await until(/(Deploying web: initializing)/);
        write('main.py', main);
        expect(await result()).toMatchObject({ result: 'hello' });
        write('main.py', hanging);
        await until(/(Reloading web: initializing)/);
        // Each is noticed by itself.
        for (const change of [() => write('a.txt', ''), () => write('b.txt', ''), () => rmSync(join(path, 'b.txt'))]) {
          change();
          await setTimeout(150);
        }
        press('r');
        expect(await result()).toMatchObject({ result: 'hello' });
        write('main.py', main.replace('hello', 'back'));
        await until(reloads(1));
        expect(await result()).toMatchObject({ result: 'back' });
      },
    );
    expect(stderr).toMatch(/a\.txt, main\.py changed: web reloaded/);
    expect(stderr).not.toMatch(/not reloaded|error|warning/);
    expect(children()).toEqual([]);
  });

  test('serves a change while a file changes faster than a reload takes, and names that file', async () => {
    // Before the change is served, five reloads are begun and overtaken.
    const busySeconds = 60;
    const slow = `import time\ntime.sleep(0.3)\n${main}`;
    const config = named('web', 'exclude = [".*"]\n');
    const files = { ...app, 'cerebrium.toml': config, 'main.py': slow, 'state.db': '' };
    const { stderr } = await developing(files, [], async ({ until, write, call }) => {
      await until(ready);
      const other = setInterval(() => write('state.db', `${Math.random()}`), 50);
      try {
        await setTimeout(150);
        write('main.py', slow.replace('hello', 'back'));
        // On a busy machine, a reload may end before the file has changed often enough.
        await until(/ main\.py(?:, state\.db)? changed: web (reloaded)/, busySeconds);
        await until(/exclude = \["\.\*", "\.\/(state\.db)"\]/, busySeconds);
        expect(await (await call()).json()).toMatchObject({ result: 'back' });
        write('main.py', slow);
        await until(/main\.py(?:, state\.db)? changed: [\s\S]* main\.py changed: web (reloaded)/, busySeconds);
      } finally {
        clearInterval(other);
      }
    });
    expect(stderr.match(/state\.db keeps changing/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/main\.py changes faster/);
  }, 120_000);

  test('serves a change while something changes faster than the app is read', async () => {
    const changes = vi.spyOn(FolderWatcher.prototype, 'changed').mockImplementation(() => turn());
    try {
      await developing(app, [], async ({ until, write, result }) => {
        await until(ready);
        write('main.py', main.replace('hello', 'back'));
        await until(reloads(1));
        expect(await result()).toMatchObject({ result: 'back' });
      });
    } finally {
      changes.mockRestore();
    }
  });

  test('never says ready for an app that was not started, nor deploy live', async () => {
    const partner = readFileSync('fixtures/apps/partner/cerebrium.toml', 'utf8');
    const { stdout, stderr } = await developing({ 'cerebrium.toml': partner }, [], async ({ until, path, env }) => {
      await until(/(no version of it is running yet; waiting for a fix)/);
      const { environment } = (await gantry(['emulator', 'env', '--json'], { env })).json() as { environment: object };
      const deploy = (words: string[]) => gantry(['deploy', ...words], { cwd: path, env: { ...env, ...environment } });
      const { code, stderr } = await deploy([]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/is deployed, but was not started, build/)]);
      expect(stderr).toMatch(
        /warning: .* was not started: its calls are refused with 501\n {2}why the emulator cannot run/,
      );
      expect(stderr).not.toMatch(/is live/);
      expect((await deploy(['--json=notStarted'])).json()).toMatchObject({ notStarted: { calls: 'refused' } });
    });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/not reloaded\nerror: .* was not started\n {2}why the emulator cannot run/);
    expect(stderr).not.toMatch(/is ready|reloaded in/);
  });

  test('says once what is not as on the platform, and keeps the app running between calls, whatever its cooldown', async () => {
    const config = named('web', '[cerebrium.scaling]\ncooldown = 0\nscaling_target = 50\n');
    const files = { 'cerebrium.toml': config, 'main.py': 'import os\ndef run():\n    return os.getpid()\n' };
    const { stderr } = await developing(files, [], async ({ result, until, write }) => {
      await until(ready);
      const first = (await result()) as { result: number };
      expect(await result()).toMatchObject({ result: first.result });
      write('main.py', `${main}\n`);
      await until(reloads(1));
    });
    expect(stderr.match(/not as on the platform: .*/g)).toEqual([
      'not as on the platform: scaling_target 50 is ignored',
    ]);
  });

  test('names files of the user, each once, and not what is made of them', async () => {
    const pip = (version: string) => named('web', `[cerebrium.dependencies.pip]\nidna = "${version}"\n`);
    const files = { ...app, 'cerebrium.toml': pip('3.1'), 'words/a.py': '' };
    const { stderr } = await developing(files, [], async ({ until, write, path }) => {
      await until(ready);
      write('cerebrium.toml', pip('3.2'));
      await until(reloads(1));
      symlinkSync('main.py', join(path, 'linked.py'));
      symlinkSync('words', join(path, 'more'));
      await until(reloads(2));
      write('main.py', `${main}# again`);
      write('words/a.py', 'WORD = 1');
      await until(reloads(3));
    });
    const changed = [...stderr.matchAll(/\d\d:\d\d:\d\d (.*) changed: web reloaded/g)].map(([, what]) => what);
    expect(changed).toEqual(['cerebrium.toml', 'linked.py, more/a.py', 'linked.py, main.py, more/a.py and 1 more']);
  });

  test('tells streams, asynchronous calls, errors and disconnected callers apart', async () => {
    const body = `
import sys, time
def items():
    for item in range(3): yield item
def fails():
    print("oops", file=sys.stderr)
    raise ValueError("no")
def waits():
    time.sleep(60)
def breaks():
    yield 1
    raise ValueError("no")
def large(): return "x" * 20_000_000
def run(): return 1
`;
    const { stderr } = await developing({ ...app, 'main.py': body }, [], async ({ call, until, headers }) => {
      await (await call({}, 'items?x=1')).text();
      await (await call({}, 'fails')).text();
      await (await call({}, 'breaks')).text().catch(() => {});
      await (await call({}, 'run?async=true')).text();
      await until(/(\(async, ended\))/);
      const url = `${await until(/(http:\S+\/web)\n/)}/waits`;
      const leaving = new AbortController();
      const left = fetch(url, { method: 'POST', body: '{}', signal: leaving.signal, headers: await headers() });
      setTimeout(50).then(() => leaving.abort());
      await left.catch(() => {});
      await until(/(the caller disconnected)/);
      await (await call({}, 'large')).body?.cancel();
      await until(/( POST \/large )/);
    });
    expect(stderr).toMatch(/ POST \/items\?x=1 200 .+ m?s\n/);
    expect(stderr).toMatch(/ POST \/fails 500 .+ m?s\n/);
    expect(stderr).toMatch(/ POST \/breaks 200 .+ m?s \(broke off: the run ended with 500\)\n/);
    expect(stderr).toMatch(/ POST \/run\?async=true 202 .+ m?s \(async, accepted\)\n/);
    expect(stderr).toMatch(/ POST \/run 200 .+ m?s \(async, ended\)\n/);
    expect(stderr).toMatch(/ POST \/waits .*m?s \(the caller disconnected\)\n/);
    // Its run has ended well by then.
    expect(stderr).toMatch(/ POST \/large 200 .*m?s \(the caller disconnected\)\n/);
    expect(stderr).toMatch(/^ {2}\[stderr\] oops$/m);
  });

  test('prints a line for each WebSocket, once it is closed or refused', async () => {
    const voice = (name: string) => readFileSync(`fixtures/apps/voice/${name}`, 'utf8');
    const files = Object.fromEntries(readdirSync('fixtures/apps/voice').map((name) => [name, voice(name)]));
    const { stderr } = await developing(files, [], async ({ until, headers }) => {
      const url = (await until(/curl (http:\S+\/voice)\//)).replace('http', 'ws');
      const socket = new WebSocket(`${url}/ws`, { headers: await headers() });
      await once(socket, 'open');
      socket.close();
      await until(/(GET \/ws 101 \S+ m?s \(websocket\))/);
      const refused = new WebSocket(`${url}x/ws`);
      await once(refused, 'error');
      await until(/(GET \/ws 404 )/);
    });
    expect(stderr.match(/\(websocket\)/g)).toHaveLength(2);
  });

  test('follows a new name, and forgets the former address', async () => {
    await developing(app, [], async ({ call, until, write, env }) => {
      await until(ready);
      expect((await call()).status).toBe(200);
      write('cerebrium.toml', named('api', 'disable_auth = false\n'));
      await until(/(api is ready in .* \(renamed from web\))/);
      expect((await call()).status).toBe(404);
      await until(/(v4\/p-\d+\/api\n)/);
      const list = (await gantry(['emulator', 'list', '--json'], { env })).json();
      expect(list).toMatchObject([{ command: 'dev', apps: ['api'] }]);
    });
  });

  test('runs several apps, says which one speaks, and is the emulator of its folders: --local leads to it', async () => {
    const files = {
      'apps/one/cerebrium.toml': named('one'),
      'apps/one/main.py': main,
      'apps/two/cerebrium.toml': named('two'),
      'apps/two/main.py': main,
      'apps/notes.md': '',
    };
    const { code, stderr } = await developing(files, ['apps'], async ({ until, write, headers, path, env }) => {
      const url = await until(/(http:\S+\/two)\n/);
      await until(/(http:\S+\/one)\n/);
      for (const cwd of [join(path, 'apps/one'), path]) {
        const called = await gantry(['invoke', 'one', 'name=me', '--local'], { env, cwd });
        expect([called.code, called.behind, called.stdout]).toEqual([0, [], expect.stringContaining('hello')]);
      }
      await fetch(`${url}/run`, { method: 'POST', body: '{"name":"me"}', headers: await headers() });
      await until(/(\[two\] called by me)/);
      await until(/(\[two\] \S+ POST \/run 200)/);
      write('apps/one/cerebrium.toml', named('two'));
      await until(/(two apps are called two)/);
      write('apps/one/cerebrium.toml', named('three'));
      await until(/(three is ready)/);
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/error: two apps are called two\n {2}why the other one is in \S+apps\/two\n/);
    expect(stderr.match(/to use it in another shell/g)).toHaveLength(1);
  });

  test('passes the secrets of a file, and those set beside them, follows their changes, and hides no ordinary values', async () => {
    const read = 'KEY, OWN, LEVEL = map(os.environ.get, ("KEY", "OWN", "LEVEL"))';
    const main = `import os\ndef run():\n    ${read}\n    print(LEVEL, KEY, flush=True)\n    return [KEY, OWN]\n`;
    const files = { ...app, '.env': 'LEVEL=changed to WARNING\nKEY=first-one\n', 'main.py': main };
    const work = async ({ result, until, write, path, env }: Session) => {
      expect(await result()).toMatchObject({ result: ['first-one', null] });
      await until(/(changed to WARNING)/);
      const secrets = (words: string[]) =>
        gantry(['secrets', ...words, '--local', '--json'], {
          cwd: path,
          env: { ...env, KEY: 'kept-value', OWN: 'own-value' },
        });
      expect(await secrets(['set', 'KEY', 'OWN', '--from-env', '--yes'])).toMatchObject({ code: 0 });
      write('.env', 'KEY=second-one\n');
      await until(/\d (\.env) changed: web reloaded/);
      expect(await result()).toMatchObject({ result: ['second-one', 'own-value'] });
      write('.env', '');
      await until(/\.env changed: web reloaded[\s\S]*(\.env) changed: web reloaded/);
      expect(await result()).toMatchObject({ result: ['kept-value', 'own-value'] });
      expect((await secrets(['list'])).json()).toEqual([{ name: 'KEY' }, { name: 'OWN' }]);
    };
    const { stdout, stderr } = await developing(files, ['--from-env-file', '.env'], work);
    expect(stdout + stderr).not.toMatch(/(first|second)-one|\.env is not sent/);
  });

  test('prints an event on each line with --json', async () => {
    const { stdout } = await developing(app, ['--json'], async ({ until, write, result, call }) => {
      await until(/("type":"ready")/);
      await result({ name: 'me' });
      await call({}, 'nowhere');
      write('cerebrium.toml', '[cerebrium.deployment]\nname = 1\ndisable_auth = false\n');
      await until(/("type":"problem")/);
      write('cerebrium.toml', `${smallApp()['cerebrium.toml']}# fixed\n`);
      await until(/("type":"reload")/);
    });
    const events = jsonLines(stdout);
    const first = (type: string) => events.find((event) => event.type === type);
    expect(first('ready')).toMatchObject({
      app: 'web',
      endpoint: expect.stringMatching(/^http/),
      token: expect.stringMatching(/^eyJ/),
    });
    expect(first('request')).toMatchObject({
      method: 'POST',
      path: '/run',
      statusCode: 200,
      kind: 'call',
      isComplete: true,
    });
    expect(first('log')).toMatchObject({
      app: 'web',
      stream: 'stdout',
      line: 'called by me',
      run: first('request').run,
    });
    expect(first('problem')).toMatchObject({ severity: 'error', location: { line: 2 }, changed: ['cerebrium.toml'] });
    expect(Date.parse(first('problem').servingSince)).toBeLessThanOrEqual(Date.parse(first('problem').at));
    expect(first('reload')).toMatchObject({ app: 'web', changed: ['cerebrium.toml'], durationMs: expect.any(Number) });
  });

  test('works without a state folder, and says what that means; prints no call of an app without functions', async () => {
    const env = { XDG_STATE_HOME: '/dev/null/state', GANTRY_CONFIG_DIR: '' };
    const work = async ({ until }: Session) => void (await until(/(http:\S+\/web)\n/));
    const { code, stdout, stderr } = await developing({ ...app, 'main.py': 'import os\n' }, [], work, { env });
    expect(stdout).toMatch(/^http:\S+\/web\n$/);
    expect([code, stderr]).toEqual([0, expect.stringContaining('what is stored here ends with this command')]);
  });

  test('is used from another shell, and stopped from there; names a file of secrets that it is not given', async () => {
    const { code, stderr } = await developing({ ...app, '.env': 'KEY=opensesame\n' }, [], async ({ until, env }) => {
      await until(ready);
      const { stdout } = await gantry(['emulator', 'env', '--json'], { env });
      const own = { ...env, ...JSON.parse(stdout).environment };
      expect(await gantry(['invoke', 'web', 'name=shell'], { env: own })).toPrint(/hello/);
      expect((await gantry(['logs', 'web'], { env: own })).stdout).toContain('called by shell');
      expect((await gantry(['history', 'web'], { env: own })).stdout).toMatch(/sent \S+\t.+ by gantry dev$/m);
      const stopped = await gantry(['emulator', 'stop'], { env, meanwhile: () => setTimeout(5) });
      expect(stopped.code).toBe(0);
    });
    const said = '.env is not sent; to pass its values to the app as secrets: --from-env-file .env\n';
    expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
  });
});

describe.skipIf(!python)('the keys of gantry dev (need python3)', () => {
  test('redeploy, open, clear, list, help and quit', async () => {
    const work = async ({ until, press }: Session) => {
      await until(ready);
      await until(/(keys: r redeploy, o open, c clear, l list, h help, q quit\n)/);
      press('h');
      await until(/(r {2}deploy again, changed or not\n)/);
      press('l');
      await until(/\/(builds)\//);
      press('r');
      await until(/\d\d:\d\d:\d\d (web) reloaded in/);
      press('o');
      press('l');
      // Whole, so that it can be copied.
      await until(/reloaded in .*\n(http:\S+\/web)\ncurl \S+ -H 'content-type: application\/json' -d/);
      press('c');
      await until(/(\[2J[\s\S]*keys: )/);
      // An arrow key, and text that was pasted.
      press('\u001b[A');
      press('q\nquit quickly\n');
      press('Z');
      press('q');
      await setTimeout(10_000);
    };
    const { code, opened, stderr } = await developing(app, [], work, { columns: 80 });
    expect(code).toBe(0);
    expect(opened).toEqual([expect.stringMatching(/\/apps\/p-\d+-web/)]);
    expect(stderr.match(/reloaded/g)).toHaveLength(1);
    expect(new Set(stderr.match(/\/builds\/[\w-]+/g)).size).toBe(2);
  });

  test('are not there with --no-input; --open opens the app once it is ready', async () => {
    const work = async ({ until }: Session) => void (await until(/(another shell)/));
    const { opened, stderr } = await developing(app, ['--open', '--no-input'], work);
    expect(opened).toEqual([expect.stringMatching(/\/apps\/p-\d+-web/)]);
    expect(stderr).not.toContain('keys:');
  });

  test('--open opens the root of a server', async () => {
    const config = named(
      'web',
      '[cerebrium.runtime.custom]\nentrypoint = ["python", "-m", "http.server", "8197"]\nport = 8197\n',
    );
    const work = async ({ until }: Session) => void (await until(/(another shell)/));
    const { opened, stdout } = await developing({ 'cerebrium.toml': config }, ['--open'], work);
    expect(stdout).toMatch(/^(http:\/\/127\.0\.0\.1:\d+\/v4\/p-\d+\/web)\ncurl \1\/\n$/);
    expect(opened).toEqual([`${stdout.split('\n')[0]}/`]);
  });
});

describe('gantry dev ends at once', () => {
  test('if there is no app', async () => {
    const empty = newFolder();
    expect(await gantry(['dev', '--port', '0'], { cwd: empty })).toExit(10, 'cerebrium.toml');
    expect((await gantry(['dev', 'nowhere', '--port', '0'], { cwd: empty })).code).toBe(2);
  });

  test('if the given port is in use, or its secrets cannot be read', async () => {
    const other = await startEmulator();
    const folder = newFolder(app);
    const { code, stderr } = await gantry(['dev', '--port', new URL(other.url).port], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/port \d+ is in use\n.*--port 0/)]);
    await other.close();
    expect((await gantry(['dev', '--port', '0', '--from-env-file', 'no.env'], { cwd: folder })).code).not.toBe(0);
  });
});

test.skipIf(!linux)('without --port, dev takes the next free port', async () => {
  const taken = await startEmulator({ port: 4100 }).catch(() => undefined);
  const { code, stderr } = await gantry(['dev'], { cwd: newFolder(app), stop: /is ready|not reloaded/ });
  await taken?.close();
  expect(code).toBe(0);
  // Another program that had the port may have given it back before dev looked.
  if (taken) expect(stderr).toMatch(/port 4100 is in use; listening on http:\/\/127\.0\.0\.1:41\d\d\n/);
});
