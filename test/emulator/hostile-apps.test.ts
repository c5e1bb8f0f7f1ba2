import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { forEachLine } from '../../src/emulator/running/processes/process.ts';
import { type Closing, onceForAll } from './support/platform.ts';
import { python, running } from './support/running.ts';

const head = `
import json, os, sys, time

def run():
    return "fine"

def tell(**event):
    os.write(4, json.dumps(event).encode() + b"\\n")
`;

/** Does what it is told. */
const obedient = `
class Done(Exception):
    pass

def answers(run_id, statement):
    try:
        exec(statement, {**globals(), "run_id": run_id})
    except Done:
        return 1
    time.sleep(60)

def streams(run_id, statement):
    yield "first"
    exec(statement, {**globals(), "run_id": run_id})
    time.sleep(60)
`;

/** An emulator with an app that has this code. */
function app(code: string, closing?: Closing) {
  const options = { files: { 'main.py': head + code }, ...(closing && { closing }) };
  return running('functions', { replicaConcurrency: 10 }, options);
}

describe.skipIf(!python)("an app that uses the emulator's file descriptor (needs python3)", () => {
  const shared = onceForAll((closing) => app(obedient, closing));

  test.each([
    ['writes no JSON', 'os.write(4, b"x\\n")', 'wrote to'],
    ['writes half a line', 'os.write(4, b"x"); raise Done', 'wrote to'],
    ['writes an event of no kind', 'tell()', 'wrote to'],
    ['writes an answer without content', 'tell(call=run_id)', 'wrote to'],
    ['writes a status that HTTP does not have', 'tell(call=run_id, answer="{}", status=99999)', 'wrote to'],
    ['closes it', 'os.close(4)', 'closed'],
    ['puts another file in its place', 'os.dup2(os.open(os.devnull, os.O_WRONLY), 4)', 'closed'],
  ])('gets a 500 when it %s, and a new replica', async (_, statement, did) => {
    const { call, printed } = shared();
    const errors = async () => (await printed()).filter((line) => line.startsWith('error: the app')).length;
    const before = await errors();
    await expect(call('answers', { statement })).toAnswer(500, `the app ${did} file descriptor 4`);
    expect(await errors()).toBeGreaterThan(before);
    expect((await call('run')).json.result).toBe('fine');
  });

  test.each([
    ['begins its stream twice', 'tell(call=run_id, begins=True)'],
    ['also sends a response', 'tell(call=run_id, answer="{}")'],
    ['writes items of no kind', 'tell(call=run_id, item={})'],
    ['writes no JSON', 'os.write(4, b"{\\n")'],
    ['closes it', 'os.close(4)'],
  ])('has its stream aborted when it %s', async (_, statement) => {
    const { call, base } = shared();
    const answer = await fetch(`${base}/streams`, { method: 'POST', body: JSON.stringify({ statement }) });
    await expect(answer.text()).rejects.toThrow();
    expect((await call('run')).json.result).toBe('fine');
  });

  test('fails the other calls of its replica, and each gets a reply', async () => {
    const { call } = await app(
      'def waits():\n    time.sleep(60)\n\ndef f():\n    time.sleep(0.3)\n    os.write(4, b"x\\n")\n',
    );
    const replies = await Promise.all([call('waits'), call('f')]);
    expect(replies.map(({ status }) => status)).toEqual([500, 500]);
  });

  test('gets a reply when it closes the descriptor of its commands', async () => {
    const { call } = await app('def f():\n    os.close(3)\n    return 1\n');
    expect([200, 502]).toContain((await call('f')).status);
    expect([200, 502]).toContain((await call('run')).status);
    await expect.poll(async () => (await call('run')).status).toBe(200);
  });

  test('that fails to start because of it says so', async () => {
    const { emulator } = await app('os.write(4, b"x\\n")\ntime.sleep(60)\n');
    const ends = [...emulator.store.builds.values()].map(({ script }) => script.end);
    expect(ends.at(-1)).toEqual({ status: 'init_failure', reason: expect.stringContaining('file descriptor 4') });
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
