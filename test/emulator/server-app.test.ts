import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AppConfig } from '../../src/app/config.ts';
import { explainLog } from '../../src/causes/index.ts';
import { newFolder, platform } from './support/platform.ts';
import { children, python, running, serverOf, untilCut } from './support/running.ts';

const custom = {
  runtime: 'custom',
  entrypoint: ['python', 'server.py', '--port', '8192'],
  port: 8192,
  healthcheckEndpoint: '/health',
  readycheckEndpoint: '/ready',
};

/** Answers with what it was told of its address. */
const echo = serverOf(`
    def do_GET(self):
        self.answer(f'{self.headers["Host"]} {self.headers["X-Forwarded-Prefix"]}')
`);

describe.skipIf(!python)("an app's own server (needs python3)", () => {
  test('gets every method and path below its app, and its response is passed on', async () => {
    const { base, call, runs } = await running('server', custom);
    const added = await call('messages', { text: 'hello' });
    expect([added.status, added.json.text]).toEqual([201, 'hello']);
    const listed = await fetch(`${base}/messages`);
    expect([listed.status, await listed.json()]).toEqual([200, { messages: [added.json] }]);
    expect(listed.headers.get('server')).toContain('BaseHTTP');
    expect((await fetch(`${base}/nothing/here?x=1`)).status).toBe(404);
    expect(await runs()).toMatchObject([
      { functionName: 'nothing/here', method: 'GET', status: 'failure', statusCode: 404 },
      { functionName: 'messages', method: 'GET', status: 'success' },
      { functionName: 'messages', method: 'POST', statusCode: 201, coldstartTimeMs: expect.any(Number) },
    ]);
  });

  test('is told of the path that leads to it, and believes no caller that', async () => {
    const settings = { runtime: 'custom', entrypoint: ['python', 'echo.py'], port: 8192 };
    const { base } = await running('web', settings, { files: { 'echo.py': echo } });
    const heard = await fetch(`${base}/x`, { headers: { 'X-Forwarded-Prefix': '/evil' } });
    expect(await heard.text()).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ ${new URL(base).pathname}$`));
  });

  test('does not block an asynchronous call', async () => {
    const { call, base, ask, path } = await running('server', custom);
    const { status, json } = await call('messages?async=true', { text: 'later' });
    expect(status).toBe(202);
    await expect.poll(async () => (await ask('GET', `${path}/runs/${json.run_id}`)).json.item.status).toBe('success');
    expect(await (await fetch(`${base}/messages`)).json()).toMatchObject({ messages: [{ text: 'later' }] });
  });

  test('runs on another port if its own is in use', async () => {
    const { port } = await listening();
    const { base } = await running('server', { ...custom, entrypoint: [`python server.py --port=${port}`], port });
    expect((await fetch(`${base}/health`)).status).toBe(200);
  });

  test('prints the configured port, whatever port it was given', async () => {
    const { port } = await listening();
    const { deploy, ask } = await platform({ now: Date.now, real: true });
    const says = `import sys\nport = int(sys.argv[1])\nprint(f"Running on http://127.0.0.1:{port}", flush=True)\n`;
    const code = says + fixed('port', 'ok');
    const entrypoint = ['python', 'own.py', String(port)];
    const { build } = await deploy({ name: 'server', runtime: 'custom', entrypoint, port }, { 'own.py': code });
    const { json } = await ask('GET', `${build}/logs`);
    expect(json.logs.map(({ log }: { log: string }) => log)).toContain(`Running on http://127.0.0.1:${port}`);
  });

  test('names the app of the emulator that has the port that is written in its code', async () => {
    const port = await freePort();
    const settings = { runtime: 'custom', entrypoint: ['python3', '-E', 'fixed.py'], port };
    const { deploy, ask, logOf } = await platform({ now: Date.now, real: true });
    for (const [name, status] of [
      ['one', 'success'],
      ['two', 'init_failure'],
    ] as const) {
      const { build } = await deploy({ name, ...settings }, { 'fixed.py': fixed(port, name) });
      expect((await ask('GET', build)).json.status).toBe(status);
      const log = (await logOf(build)).join('\n');
      expect(log.includes(`app one of this emulator listens on port ${port}`)).toBe(name === 'two');
      if (name === 'two') expect(explainLog(log)?.title).toBe(`app one of this emulator listens on port ${port}`);
    }
  });

  test("gets the query and headers without the platform's own, and the run id", async () => {
    const echo = serverOf(`
    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = json.dumps({"path": self.path, "headers": dict(self.headers), "size": len(body)})
        self.answer(told, 200, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
`);
    const settings = { runtime: 'custom', entrypoint: ['python3', 'echo.py'], port: 8193 };
    const { base } = await running('server', settings, { files: { 'echo.py': echo } });
    const size = 5_000_000;
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const answer = await fetch(`${base}/a%20b/%E9?x=1&async=false&y=%26`, {
      method: 'PUT',
      headers: { 'x-own': 'kept', authorization: 'Basic its-own' },
      body: 'x'.repeat(size),
    });
    const { path, headers, size: got } = (await answer.json()) as { path: string; headers: object; size: number };
    expect([path, got]).toEqual(['/a%20b/%E9?x=1&y=%26', size]);
    expect(warn).not.toHaveBeenCalled();
    expect(headers).toMatchObject({
      'x-own': 'kept',
      authorization: 'Basic its-own',
      'x-request-id': answer.headers.get('x-request-id'),
    });
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('whose process dies cuts a response after what was sent, and each run that it takes along tells why', async () => {
    const dying = serverOf(`
    def do_POST(self):
        if self.path == "/silent":
            os._exit(4)
        self.answer("the beginning", 200, ("Content-Length", "100"))
        os._exit(3)
`);
    const settings = { runtime: 'custom', entrypoint: ['python3', 'dying.py'] };
    const { base, call, runs, printed } = await running('server', settings, { files: { 'dying.py': dying } });
    expect(await untilCut(`${base}/die`)).toBe('the beginning');
    const silent = await call('silent');
    expect([silent.status, silent.json.message]).toEqual([502, 'the app failed: its process ended with exit code 4']);
    const [second, first] = await runs();
    expect([second.functionName, await printed({ runId: second.id })]).toEqual([
      'silent',
      ['error: its process ended with exit code 4'],
    ]);
    expect([first.functionName, await printed({ runId: first.id })]).toEqual([
      'die',
      ['error: its process ended with exit code 3'],
    ]);
  });

  test('that is dying is started again for a call that it never got', async () => {
    const leaving = `
import os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        got = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/leave":
            self.server.shutdown()
            self.server.server_close()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(len(got)).encode())

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever(0.01)
time.sleep(0.2)
os._exit(3)
`;
    const settings = { runtime: 'custom', entrypoint: ['python3', 'leaving.py'] };
    const { call, runs } = await running('server', settings, { files: { 'leaving.py': leaving } });
    expect((await call('leave')).status).toBe(200);
    const { status, text } = await call('after', 'x'.repeat(300_000));
    expect([status, text]).toEqual([200, '300000']);
    expect((await runs())[0]).toMatchObject({ functionName: 'after', status: 'success', statusCode: 200 });
  });

  test('with a fixed port serves until the next one is ready', async () => {
    const [port, signs] = [await freePort(), newFolder()];
    const { deploy, answer, replicas } = await answering(['python', 'own.py'], port);
    await deploy(fixed(port, 'old'));
    const [old] = await replicas();
    const sign = `import os, time\nwhile not os.path.exists("${signs}/go"): time.sleep(0.01)\n`;
    const deployed = deploy(sign + fixed(port, 'new'));
    await expect.poll(async () => (await replicas('PENDING')).length).toBe(1);
    expect([await answer(), await replicas()]).toEqual(['old', [old]]);
    writeFileSync(join(signs, 'go'), '');
    await deployed;
    await expect.poll(answer).toBe('new');
    await expect.poll(async () => (await replicas()).length).toBe(1);
    const kept = await replicas();
    expect(await deploy('raise ValueError\n')).toBe('init_failure');
    expect([await answer(), await replicas()]).toEqual(['new', kept]);
    expect(kept).not.toEqual([old]);
  });

  test('of another language ends for the address of the next one, and comes back if that does not start', async () => {
    const port = await freePort();
    // With -E, Python ignores PYTHONPATH, like servers in other languages.
    const { deploy, answer, replicas } = await answering(['python', '-E', 'own.py'], port);
    for (const text of ['old', 'new']) {
      expect(await deploy(fixed(port, text))).toBe('success');
      await expect.poll(answer).toBe(text);
    }
    await expect.poll(async () => (await replicas()).length).toBe(1);
    const [before = ''] = await replicas();
    const failing = `import socket\nsocket.create_server(("127.0.0.1", ${port}))\nraise ValueError\n`;
    expect(await deploy(failing)).toBe('init_failure');
    await expect.poll(replicas).toEqual([expect.not.stringContaining(before)]);
    expect(await answer()).toBe('new');
  });

  test('that needs a second address can be deployed again: the old process ends, and it is started once more', async () => {
    const { call, deploy, ask } = await running('server', custom);
    const port = await freePort();
    const metrics = (text: string) => `
import socket
metrics = socket.create_server(("127.0.0.1", ${port}), reuse_port=False)
def run():
    return "${text}"
`;
    for (const text of ['old', 'new']) {
      const { build } = await deploy({ name: 'server' }, { 'main.py': metrics(text) });
      expect((await ask('GET', build)).json.status).toBe('success');
      expect((await call('run', {})).json.result).toBe(text);
    }
    const { build } = await deploy({ name: 'server' }, { 'main.py': `${metrics('broken')}raise ValueError\n` });
    expect((await ask('GET', build)).json.status).toBe('init_failure');
    expect((await call('run', {})).json.result).toBe('new');
  });

  test('that listens on another port tells that long before its time is over', async () => {
    const [wanted, port] = [await freePort(), await freePort()];
    const { emulator, deploy, logOf } = await platform({ now: Date.now, real: true });
    const settings = { name: 'server', runtime: 'custom', entrypoint: ['python', 'own.py'], port: wanted };
    void deploy(settings, { 'own.py': fixed(port, 'elsewhere') });
    const log = async () => {
      const [build] = emulator.store.builds.keys();
      return build ? await logOf(`/apps/${emulator.project}-server/builds/${build}`) : [];
    };
    const line = `nothing listens on port ${wanted} yet; the app listens on port ${port}`;
    await expect.poll(log).toContain(line);
    const config = { custom: { port: wanted } } as AppConfig;
    expect(explainLog(line, { source: 'build', config })).toMatchObject({ cause: 'wrong-port', fix: `port = ${port}` });
  });

  test.each([
    [299, 'success'],
    [307, 'success'],
    [400, 'init_timeout'],
  ])('that answers its ready check with %d ends its build with %s', async (ready, expected) => {
    const server = serverOf(`
    def do_GET(self):
        self.answer("", ${ready} if self.path == "/ready" else 200)
`);
    const seconds = expected === 'success' ? 30 : 1;
    const settings = { ...custom, entrypoint: ['python', 'own.py'], deploymentInitializationTimeout: seconds };
    const { ask, build } = await running('server', settings, { files: { 'own.py': server } });
    expect((await ask('GET', build)).json.status).toBe(expected);
  });

  test('ends with the emulator, including its child processes', async () => {
    const { base, emulator, deploy } = await running('server', custom);
    await fetch(`${base}/health`);
    expect(children()).toHaveLength(1);
    await emulator.reset();
    expect(children()).toEqual([]);
    await deploy({ name: 'server', ...custom }, { 'server.py': '', 'main.py': '' });
  });
});

/** An app with a server that keeps a replica: how to deploy its code, what it answers, and which replicas it has. */
async function answering(entrypoint: string[], port: number) {
  const { emulator, deploy, ask } = await platform({ now: Date.now, real: true });
  const settings = { name: 'server', runtime: 'custom', entrypoint, port, minReplicaCount: 1 };
  const below = `/apps/${emulator.project}-server`;
  return {
    async deploy(code: string): Promise<string> {
      const { build } = await deploy(settings, { 'own.py': code });
      return (await ask('GET', build)).json.status;
    },
    answer: async () => (await fetch(`${emulator.url}/v4/${emulator.project}/server/x`)).text(),
    async replicas(state = 'RUNNING'): Promise<string[]> {
      const listed: { containerId: string; containerState: string }[] = (await ask('GET', `${below}/containers`)).json;
      return listed.flatMap(({ containerId, containerState }) => (containerState === state ? containerId : []));
    },
  };
}

/** A server that says this, on a port that is written in its code. */
const fixed = (port: number | string, text: string) =>
  serverOf(
    `
    def do_GET(self):
        self.answer("${text}")
`,
    port,
  );

async function listening(wanted = 0) {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const close = () => new Promise((done) => server.close(done));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, close };
}

/** None of those that the system gives to connections: one of another test could take it while its server starts again. */
async function freePort(): Promise<number> {
  const found = await listening(randomInt(20_000, 30_000)).catch(() => undefined);
  await found?.close();
  return found?.port ?? freePort();
}
