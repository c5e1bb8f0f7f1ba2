import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DamagedDataError, DataFolderInUseError, startEmulator } from '../../src/emulator/index.ts';
import { gantry } from '../support/gantry.ts';
import { repositoryOf } from '../support/repository.ts';
import { newFolder, platform, speaking } from './support/platform.ts';
import { python } from './support/running.ts';

describe('a data folder', () => {
  test('is locked: a second emulator exits with 7 and names the folder and the process', async () => {
    const data = newFolder();
    const { ask } = await platform({ data });
    await expect(startEmulator({ data })).rejects.toThrow(DataFolderInUseError);
    const { code, stderr } = await gantry(['emulator', 'start', '--port', '0', '--data-dir', data]);
    expect([code, stderr]).toEqual([7, expect.stringContaining(data)]);
    expect(stderr).toContain(`process ${process.pid}`);
    expect((await ask('POST', '/apps', { name: 'web' })).status).toBe(200);
  });

  test('is unlocked when its emulator has stopped or failed to start', async () => {
    const data = newFolder();
    const other = await startEmulator();
    onTestFinished(() => other.close());
    const port = Number(new URL(other.url).port);
    await expect(startEmulator({ data, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    for (let times = 0; times < 2; times += 1) await (await startEmulator({ data })).close();
  });
});

test('git sees no data of the emulator, and the other files of its folder', async () => {
  const { path, git } = repositoryOf({ 'main.py': '' });
  const data = join(path, '.gantry');
  mkdirSync(data);
  writeFileSync(join(data, 'gantry-0.1.0.tgz'), 'of a pipeline');
  const { emulator, deploy } = await platform({ data });
  await deploy();
  emulator.volume().write('/a', 'a');
  const untracked = () => git('status', '--porcelain', '--untracked-files=all');
  expect(untracked()).toBe('?? .gantry/gantry-0.1.0.tgz');
  await emulator.close();
  expect(untracked()).toBe('?? .gantry/gantry-0.1.0.tgz');
  writeFileSync(join(data, '.gitignore'), '*\n');
  await (await startEmulator({ data })).close();
  expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('*\n');
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/**
 * Files and folders at or below a path that other users could read if they may enter its parents. Volumes are for any user
 * of a container: nobody else gets past the folder around them.
 */
function open(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const below = all.filter((name) => !/^storage\/volumes\/[^/]+\//.test(name)).map((name) => join(folder, name));
  return [folder, ...below].filter((path) => (statSync(path).mode & 0o077) !== 0);
}

describe('under umask 000', () => {
  async function used(data?: string) {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const speaking = await platform({ data, now: Date.now, seed: 1 });
    const { emulator, deploy } = speaking;
    emulator.volume().write('/secret.txt', 'mine');
    emulator.store.secrets.set(emulator.project, { KEY: 'abc' });
    emulator.store.save();
    await deploy({}, { 'main.py': 'def run(text=""):\n    print("hello")\n    return len(text)\n' });
    if (python) {
      const body = JSON.stringify({ text: 'x'.repeat(2 << 20) });
      const url = `${emulator.url}/v4/${emulator.project}/web/run`;
      expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    }
    return speaking;
  }

  test('all files of an emulator are private', async () => {
    const data = join(newFolder(), 'data');
    await used(data);
    expect(open(data)).toEqual([]);
  });

  test('makes an empty folder private, but keeps the mode of one with other files', async () => {
    const [empty, project] = [join(newFolder(), 'empty'), join(newFolder(), 'project')];
    for (const folder of [empty, project]) mkdirSync(folder);
    for (const folder of [empty, project]) chmodSync(folder, 0o755);
    writeFileSync(join(project, 'main.py'), '');
    chmodSync(join(project, 'main.py'), 0o644);
    await used(empty);
    expect(open(empty)).toEqual([]);
    await used(project);
    expect(modeOf(project)).toBe('755');
    expect(open(project).sort()).toEqual([project, join(project, 'main.py')]);
  });
});

describe('a damaged state', () => {
  const kept = { runs: {}, replicas: {}, accounts: {}, secrets: {}, volumeSizes: {} };
  const good = { version: 1, projects: ['p-1'], key: 'k', idsGiven: 0, apps: {}, builds: {}, ...kept };
  const app = { id: 'p-1-web', name: 'web', project: 'p-1', createdAt: 1, updatedAt: 1, settings: { name: 'web' } };
  const build = { id: 'b', app: 'p-1-web', createdAt: 1, settings: { name: 'web' }, keyName: 'k', pace: 0 };
  const withApp = (changes: object) => JSON.stringify({ ...good, apps: { web: { ...app, ...changes } } });

  test.each([
    ['{"projects": ["p-', 'it is not valid JSON'],
    ['', 'it is not valid JSON'],
    ['null', 'the document'],
    ['[]', 'version'],
    ['7', 'the document'],
    [JSON.stringify({ ...good, projects: 'p-1' }), 'projects'],
    [JSON.stringify({ ...good, key: '' }), 'key'],
    [JSON.stringify({ ...good, idsGiven: 'many' }), 'idsGiven'],
    [JSON.stringify({ ...good, apps: 'web' }), 'apps'],
    [withApp({ settings: null }), 'apps.web.settings'],
    [withApp({ createdAt: 1e300 }), 'apps.web.createdAt'],
    [withApp({ settings: { name: 'web', compute: 'CPU' } }), 'apps.web.settings.compute'],
    [JSON.stringify({ ...good, builds: { b: build } }), 'builds.b.script'],
    [JSON.stringify({ ...good, runs: { r: {} } }), 'runs.r'],
    [JSON.stringify({ ...good, secrets: { a: 'b' } }), 'secrets.a'],
    [JSON.stringify({ ...good, accounts: { 'p-1': [] } }), 'accounts.p-1'],
    [JSON.stringify({ ...good, version: 99 }), 'was written by a newer version of gantry'],
  ])('%j is refused with its path, the reason and a fix', async (text, reason) => {
    const data = newFolder();
    const file = join(data, 'state.json');
    writeFileSync(file, text);
    const { code, stderr } = await gantry(['emulator', 'start', '--port', '0', '--data-dir', data]);
    expect([code, stderr]).toEqual([10, expect.stringContaining(`${file} cannot be read: `)]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(`mv ${file} ${file}.damaged`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    // The folder is unlocked.
    await expect(startEmulator({ data })).rejects.toThrow(DamagedDataError);
  });

  test('that is a folder is refused as well', async () => {
    const data = newFolder();
    mkdirSync(join(data, 'state.json'));
    expect((await gantry(['emulator', 'start', '--port', '0', '--data-dir', data])).code).toBe(10);
  });
});

test('skips damaged lines of a log', async () => {
  const data = newFolder();
  const first = await startEmulator({ data, real: false });
  const { path } = await speaking(first).deploy();
  const app = `${first.project}-web`;
  for (const text of ['one', 'two']) first.logs.add(app, { container: 'c', stream: 'stdout', text });
  await first.close();
  const file = join(data, 'logs', `${app}.jsonl`);
  const [one = '', two = ''] = readFileSync(file, 'utf8').split('\n');
  const wrong = ['null', '7', '{}', '{"text":', two.replace(/"at":\d+/, '"at":1e300'), two.replace('"two"', '2')];
  writeFileSync(file, [one, ...wrong, two, ''].join('\n'));
  const { ask } = await platform({ data });
  const { status, json } = await ask('GET', `${path}/logs?direction=forward`);
  expect([status, json.logs.map((line: { logLine: string }) => line.logLine)]).toEqual([200, ['one', 'two']]);
});

test('an emulator listens where the last one of its folder did, and one with a copy of the data elsewhere', async () => {
  const data = newFolder();
  const first = await startEmulator({ data });
  await first.close();
  const second = await startEmulator({ data });
  expect(second.url).toBe(first.url);
  const copy = newFolder();
  copyFileSync(join(data, 'state.json'), join(copy, 'state.json'));
  await second.close();
  const other = await startEmulator({ data: copy });
  expect(other.url).not.toBe(first.url);
  await other.close();
});

test('another one may have its port by then', async () => {
  const data = newFolder();
  const first = await startEmulator({ data });
  const port = Number(new URL(first.url).port);
  await first.close();
  const [other, second] = [await startEmulator({ port }), await startEmulator({ data })];
  expect(new Set([first.url, other.url, second.url]).size).toBe(2);
  await Promise.all([other.close(), second.close()]);
});
