import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { DebugClient } from '../support/debug-client.ts';
import { developing, type Session } from '../support/developing.ts';
import { type Setting, smallApp } from '../support/index.ts';

const main = 'def run(name="you"):\n    greeting = f"hello {name}"\n    return greeting\n';
const app = { ...smallApp(), 'main.py': main };
const stops = main.replace('    return', '    breakpoint()\n    return');

const server = {
  ...smallApp('[cerebrium.runtime.custom]\nport = 8192\nentrypoint = ["python3", "main.py", "8192"]\n'),
  'main.py': `import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        greeting = "hello"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(greeting.encode())
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`,
};

const hasDebugpy = spawnSync('python3', ['-c', 'import debugpy']).status === 0;
/** More than any limit of the emulator, in ms. */
const hours = 10 * 60 * 60_000;

const port = /attach an editor to port (\d+)/;

/** An editor with a breakpoint in main.py. */
async function attached({ path, until }: Session, line: number) {
  const editor = await DebugClient.connect(Number(await until(port)));
  const file = join(path, 'main.py');
  await editor.attach({ [file]: [line] });
  return { editor, file };
}

/** Waits until it has attached so often. */
const attachedTimes = (editor: DebugClient, times: number) =>
  expect.poll(() => editor.heard.filter((name) => name === 'configurationDone').length).toBe(times);

const pipe: Setting = { columns: undefined, stdin: undefined };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe.skipIf(!python).each([
  ['a stand-in', true],
  ['debugpy (needs it installed for python3)', hasDebugpy],
])('gantry dev --debug-port, with %s', (debuggerName, isThere) => {
  const standIn = debuggerName === 'a stand-in';
  const debugging: typeof developing = (files, words, work, setting) => {
    if (standIn) vi.stubEnv('PYTHONPATH', resolve('test/support/stand-in-debugger'));
    return developing(files, ['--debug-port', '0', ...words], work, setting);
  };

  test.skipIf(!isThere)('an editor stops at its breakpoint before and after a reload, which it follows', async () => {
    await debugging(app, [], async (session) => {
      const { until, result, write } = session;
      const { editor, file } = await attached(session, 3);
      const first = result({ name: 'Ada' });
      const stop = await editor.stopped();
      expect(stop).toMatchObject({ path: file, line: 3, name: 'run', values: { greeting: "'hello Ada'" } });
      await editor.goOn(stop.threadId);
      expect(await first).toMatchObject({ result: 'hello Ada' });

      write('main.py', main.replace('hello', 'goodbye'));
      await until(/(reloaded)/);
      const second = result({ name: 'Bob' });
      const next = await editor.stopped();
      expect(next).toMatchObject({ path: file, line: 3, values: { greeting: "'goodbye Bob'" } });
      await editor.goOn(next.threadId);
      expect(await second).toMatchObject({ result: 'goodbye Bob' });
      expect(editor.heard.filter((name) => name === 'terminated')).toHaveLength(1);
      editor.close();
    });
  });

  test.skipIf(!isThere)('a breakpoint holds through a reload, and the editor follows when it goes on', async () => {
    await debugging(app, [], async (session) => {
      const { until, result, write } = session;
      const { editor } = await attached(session, 3);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const first = result();
      const stop = await editor.stopped();
      // No call may take that long, but one that stands in a breakpoint does.
      vi.advanceTimersByTime(hours);
      vi.useRealTimers();
      write('main.py', main.replace('hello', 'goodbye'));
      await until(/(reloaded)/);
      expect((await editor.request('scopes', { frameId: stop.id })).scopes).toBeDefined();
      await editor.goOn(stop.threadId);
      expect(await first).toMatchObject({ result: 'hello you' });
      await attachedTimes(editor, 2);
      const second = result();
      expect((await editor.stopped()).values).toMatchObject({ greeting: "'goodbye you'" });
      editor.close();
      expect(await second).toMatchObject({ result: 'goodbye you' });
    });
  });

  test.skipIf(!isThere).each<[string, (editor: DebugClient) => unknown]>([
    ['has disconnected', (editor) => editor.request('disconnect')],
    ['was lost', (editor) => editor.close()],
  ])('another editor attaches when one %s', async (_, leave) => {
    await debugging(app, [], async (session) => {
      const { result } = session;
      const { editor } = await attached(session, 3);
      const first = result();
      await editor.stopped();
      await leave(editor);
      expect(await first).toMatchObject({ result: 'hello you' });
      const { editor: next } = await attached(session, 3);
      const second = result();
      await next.goOn((await next.stopped()).threadId);
      expect(await second).toMatchObject({ result: 'hello you' });
      next.close();
    });
  });

  test.skipIf(!isThere)('a connection that says nothing changes nothing', async () => {
    await debugging(app, [], async (session) => {
      const number = Number(await session.until(port));
      (await DebugClient.connect(number)).close();
      const { editor } = await attached(session, 3);
      const scan = await DebugClient.connect(number);
      const call = session.result();
      await editor.goOn((await editor.stopped()).threadId);
      expect(await call).toMatchObject({ result: 'hello you' });
      scan.close();
      editor.close();
    });
  });

  test.skipIf(!isThere)('a version that does not start gives the editor back to the one that serves', async () => {
    await debugging(app, [], async (session) => {
      const { until, result, write } = session;
      const { editor } = await attached(session, 3);
      write('main.py', 'import nothing\n\nstarted = True\n');
      await until(/(not reloaded)/);
      await attachedTimes(editor, 3);
      const call = result();
      const stop = await editor.stopped();
      expect(stop.values).toMatchObject({ greeting: "'hello you'" });
      await editor.goOn(stop.threadId);
      await call;
      editor.close();
    });
  });

  test.skipIf(!isThere)('breakpoint() stops in the editor, and without one says what to do', async () => {
    await debugging(
      { ...app, 'main.py': stops },
      [],
      async (session) => {
        expect(await session.result()).toMatchObject({ result: 'hello you' });
        await session.until(/(breakpoint\(\) in main.py:3 does nothing here)/);
        const { editor } = await attached(session, 99);
        const call = session.result();
        const stop = await editor.stopped();
        expect(stop).toMatchObject({ name: 'run', values: { greeting: "'hello you'" } });
        await editor.goOn(stop.threadId);
        expect(await call).toMatchObject({ result: 'hello you' });
        editor.close();
      },
      pipe,
    );
  });

  test.skipIf(!isThere)('breakpoint() stops at the terminal if no editor is attached', async () => {
    const { stderr } = await debugging({ ...app, 'main.py': stops }, [], async (session) => {
      await session.until(port);
      const call = session.result();
      await session.until(/(-> return)/);
      session.press('c\r');
      expect(await call).toMatchObject({ result: 'hello you' });
    });
    expect(stderr).not.toMatch(/warning/i);
  });

  test.skipIf(!isThere)('a server stops, too', async () => {
    await debugging(server, [], async (session) => {
      const { editor, file } = await attached(session, 6);
      const call = session.call();
      const stop = await editor.stopped();
      expect(stop).toMatchObject({ path: file, line: 6, name: 'do_POST', values: { greeting: "'hello'" } });
      await editor.goOn(stop.threadId);
      expect(await (await call).text()).toBe('hello');
      editor.close();
    });
  });

  test.skipIf(!isThere)('--wait-for-client starts the code of the app when an editor has attached', async () => {
    await debugging({ ...app, 'main.py': `started = 1\n${main}` }, ['--wait-for-client'], async (session) => {
      const { until, path } = session;
      const editor = await DebugClient.connect(Number(await until(/an editor to attach to port (\d+)/)));
      const file = join(path, 'main.py');
      await editor.attach({ [file]: [2] });
      const stop = await editor.stopped();
      expect(stop).toMatchObject({ line: 2, name: '<module>', values: { started: '1' } });
      await editor.goOn(stop.threadId);
      await until(/(web is ready)/);
      editor.close();
    });
  });
});

