import { createHash, createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { emulatorForAll, fixture, gantry, newFolder, type Setting } from '../support/index.ts';

const emulator = emulatorForAll();

/** Runs a command line that succeeds, in the folder of an app. */
async function run(app: string, line: string, setting: Setting = {}): Promise<string> {
  const options = { emulator, cwd: fixture(app), meanwhile: () => setTimeout(20), ...setting };
  const { code, stdout, stderr } = await gantry(line.split(' '), options);
  expect(code, `${line}\n${stderr}`).toBe(0);
  return stdout;
}

async function resultOf(app: string, line: string) {
  return JSON.parse(await run(app, `invoke ${app} ${line}`)).result;
}

/** A request to an app's own server. */
function request(app: string, path: string, options: RequestInit = {}) {
  const headers = { authorization: `Bearer ${emulator.token}` };
  return fetch(`${emulator.url}/v4/${emulator.project}/${app}${path}`, { ...options, headers });
}

const examples: Record<string, () => Promise<void>> = {
  async storage() {
    const folder = newFolder({ 'weights.bin': 'seven'.repeat(1_000) });
    await run('storage', 'cp weights.bin :/models/weights.bin', { cwd: folder });
    const md5 = createHash('md5').update('seven'.repeat(1_000)).digest('hex');
    const checked = { file: 'models/weights.bin', bytes: 5_000, md5 };
    expect(await resultOf('storage', 'md5 file=models/weights.bin')).toEqual(checked);
    expect(await resultOf('storage', 'note text=first')).toEqual({ notes: 1 });
    expect(await run('storage', 'cat :/notes/today.txt')).toBe('first\n');
    expect(await run('storage', 'ls :/ --json=name').then(JSON.parse)).toMatchObject([
      { name: 'models/' },
      { name: 'notes/' },
    ]);
    const program = 'print(open("/persistent-storage/notes/today.txt").read().upper())\n';
    expect(await run('storage', 'run once.py', { cwd: newFolder({ 'once.py': program }) })).toContain('FIRST');
  },

  async secrets() {
    const set = (line: string, value: string) => run('secrets', line, { env: { SIGNING_KEY: value } });
    await set('secrets set SIGNING_KEY --from-env --yes', 'of the project');
    await set('secrets set SIGNING_KEY --app secrets --from-env --yes', 'of the app');
    const signature = createHmac('sha256', 'of the app').update('hello').digest('hex');
    const expected = { signature, signed_by: `${emulator.project}/secrets` };
    expect(await resultOf('secrets', 'sign message=hello')).toEqual(expected);
  },

  async batching() {
    const calls = [1, 2, 3, 4].map((number) => resultOf('batching', `square number:=${number}`));
    expect(await Promise.all(calls)).toEqual([1, 4, 9, 16].map((square) => ({ square, batch: 4 })));
  },

  async functions() {
    expect(await run('functions', 'invoke functions count to:=2 --stream')).toBe('{"number": 0}\n{"number": 1}\n');
    const delivered = await run('functions', 'invoke functions later --await-webhook');
    expect(delivered).toContain('"result":"done"');
  },

  async graceful() {
    const visit = async () => (await request('graceful', '/visits')).json();
    expect([await visit(), await visit()]).toEqual([{ visits: 1 }, { visits: 2 }]);
    await run('graceful', 'deploy');
    // With its first call the new version replaces the old one, which saves its count.
    expect((await request('graceful', '/visits')).status).toBe(200);
    await expect.poll(() => emulator.volume().text('/visits.json')).toBe('{"visits": 2}');
  },

  async asgi() {
    expect(await (await request('asgi', '/hello?name=Ada')).json()).toEqual({ greeting: 'hello Ada' });
    expect(await (await request('asgi', '/echo', { method: 'POST', body: '{"a": [1]}' })).json()).toEqual({
      echo: { a: [1] },
    });
    expect(await (await request('asgi', '/countdown')).text()).toBe('3\n2\n1\nlift-off\n');
    expect((await request('asgi', '/nothing')).status).toBe(404);
  },

  async voice() {
    const { default: WebSocket } = await import('ws');
    const address = `${emulator.url.replace('http', 'ws')}/v4/${emulator.project}/voice/ws`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${emulator.token}` } });
    const messages: string[] = [];
    socket.on('open', () => {
      socket.send('{"type": "start", "rate": 2}');
      socket.send(Buffer.from([4, 0, 8, 0]));
      socket.send('{"type": "stop"}');
    });
    socket.on('message', (data: Buffer, isBinary) => messages.push(data.toString(isBinary ? 'hex' : 'utf8')));
    const code = await new Promise((done) => socket.on('close', done));
    const expected = ['{"type": "ready", "rate": 2}', '02000400', '{"type": "done", "seconds": 1.0}'];
    expect([code, messages]).toEqual([1000, expected]);
    emulator.late.pass();
    expect(await run('voice', 'runs list voice')).toContain('succeeded');
  },
};

describe.skipIf(!python)('an example app (needs python3)', () => {
  test.each(Object.entries(examples))('%s works as described', async (app, use) => {
    await run(app, 'deploy');
    await use();
  });
});
