import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { forEachLine } from '../../src/emulator/running/processes/process.ts';
import { python, running } from './support/running.ts';

const head = `
import json, os, sys, time

def run():
    return "fine"

def tell(**event):
    os.write(4, json.dumps(event).encode() + b"\\n")
`;

/** An emulator with an app that has this code. */
function app(code: string) {
  return running('functions', { replicaConcurrency: 10 }, { files: { 'main.py': head + code } });
}

describe.skipIf(!python)("an app that uses the emulator's file descriptor (needs python3)", () => {
  test.each([
    ['prints to it', 'os.write(4, b"x\\n")', 200],
    ['writes an event of no kind', 'tell()', 200],
    ['writes a status that HTTP does not have', 'tell(call=run_id, answer="{}", status=99999)', 200],
    ['closes it', 'os.close(4)', 502],
  ])('gets a reply when it %s, and serves on', async (_, statement, status) => {
    const { call } = await app(`def f(run_id):\n    ${statement}\n    return 1\n`);
    expect((await call('f')).status).toBe(status);
    expect((await call('run')).json.result).toBe('fine');
  });

  test('gets a reply when it closes the descriptor of its commands', async () => {
    const { call } = await app('def f():\n    os.close(3)\n    return 1\n');
    expect([200, 502]).toContain((await call('f')).status);
    expect([200, 502]).toContain((await call('run')).status);
    await expect.poll(async () => (await call('run')).status).toBe(200);
  });
});

describe.skipIf(!python)('an app (needs python3)', () => {
  test('whose error has no text gets a reply', async () => {
    const { call } = await app(
      'class Odd(Exception):\n    def __str__(self):\n        raise ValueError()\n\ndef f():\n    raise Odd()\n',
    );
    const { status, json } = await call('f');
    expect([status, json.message]).toEqual([500, 'Odd']);
  });

  test('that raises the exception of a canceled call gets a reply', async () => {
    const { call } = await app('def f():\n    from cortex_call import Cancelled\n    raise Cancelled()\n');
    const { status, json } = await call('f');
    expect([status, json.message]).toEqual([500, expect.any(String)]);
  });

  test('that prints without line ends has its text split in the log', async () => {
    const { call, printed } = await app('def f():\n    os.write(1, b"x" * 1000000)\n    os.write(1, b"y\\nlast\\n")\n');
    await call('f');
    await expect.poll(async () => (await printed()).at(-1)).toBe('last');
    const lines = (await printed()).slice(0, -1).filter((line) => line !== 'loading');
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join('')).toBe(`${'x'.repeat(1_000_000)}y`);
  });

  test('that ends while another process keeps its output open gets a reply', async () => {
    const { call } = await app(
      'def f():\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(8)\n        os._exit(0)\n    time.sleep(0.2)\n    os._exit(3)\n',
    );
    await expect(call('f')).toAnswer(502, 'exit code 3');
  });

  test('with a server that upgrades the protocol gets a reply', async () => {
    const server = `
import os, socket
server = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
while True:
    client, _ = server.accept()
    client.recv(65536)
    client.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nConnection: upgrade\\r\\nUpgrade: x\\r\\n\\r\\n")
    client.close()
`;
    const settings = { name: 'server', runtime: 'custom', entrypoint: ['python', 'own.py'], port: 8194 };
    const { ask, call, deploy } = await running('server', settings, { files: { 'own.py': server } });
    expect((await call('x')).status).toBe(502);
    const checked = { ...settings, readycheckEndpoint: '/ready', deploymentInitializationTimeout: 1 };
    const { build } = await deploy(checked, { 'own.py': server });
    expect((await ask('GET', build)).json.status).toBe('init_timeout');
  });
});

test.each([
  [['a\nb\n'], ['a', 'b']],
  [
    ['a\r', '\nb\r'],
    ['a', 'b'],
  ],
  [['a\rb\r\nc'], ['a', 'b', 'c']],
  [
    ['\r0%\r', '\r9%', '\r\r\n\r\n'],
    ['0%', '9%', ''],
  ],
  [['\n\n'], ['', '']],
  [
    ['1234', '5678', '9\nx'],
    ['12345678', '9', 'x'],
  ],
  [
    ['12345678', '\n', 'x\n'],
    ['12345678', 'x'],
  ],
  [[Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)], ['é']],
  [[], []],
])('lines of %j are %j, within the limit', async (chunks, lines) => {
  const stream = new PassThrough();
  const heard: string[] = [];
  forEachLine(stream, 8, (line) => heard.push(line));
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise(setImmediate);
  }
  stream.end();
  await new Promise((done) => stream.once('end', done));
  expect(heard).toEqual(lines);
});