describe.skipIf(!python)('breakpoint() in gantry dev (needs python3)', () => {
  test('stops at the terminal, which is that of Python until the code goes on', async () => {
    const { stderr } = await developing({ ...app, 'main.py': stops }, [], async (session) => {
      const { until, result } = session;
      for (const name of ['Ada', 'Bob']) {
        const call = result({ name });
        await until(name === 'Ada' ? /(-> return)/ : /-> return[\s\S]*(-> return)/);
        session.press('p greeting.upper()\r');
        await until(new RegExp(`('HELLO ${name.toUpperCase()}')`));
        session.press('c\r');
        expect(await call).toMatchObject({ result: `hello ${name}` });
      }
      // Keys are keys again.
      session.press('h');
      await until(/(deploy again, changed or not)/);
    });
    expect(stderr).toMatch(/^> main\.py\(4\)run\(\)$/m);
  });

  test('a save leaves the prompt as it is, with what has been typed', async () => {
    const { stderr } = await developing({ ...app, 'main.py': stops }, [], async (session) => {
      const { until, result, write } = session;
      const call = result();
      await until(/-> return[\s\S]*(\(Pdb\) )/);
      session.press('p greet');
      write('main.py', `${stops}# again`);
      await until(/web reloaded in .*\n[\s\S]*(\(Pdb\) p greet)/);
      session.press('ing.upper()\r');
      await until(/('HELLO YOU')/);
      session.press('c\r');
      expect(await call).toMatchObject({ result: 'hello you' });
    });
    expect(stderr).not.toContain('Reloading');
  });

  test('the terminal is back when a call is stepped to its end, or quit', async () => {
    await developing({ ...app, 'main.py': stops }, [], async (session) => {
      const { until, result } = session;
      const call = result();
      await until(/(-> return)/);
      session.press('n\r');
      await until(/(--Return--)/);
      session.press('n\r');
      expect(await call).toMatchObject({ result: 'hello you' });
      const quit = result();
      await until(/--Return--[\s\S]*(at main.py:[\s\S]*-> return)/);
      session.press('q\r');
      expect(await quit).toMatchObject({ message: 'BdbQuit' });
      session.press('h');
      await until(/(deploy again, changed or not)/);
    });
  });

  test.each([
    ['off a terminal', {}, [] as string[], pipe],
    ['if there are several apps', { 'b/cerebrium.toml': '[cerebrium.deployment]\nname = "b"\n' }, ['.', 'b'], {}],
  ])('says what to do instead %s', async (_, more, folders, setting) => {
    const files = { ...app, 'main.py': stops, ...more, 'b/main.py': stops };
    await developing(
      files,
      folders,
      async ({ call, until }) => {
        await until(/(web) is ready/);
        expect(await (await call()).json()).toMatchObject({ result: 'hello you' });
        await until(/(breakpoint\(\) in main.py:3 does nothing here: .* `gantry dev --debug-port 5678`)/);
      },
      setting,
    );
  });
});

describe.skipIf(!python)('gantry dev --debug-port without debugpy (needs python3)', () => {
  test('says how to install it', async () => {
    vi.stubEnv('PYTHONPATH', resolve('test/support/no-debugger'));
    await developing(app, ['--debug-port', '0'], async ({ until }) => {
      await until(/(debugpy is not installed for \S+: run \S+ -m pip install debugpy, or pass --install)/);
    });
  });
});
