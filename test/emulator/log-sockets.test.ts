import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { platform } from './support/platform.ts';

/** An app with log lines, and a function that collects a socket's lines and its close code. */
async function listening(pace = 0) {
  const speaking = await platform({ pace });
  const { emulator, deploy } = speaking;
  const { id: build } = await deploy();
  const app = `${emulator.project}-web`;
  const print = (text: string, more: object = {}) =>
    emulator.logs.add(app, { container: 'web-1', stream: 'stdout', text, ...more });
  const listen = (path: string, query: Record<string, string> = {}) => {
    const given = { projectID: emulator.project, token: emulator.token, appID: app, buildID: build, ...query };
    const socket = new WebSocket(`${emulator.url.replace('http', 'ws')}${path}?${new URLSearchParams(given)}`);
    onTestFinished(() => socket.terminate());
    const frames: Record<string, unknown>[] = [];
    let closed: number | string | undefined;
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.on('close', (code) => {
      closed ??= code;
    });
    socket.on('error', (error) => {
      closed = error.message;
    });
    return {
      socket,
      frames,
      logs: () => frames.map(({ log }) => log),
      /** The close code, or why there was no socket. */
      end: () => closed,
    };
  };
  return { ...speaking, app, build, print, listen };
}

describe("an app's socket", () => {
  test('sends existing and new lines', async () => {
    const { print, listen, app } = await listening();
    print('one', { run: 'r-1' });
    const { frames, logs } = listen('/ws-logs');
    await expect.poll(logs).toEqual(['one']);
    print('two');
    await expect.poll(logs).toEqual(['one', 'two']);
    expect(frames[0]).toEqual({
      app_id: app,
      run_id: 'r-1',
      container_name: 'web-1',
      log: 'one',
      timestamp: '2026-11-20T09:30:00.000000000Z',
    });
  });

  test.each([
    [{ runID: 'r-1' }, ['one', 'three']],
    [{ containerID: 'web-2' }, ['two', 'three']],
    [{ runID: 'r-1', containerID: 'web-2' }, ['three']],
    [{ after: '2026-11-20T09:30:01Z' }, ['two', 'three']],
    [{ runID: '', containerID: '', after: '' }, ['one', 'two', 'three']],
  ])('with %j sends only matching lines', async (query, texts) => {
    const { print, listen, clock } = await listening();
    print('one', { run: 'r-1' });
    clock.now += 1_000;
    print('two', { container: 'web-2' });
    const { logs } = listen('/ws-logs', query);
    await expect.poll(logs).toEqual(texts.filter((text) => text !== 'three'));
    await new Promise((done) => setTimeout(done, 20));
    print('three', { run: 'r-1', container: 'web-2' });
    await expect.poll(logs).toEqual(texts);
  });

  test.each([
    ['/ws-logs', { token: 'nonsense' }, 401],
    ['/ws-logs', { token: '' }, 401],
    ['/ws-logs', { projectID: 'p-other123' }, 404],
    ['/ws-logs', { after: 'yesterday' }, 400],
    ['/ws-logs', { appID: 'p-12345678-nothing' }, 404],
    ['/ws-build-logs', { buildID: 'nothing' }, 404],
    ['/ws-else', {}, 404],
  ])('%s with %j is refused with %i', async (path, query, status) => {
    const { listen } = await listening();
    await expect.poll(listen(path, query).end).toBe(`Unexpected server response: ${status}`);
  });

  test('does not record tokens', async () => {
    const { print, listen, emulator } = await listening();
    print('one');
    await expect.poll(listen('/ws-logs').logs).toEqual(['one']);
    expect(emulator.calls.at(-1)).toMatchObject({ path: '/ws-logs', endpoint: 'log-socket', status: 101 });
    expect(JSON.stringify(emulator.calls)).not.toContain(emulator.token);
  });

  test.each([
    ['refused', [], 'Unexpected server response: 503'],
    ['cut-after-two', ['one', 'two'], 1006],
    ['repeating', ['one', 'one', 'two', 'two', 'three', 'three'], undefined],
    ['silent', [], undefined],
  ])('can be %s', async (fault, texts, end) => {
    const { print, listen, emulator } = await listening();
    emulator.fail('log-socket', fault);
    for (const text of ['one', 'two', 'three']) print(text);
    const hurt = listen('/ws-logs');
    await expect.poll(hurt.logs).toEqual(texts);
    await expect.poll(hurt.end).toBe(end);
    await expect.poll(listen('/ws-logs').logs).toEqual(['one', 'two', 'three']);
  });

  test('ends with the emulator', async () => {
    const { listen, emulator, print } = await listening();
    print('one');
    const { end, logs } = listen('/ws-logs');
    await expect.poll(logs).toEqual(['one']);
    await emulator.close();
    await expect.poll(end).toBe(1006);
  });
});

describe("a build's socket", () => {
  test('sends the log and closes when the build has ended', async () => {
    const { listen, build, app, logOf } = await listening();
    const { frames, logs, end } = listen('/ws-build-logs');
    await expect.poll(end).toBe(1000);
    expect(logs()).toEqual(await logOf(`/apps/${app}/builds/${build}`));
    expect(frames[0]).toMatchObject({ build_id: build, app_id: app, log_id: `${build}-1`, log_line_number: 1 });
  });

  test('sends new lines while the build runs', async () => {
    const { listen, clock } = await listening(1_000);
    const { logs, end } = listen('/ws-build-logs');
    await expect.poll(() => logs().length).toBeGreaterThan(0);
    const before = logs().length;
    clock.now += 60_000;
    await expect.poll(end).toBe(1000);
    expect(logs().length).toBeGreaterThan(before);
  });
});
