import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '../src/app/archive.ts';
import { startEmulator } from '../src/emulator/index.ts';
import type { GantryError } from '../src/kernel/errors.ts';
import { type Api, createApi } from '../src/platform/api/client.ts';
import { sendDirectly } from '../src/platform/api/transport.ts';
import { findCredential } from '../src/platform/config/credentials.ts';
import { resolveSettings } from '../src/platform/config/settings.ts';
import { createApp, getApp, listApps } from '../src/platform/contract/apps.ts';
import {
  buildPhase,
  cancelBuild,
  getBuild,
  getBuildLogs,
  getBuildZipContents,
  listBuilds,
} from '../src/platform/contract/builds.ts';
import {
  completeUpload,
  deletePath,
  getDownloadLink,
  initializeUpload,
  listFolder,
} from '../src/platform/contract/volumes.ts';
import { uploadArchive } from '../src/storage/transfer/upload-archive.ts';
import { address } from './support/gantry.ts';

/** A platform to hold against the contract. */
interface Place {
  api: Api;
  project: string;
  close(): Promise<void>;
}

const calm = { signal: new AbortController().signal, onRetry: () => {} };

/** What holds on the emulator must hold on the real platform: nothing here but calls of the contract. */
function conforms(open: () => Promise<Place>): void {
  let place: Place;
  let folder: string;
  const name = `gantry-conformance-${Date.now().toString(36)}`;
  const about = () => ({ project: place.project, app: name });

  beforeAll(async () => {
    [place, folder] = await Promise.all([open(), mkdtemp(join(tmpdir(), 'conformance-'))]);
  });

  afterAll(async () => {
    await Promise.all([place.close(), rm(folder, { recursive: true, force: true })]);
  });

  test('a missing app is not found', async () => {
    const failure = (await place.api(getApp, about()).catch((error) => error)) as GantryError;
    expect([failure.exit, failure.facts.status]).toEqual(['not-found', 404]);
  });

  test('creates, uploads, builds, lists and reads an app', async () => {
    const created = await create(place, name);
    expect(buildPhase(created.status ?? '')).toBe('in progress');
    const text = 'def run():\n    return "ok"\n';
    const entry = { path: 'main.py', size: text.length, executable: false, source: { text } };
    const archive = await writeArchive([entry], join(folder, 'app.zip'));
    await uploadArchive(
      { url: created.uploadUrl, file: archive.path, bytes: archive.bytes, contentType: 'application/zip' },
      {
        ...calm,
        delay: wait,
        silenceMs: 60_000,
        proxy: undefined,
        onProgress: () => {},
        now: Date.now,
        elapsed: () => performance.now(),
      },
    );

    const build = await ended(place, { ...about(), build: created.buildId });
    expect(buildPhase(build.status)).toBe('succeeded');

    const apps = await place.api(listApps, { project: place.project });
    expect(apps.map(({ id }) => id)).toContain(`${place.project}-${name}`);
    expect(await place.api(getApp, about())).toMatchObject({
      id: `${place.project}-${name}`,
      latestBuildId: created.buildId,
      minReplicaCount: 0,
    });
    const builds = await place.api(listBuilds, about());
    expect(builds.map(({ id }) => id)).toContain(created.buildId);
    const { logs } = await place.api(getBuildLogs, { ...about(), build: created.buildId });
    expect(logs?.length).toBeGreaterThan(0);
    const { zipFiles } = await place.api(getBuildZipContents, { ...about(), build: created.buildId });
    expect(JSON.stringify(zipFiles)).toContain('main.py');
  });

  test('a build that waits for its upload can be cancelled', async () => {
    const { buildId } = await create(place, name);
    await place.api(cancelBuild, { ...about(), build: buildId });
    expect((await ended(place, { ...about(), build: buildId })).status).toBe('cancelled');
  });

  test('uploads, lists, reads and removes a file on the volume', async () => {
    const { api, project } = place;
    const at = { project, volume: 'default' };
    const path = `/${name}/hello.txt`;
    const initialized = await api(initializeUpload, { ...at, body: { file_path: path, part_count: 1 } });
    const sent = await fetch(initialized.parts[0]?.url ?? '', { method: 'PUT', body: 'hello' });
    const parts = [{ part_number: 1, etag: sent.headers.get('etag') ?? '' }];
    await api(completeUpload, { ...at, body: { upload_id: initialized.upload_id, file_path: path, parts } });
    const listing = { ...at, query: { dir: `/${name}/` } };
    expect(await api(listFolder, listing)).toMatchObject([{ name: 'hello.txt', is_folder: false, size_bytes: 5 }]);
    const { url } = await api(getDownloadLink, { ...at, query: { file_path: path } });
    expect(await (await fetch(url, { headers: { range: 'bytes=1-3' } })).text()).toBe('ell');
    await api(deletePath, { ...at, query: { file_path: `/${name}/` } });
    expect((await api(listFolder, listing).catch(() => [])) ?? []).toEqual([]);
  });

  test('refuses an invalid body with a message', async () => {
    const failure = (await create(place, '').catch((error) => error)) as GantryError;
    expect(failure.facts.status).toBe(400);
    expect(failure.message).not.toMatch(/HTTP 400/);
  });
}

describe('the emulator keeps the contract', () => {
  conforms(async () => {
    const emulator = await startEmulator({ real: false });
    return { ...opened(address(emulator)), close: () => emulator.close() };
  });
});

// It creates an app for real, which costs next to nothing and must be deleted by hand: only when asked for.
if (process.env.GANTRY_LIVE === '1' && process.env.GANTRY_TOKEN) {
  describe('the platform keeps the contract', { timeout: 20 * 60_000 }, () => {
    conforms(async () => ({ ...opened(process.env), close: async () => {} }));
  });
}

function opened(env: Record<string, string | undefined>): Omit<Place, 'close'> {
  const settings = resolveSettings(env, {});
  const { token, project = '' } = findCredential(env, settings, Date.now(), () => {});
  const api = createApi({
    ...calm,
    delay: wait,
    addresses: settings.addresses,
    token: () => token,
    headers: { 'x-source': 'cli' },
    send: sendDirectly,
    silenceMs: 60_000,
    now: Date.now,
    elapsed: () => performance.now(),
    trace: () => {},
  });
  return { api, project: settings.project.value ?? project };
}

function create({ api, project }: Place, name: string) {
  return api(createApp, { project, body: { name, disableAuth: false, minReplicaCount: 0, compute: ['CPU'] } });
}

/** Looks at a build until it has ended; the emulator's has at the first look. */
async function ended({ api }: Place, build: { project: string; app: string; build: string }) {
  for (;;) {
    const state = await api(getBuild, build);
    if (buildPhase(state.status) !== 'in progress') return state;
    await wait(2_000);
  }
}

function wait(ms: number): Promise<void> {
  return setTimeout(ms);
}
