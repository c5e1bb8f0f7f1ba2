import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { newFolder, platform } from './support/platform.ts';
import { python, running } from './support/running.ts';

/** What the owner asks of an emulator, as the commands do. */
async function control({ url, approvalSecret }: Emulator, action: string, parameters: object = {}) {
  const body = JSON.stringify({ secret: approvalSecret, ...parameters });
  const reply = await fetch(`${url}/emulator/${action}`, { method: 'POST', body });
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
}

const newSnapshot = () => join(newFolder(), 'snapshot');

/** An emulator that is closed after the test. */
async function started(options: Parameters<typeof startEmulator>[0]) {
  const emulator = await startEmulator({ real: false, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

test.each([[undefined], ['data']])(
  'what was changed since is undone, in memory and in a data folder (%s)',
  async (name) => {
    const data = name && join(newFolder(), name);
    const { emulator, ask, deploy } = await platform({ seed: 1, data });
    const { path } = await deploy({ name: 'mine' }, { 'main.py': 'def run(): ...' });
    const build = (await ask('GET', `${path}/builds`)).json[0].id;
    const files = async () => Object.keys((await ask('GET', `${path}/builds/${build}/zip-contents`)).json.zipFiles);
    emulator.volume().write('/kept/a.txt', 'before');
    emulator.store.secrets.set(emulator.project, { KEY: 'before' });
    emulator.logs.add(`${emulator.project}-mine`, { container: 'c', stream: 'stdout', text: 'before' });
    const folder = newSnapshot();
    const saved = await control(emulator, 'save', { folder });
    expect(saved).toEqual({
      status: 200,
      json: { apps: ['mine', 'nightly-report', 'run-3f2a91', 'transcriber', 'web'] },
    });

    const listed = await files();
    await ask('DELETE', path);
    await deploy({ name: 'other' }, { 'main.py': 'def run(): ...' });
    emulator.volume().write('/kept/a.txt', 'after');
    emulator.volume().write('/new.txt', 'new');
    emulator.store.secrets.set(emulator.project, { KEY: 'after' });
    emulator.fail('getApp', '503*');

    expect((await control(emulator, 'restore', { folder })).json).toEqual(saved.json);
    expect(await files()).toEqual(listed);
    expect((await ask('GET', '/apps')).json.map(({ name }: { name: string }) => name)).not.toContain('other');
    expect((await ask('GET', path)).status).toBe(200);
    expect([emulator.volume().paths(), emulator.volume().text('/kept/a.txt')]).toEqual([['/kept/a.txt'], 'before']);
    expect(emulator.store.secrets.get(emulator.project)).toEqual({ KEY: 'before' });
    expect(emulator.logs.getLines(`${emulator.project}-mine`).map(({ text }) => text)).toEqual(['before']);
    const again = await deploy({ name: 'again' }, { 'main.py': 'def run(): ...' });
    expect((await ask('GET', again.build)).json.status).toBe('success');
    // Clients remember builds by id.
    expect(emulator.store.newId()).not.toBe(build);
  },
);

test('a snapshot is a data folder, which an emulator can start with', async () => {
  const first = await platform({ seed: 1 });
  first.emulator.volume('eu-north-1').write('/a.txt', 'here');
  const folder = newSnapshot();
  await control(first.emulator, 'save', { folder });
  const names = ({ store }: Emulator) => [...store.apps.keys()];
  const copy = join(newFolder(), 'copy');
  cpSync(folder, copy, { recursive: true });
  for (const data of [folder, copy]) {
    const emulator = await started({ data });
    expect(names(emulator)).toEqual(names(first.emulator));
    expect(emulator.volume('eu-north-1').text('/a.txt')).toBe('here');
    emulator.volume('eu-north-1').write('/a.txt', 'changed');
    await emulator.close();
  }
});

test('a folder that is not a snapshot, or a damaged one, changes nothing', async () => {
  const { emulator } = await platform({ seed: 1 });
  const folder = newSnapshot();
  await control(emulator, 'save', { folder });
  const states = { 'snapshot.json': '{"advancedMs":-1}', 'state.json': '{' };
  for (const [name, content] of Object.entries(states)) {
    const before = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), content);
    await expect(control(emulator, 'restore', { folder })).toAnswer(409, name);
    writeFileSync(join(folder, name), before);
  }
  expect((await control(emulator, 'restore', { folder: newFolder() })).status).toBe(409);
  expect((await control(emulator, 'save', { folder })).status).toBe(409);
  expect(emulator.store.apps.size).toBe(4);
});

test('the clock is advanced, and goes back with a snapshot', async () => {
  const start = Date.parse('2026-11-20T09:30:00Z');
  const emulator = await started({ now: () => start });
  const folder = newSnapshot();
  await control(emulator, 'advance', { ms: 60_000 });
  await control(emulator, 'save', { folder });
  expect((await control(emulator, 'advance', { ms: 3_600_000 })).json).toEqual({ now: '2026-11-20T10:31:00.000Z' });
  expect((await control(emulator, 'advance', { ms: 365 * 86_400_000 })).status).toBe(400);
  expect((await control(emulator, 'advance', { ms: -1 })).status).toBe(400);
  await control(emulator, 'restore', { folder });
  expect((await control(emulator, 'advance', { ms: 0 })).json).toEqual({ now: '2026-11-20T09:31:00.000Z' });
});

test('faults are added and replaced while it runs', async () => {
  const { emulator, ask } = await platform();
  const status = async () => (await ask('GET', '/apps')).status;
  await control(emulator, 'fail', { faults: ['listApps=503', 'listApps=429'] });
  expect(await status()).toBe(503);
  await control(emulator, 'fail', { faults: ['listApps=500'], replace: true });
  expect([await status(), await status()]).toEqual([500, 200]);
  await expect(control(emulator, 'fail', { faults: ['nothing=503'] })).toAnswer(400, 'targets: ');
});

test('only the owner controls it', async () => {
  const emulator = await started({});
  for (const action of ['stop', 'fail', 'advance', 'save', 'restore', 'webhooks']) {
    expect((await control({ ...emulator, approvalSecret: 'guess' }, action)).status).toBe(403);
  }
  expect((await control(emulator, 'constructor')).status).toBe(404);
});

test.skipIf(!python)(
  'a running app ends with its state, and starts again when it is called (needs python3)',
  async () => {
    const app = await running();
    const { emulator, call } = app;
    await app.call('run', { name: 'Ada' });
    const folder = newSnapshot();
    await control(emulator, 'save', { folder });
    const first = (await call('run', { name: 'Ada' })).json.result.process;
    const slow = call('sleeps', { seconds: 60 });
    await control(emulator, 'restore', { folder });
    expect((await slow).status).toBe(503);
    expect((await call('run', { name: 'Ada' })).json.result.process).not.toBe(first);
    const runs = (await app.runs()).map(({ functionName, coldstartTimeMs }: Record<string, unknown>) => [
      functionName,
      Number(coldstartTimeMs) > 0,
    ]);
    expect(runs).toEqual([
      ['run', true],
      ['run', false],
    ]);
  },
);
