import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { ServedCall } from '../../src/emulator/endpoints/call-observer.ts';
import { platform } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { children, python, running } from './support/running.ts';

const custom = { runtime: 'custom', entrypoint: ['python', 'server.py', '--port', '8765'], port: 8765 };

/** The app `voice`, and functions to talk to it. */
async function voice(settings: object = {}) {
  const served: ServedCall[] = [];
  const app = await running('voice', { ...custom, ...settings }, { onCall: (call) => served.push(call) });
  const address = app.base.replace('http', 'ws');
  return {
    ...app,
    address,
    served,
    open: (options?: WebSocket.ClientOptions) => new WebSocket(`${address}/ws`, options),
  };
}

const source = (name: string) => readFileSync(`fixtures/apps/voice/${name}`, 'utf8');

/** Collects what arrives. `closed` resolves to the close code and reason. */
function listen(socket: WebSocket) {
  const messages: (string | Buffer)[] = [];
  socket.on('message', (data: Buffer, isBinary) => messages.push(isBinary ? data : String(data)));
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)]);
  return { messages, closed };
}

async function started(socket: WebSocket): Promise<WebSocket> {
  await once(socket, 'open');
  socket.send('{"type": "start", "rate": 8000}');
  await once(socket, 'message');
  return socket;
}

describe.skipIf(!python)("a WebSocket of an app's own server (needs python3)", () => {
  test('carries text and audio both ways, its subprotocol, pings and close code, and is a run', async () => {
    const { address, runs } = await voice();
    const socket = new WebSocket(`${address}/ws`, ['video', 'audio.v1']);
    const { messages, closed } = listen(socket);
    await once(socket, 'open');
    expect(socket.protocol).toBe('audio.v1');
    expect(await runs()).toMatchObject([{ websocket: true, functionName: 'ws', method: 'GET', status: 'processing' }]);
    socket.send('{"type": "start", "rate": 8000}');
    const audio = Buffer.from(new Int16Array(100_000).fill(2_000).buffer);
    socket.send(audio);
    socket.ping('still there?');
    expect(String((await once(socket, 'pong'))[0])).toBe('still there?');
    socket.send('{"type": "stop"}');
    expect(await closed).toEqual([1000, 'bye']);
    const half = Buffer.from(new Int16Array(100_000).fill(1_000).buffer);
    const [ready, answer, done] = messages;
    expect([ready, done]).toEqual(['{"type": "ready", "rate": 8000}', '{"type": "done", "seconds": 12.5}']);
    expect(Buffer.isBuffer(answer) && answer.equals(half)).toBe(true);
    await expect.poll(runs).toMatchObject([{ websocket: true, status: 'success', statusCode: 101 }]);
  });

  test('passes on the close code of either side', async () => {
    const { open, printed } = await voice();
    const refused = open();
    const { closed } = listen(refused);
    await once(refused, 'open');
    refused.send('{"type": "hello"}');
    expect(await closed).toEqual([4400, 'start first']);
    const leaving = await started(open());
    leaving.close(4001, 'enough');
    await once(leaving, 'close');
    await expect.poll(printed).toContain('the caller left: closed with 4001');
  });

  test('needs a token if the app is private, and the app does not get it', async () => {
    const { open, emulator } = await voice({ disableAuth: false });
    const status = async (authorization?: string) => {
      const socket = open(authorization === undefined ? {} : { headers: { authorization } });
      const event = Promise.race([
        once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
        once(socket, 'open').then(() => 101),
      ]);
      return event.finally(() => socket.on('error', () => {}).terminate());
    };
    expect(await status()).toBe(401);
    expect(await status('Bearer nonsense')).toBe(401);
    expect(await status(`Bearer ${emulator.token}`)).toBe(101);
  });

  test('gets the answer of a server that refuses it', async () => {
    const { address, runs } = await voice();
    const socket = new WebSocket(`${address}/other`).on('error', () => {});
    const [, response] = await once(socket, 'unexpected-response');
    expect([response.statusCode, response.headers['x-request-id']]).toEqual([404, (await runs())[0].id]);
  });

  test('takes a place of the replica until it closes, and is not cut by a cooldown', async () => {
    const { open, runs, emulator, id } = await voice({ replicaConcurrency: 1, cooldownPeriodSeconds: 0 });
    const first = await started(open());
    const second = open();
    await expect.poll(async () => (await runs())[0].status).toBe('containerQueued');
    expect(children()).toHaveLength(1);
    first.close(1000);
    await once(second, 'open');
    second.terminate();
    await expect.poll(async () => (await runs())[0].statusCode).toBe(-1);
    expect(emulator.store.apps.has(id)).toBe(true);
  });

  test('whose replica dies is closed with 1011, and no other one is said to have failed', async () => {
    const { open, deploy, base, runs, printed, served } = await voice();
    await deploy(
      { name: 'voice', ...custom, entrypoint: ['python', 'dying.py', '--port', '8765'] },
      {
        'dying.py': `import os, server\nserver.talk = lambda socket: (socket.send("soon"), os._exit(3) if socket.receive() == "die" else socket.close(4000))\nserver.main()\n`,
        'server.py': source('server.py'),
        'websocket.py': source('websocket.py'),
      },
    );
    const talked = async (word: string) => {
      const socket = open();
      const { closed } = listen(socket);
      await once(socket, 'message');
      socket.send(word);
      return closed;
    };
    expect(await talked('leave')).toEqual([4000, '']);
    expect(await talked('die')).toEqual([1011, 'the app closed the connection']);
    await expect.poll(() => served).toHaveLength(2);
    const [run, earlier] = await runs();
    expect(run).toMatchObject({ status: 'failure', statusCode: 502 });
    expect(served).toMatchObject([
      { status: 101, isComplete: true, run: earlier.id },
      { status: 101, isComplete: false, run: run.id, runStatus: 502 },
    ]);
    expect(await printed({ runId: run.id })).toEqual(['error: its process ended with exit code 3']);
    expect(await printed({ runId: earlier.id })).toEqual([]);
    expect((await fetch(`${base}/health`)).status).toBe(200);
  });

  test('is closed when its run is canceled', async () => {
    const { open, runs, ask, path } = await voice();
    const socket = await started(open());
    const { closed } = listen(socket);
    await ask('DELETE', `${path}/runs/${(await runs())[0].id}`);
    expect(await closed).toEqual([1011, 'the run was canceled']);
    expect((await runs())[0]).toMatchObject({ status: 'cancelled', statusCode: 0 });
  });

  test('whose client leaves while it waits for a replica is a run that the caller ended', async () => {
    const { open, runs } = await voice({ replicaConcurrency: 1 });
    const first = await started(open());
    const second = open().on('error', () => {});
    await expect.poll(async () => (await runs())[0].status).toBe('containerQueued');
    second.terminate();
    await expect.poll(async () => (await runs())[0].statusCode).toBe(-1);
    first.close(1000);
  });

  test('holds no more than a few buffers for a client that does not read', async () => {
    const { open } = await voice();
    const socket = await started(open());
    socket.pause();
    const chunk = Buffer.alloc(1024 * 1024);
    for (let sent = 0; sent < 64; sent += 1) socket.send(chunk);
    // The app echoes what it gets: when its echo is not read, it stops reading.
    await expect.poll(() => socket.bufferedAmount).toBeGreaterThan(8 * 1024 * 1024);
    socket.terminate();
  });

  test('of a new deploy is one of the new version, and the old one ends', async () => {
    const { open, deploy } = await voice();
    const socket = await started(open());
    const { closed } = listen(socket);
    await deploy(
      { name: 'voice', ...custom },
      { 'server.py': source('server.py'), 'websocket.py': source('websocket.py') },
    );
    const next = await started(open());
    expect((await closed)[0]).toBe(1011);
    next.terminate();
  });
});

