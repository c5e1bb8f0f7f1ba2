import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorEnvironment } from '../../src/cli/flags/emulator.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { OfficialClient } from '../support/official-client/client.ts';
import { decodeJson } from '../support/official-client/go-json.ts';
import { tar } from '../support/tar.ts';
import { python } from './support/running.ts';
import { zip } from './support/zip.ts';

let client: OfficialClient;

const emulator = emulatorForAll({ seed: 1 });

beforeAll(async () => {
  client = new OfficialClient({ env: emulatorEnvironment(emulator), pause: realPause });
});

const web = () => `${emulator.project}-web`;

describe('the official client', () => {
  test('logs in although it polls every 500 ms, then uses and renews its own token', async () => {
    const { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: _, ...env } = emulatorEnvironment(emulator);
    let polls = 0;
    let page = '';
    const person = new OfficialClient({ env, pause: async () => ++polls === 3 && approve(page) });
    await person.login((url) => {
      page = url;
    });
    expect([polls, person.stored.project]).toEqual([3, emulator.project]);
    expect((await person.appsList()).map(({ id }) => id)).toContain(web());
    person.stored.accessToken = `a.${Buffer.from('{"exp":1}').toString('base64url')}.c`;
    expect(await person.projectsList()).toHaveLength(1);
  });

  test('is slowed down only by a fault, which ends its login', async () => {
    emulator.fail('requestToken', 'slow_down');
    await expect(client.login(() => {})).rejects.toThrow('token request failed (400)');
  });

  test('gets every address from the environment', () => {
    expect(emulatorEnvironment(emulator)).toMatchObject({
      CEREBRIUM_ENV: 'local',
      REST_API_URL: emulator.url,
      AUTH_URL: `${emulator.url}/oauth2/token`,
      LOGSTREAM_URL: emulator.url.replace('http', 'ws'),
    });
  });

  test('lists and selects projects', async () => {
    expect(await client.projectsList()).toEqual([{ id: emulator.project, name: expect.any(String) }]);
    expect(client.project).toBe(emulator.project);
  });

  test('lists, gets, scales and deletes apps', async () => {
    const names = (await client.appsList()).map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining([web(), `${emulator.project}-transcriber`]));
    const before = await client.appsGet(web());
    expect(before).toMatchObject({ hardware: 'ADA_L4', cpu: '4', maxReplicaCount: '4', status: 'ready' });
    await client.appsScale(web(), { cooldownPeriodSeconds: 45, minReplicaCount: 0, maxReplicaCount: 6 });
    expect(await client.appsGet(web())).toMatchObject({ maxReplicaCount: '6', cooldownPeriodSeconds: '45' });
    await client.deploy({ name: 'gone' }, zip({ 'main.py': 'def run(): ...\n' }));
    await client.appsDelete(`${emulator.project}-gone`);
    await expect(client.appsGet(`${emulator.project}-gone`)).rejects.toThrow('API error (404): app');
  });

  test('lists containers, also while they run', async () => {
    await client.appsScale(web(), { minReplicaCount: 1, maxReplicaCount: 6 });
    const states = async () => (await client.containersList(web())).map(({ containerState }) => containerState);
    await expect.poll(states).toContain('RUNNING');
  });

  test('lists runs, of which some are asynchronous and some in progress', async () => {
    const runs = await client.runsList(`${emulator.project}-transcriber`);
    expect(runs).toHaveLength(100);
    expect(new Set(runs.map(({ status }) => status))).toContain('processing');
    expect((await client.runsList(`${emulator.project}-transcriber`, true)).every((run) => run.async)).toBe(true);
  });

  test('shows the peaks of resource metrics, by app and by container', async () => {
    const end = Date.now();
    const query = { start: new Date(end - 86_400_000).toISOString(), end: new Date(end).toISOString() };
    const { cpu, memory, gpu } = await client.metricsResources(web(), query);
    expect(cpu.series.map(({ name }) => name)).toEqual(['P50', 'P90', 'Max']);
    for (const { series } of [cpu, memory, gpu]) {
      const peak = Math.max(...series.flatMap(({ data }) => data.map((value) => value ?? 0)));
      expect(peak).toBeGreaterThan(0);
    }
    const [{ containerId: container_id } = { containerId: '' }] = await client.containersList(web());
    const one = await client.metricsResources(web(), { ...query, container_id, resolution: 'high' });
    expect(one.cpu.series).toHaveLength(1);
  });

  test('deploys, with the log of the build and an address to call', async () => {
    const app = await client.deploy({ name: 'fresh' }, zip({ 'main.py': 'def run(): return 1\n' }));
    expect(app).toMatchObject({ status: 'success', internalEndpoint: `${emulator.url}/v4/${emulator.project}/fresh` });
    expect(app.lines.length).toBeGreaterThan(0);
    const voice = await client.deploy({ name: 'voice', runtime: 'deepgram' }, Buffer.alloc(0));
    expect(voice.status).toBe('success');
  });

  test('cancels the build of a deploy that is interrupted', async () => {
    emulator.fail('build', 'slow');
    const stopped = new Error('stopped');
    const interrupted = new OfficialClient({
      env: emulatorEnvironment(emulator),
      pause: () => Promise.reject(stopped),
    });
    await expect(interrupted.deploy({ name: 'stopped', runtime: 'deepgram' }, Buffer.alloc(0))).rejects.toBe(stopped);
    const [build] = emulator.store.getAppBuilds(`${emulator.project}-stopped`);
    await client.cancelBuild('stopped', build?.id ?? '');
    expect(build?.cancelledAt).toBeDefined();
  });

  test('shows logs, or none', async () => {
    emulator.logs.add(`${emulator.project}-fresh`, { container: 'fresh-1', stream: 'stdout', text: 'hello' });
    emulator.late.pass();
    expect(await client.logs(`${emulator.project}-fresh`)).toMatchObject([{ logLine: 'hello' }]);
    expect(await client.logs(`${emulator.project}-voice`)).toEqual([]);
  });

  test.skipIf(!python)('runs a file once and follows its log (needs python3)', async () => {
    const source = 'print("begin")\nprint("the end")\n';
    const { status, lines } = await client.run('job', {
      filename: 'main.py',
      tar: tar('main.py', source),
      lastLine: 'the end',
      pip: { requests: 'latest' },
    });
    expect([status, lines]).toEqual(['success', ['begin', 'the end']]);
  });

  test.skipIf(!python)('stops waiting for a file that fails (needs python3)', async () => {
    const source = 'print("the end")\nraise SystemExit(3)\n';
    const program = { filename: 'main.py', tar: tar('main.py', source), lastLine: 'the end' };
    expect(await client.run('job', program)).toMatchObject({ status: 'failed' });
  });

  test('copies files to a volume, lists, downloads and removes them', async () => {
    const bytes = Buffer.alloc(6 * 1024 * 1024, 'model');
    await client.cp('/models/a.bin', bytes);
    await client.cp('/empty', Buffer.alloc(0));
    expect(await client.ls('/')).toMatchObject([{ is_folder: true }, { name: 'empty', size_bytes: 0 }]);
    expect(await client.ls('/models')).toMatchObject([{ name: 'a.bin', size_bytes: bytes.length }]);
    expect((await client.download('/models/a.bin')).equals(bytes)).toBe(true);
    await client.rm('/models/');
    expect((await client.ls('/')).map(({ name }) => name)).toEqual(['empty']);
  });

  test('lists and adds secrets of the project and of an app', async () => {
    expect(await client.secretsList()).toEqual({});
    await client.secretsAdd({ A: '1' });
    await client.secretsAdd({ B: '2' });
    await client.secretsAdd({ C: '3' }, web());
    expect([await client.secretsList(), await client.secretsList(web())]).toEqual([{ A: '1', B: '2' }, { C: '3' }]);
  });
});

describe('its reader of JSON', () => {
  test.each([
    ['time', '""'],
    ['time', '"2026-11-20 10:00:00"'],
    ['int', '"1"'],
    ['int', '1.5'],
    ['string', '1'],
    ['bool', '"true"'],
  ] as const)('rejects a %s that is %s, as Go does', (type, text) => {
    expect(() => decodeJson(type, text)).toThrow('json: cannot unmarshal');
  });

  test('takes null as absent, and names in any case', () => {
    const type = { struct: { at: 'time', Count: 'int' } } as const;
    expect(decodeJson(type, '{"AT": null, "count": 2, "more": []}')).toEqual({ at: null, Count: 2 });
  });
});

/** Presses Approve on the page that the client opened. */
async function approve(page: string): Promise<void> {
  const body = new URLSearchParams({
    user_code: new URL(page).searchParams.get('user_code') ?? '',
    secret: emulator.approvalSecret,
  });
  const { status } = await fetch(new URL('/activate', page), { method: 'POST', body });
  expect(status).toBe(200);
}

/** Between polls of what this machine does meanwhile. */
function realPause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 20));
}