describe('a request to open a WebSocket', () => {
  test.each([
    ['of an app of the default runtime', {}, 'functions/run', 400, 'has no WebSockets'],
    ['of an unknown app', {}, 'nothing/ws', 404, 'app nothing not found'],
    ['of a server that cannot run here', custom, 'functions/ws', 501, 'WebSockets are not simulated'],
    ['with an invalid escape', {}, 'functions%ff/ws', 400, 'invalid escape'],
  ])('%s is answered', async (_, settings, below, status, message) => {
    const { emulator } = await running('functions', settings, { real: false });
    const lines = [
      `GET /v4/${emulator.project}/${below} HTTP/1.1`,
      `Host: ${new URL(emulator.url).host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
    ];
    await expect(sendRaw(emulator.url, lines)).toAnswer(status, message);
  });

  test.each(['h2c', 'TLS/1.0', 'websocket'])('a POST that offers %s is an ordinary request', async (protocol) => {
    const { emulator } = await platform();
    const body = '{"clientId": "x"}';
    const lines = [
      'POST /device-authorization HTTP/1.1',
      `Host: ${new URL(emulator.url).host}`,
      'Connection: Upgrade, HTTP2-Settings, close',
      `Upgrade: ${protocol}`,
      'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
      `Content-Length: ${body.length}`,
    ];
    const { status, head } = await sendRaw(emulator.url, lines, body);
    expect([status, head]).toEqual([200, expect.stringContaining('application/json')]);
  });
});
