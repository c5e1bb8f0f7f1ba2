import { expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

const old = 'b0000000-0000-4000-8000-000000000000';

/** Deploys to an app that shows an older or a later build as the one that serves, for so many looks. */
async function deployTo(looks: number, createdAt: string, ...flags: string[]) {
  let isBuilt = false;
  const env = await altering(emulator, (method, path, json) => {
    if (method === 'POST' && path.endsWith('/apps')) isBuilt = true;
    if (method === 'GET' && path.endsWith('-web') && isBuilt && looks-- > 0)
      return { body: { ...(json as object), latestBuildId: old, latestReadyBuildId: old } };
    if (method === 'GET' && path.endsWith('/builds') && Array.isArray(json))
      return { body: [...[json].flat(), { id: old, status: 'success', createdAt }] };
    return undefined;
  });
  return await gantry(['deploy', '--json', ...flags], { emulator, cwd: newFolder(smallApp()), env });
}

test('a build that has succeeded serves once the app shows it', async () => {
  expect(await deployTo(3, '2020-01-01T00:00:00Z')).toExit(0, 'web is live');
});

test('a build that has succeeded while the one before still serves is not live', async () => {
  const { code, stderr, json } = await deployTo(Number.POSITIVE_INFINITY, '2020-01-01T00:00:00Z');
  expect(code).toBe(8);
  expect(stderr).toMatch(/error: build \S+ of web has succeeded, but the app still shows build b0000000/);
  expect(stderr).not.toContain('web is live');
  expect(json()).toMatchObject({ error: { details: { build: expect.any(String), status: 'pending', serves: old } } });
});

test('a build that a later one has replaced is not called live', async () => {
  const { code, stderr, json } = await deployTo(Number.POSITIVE_INFINITY, '2120-01-01T00:00:00Z');
  expect([code, json()]).toEqual([0, expect.objectContaining({ status: 'succeeded', serves: old })]);
  expect(stderr).toMatch(/build \S+ has succeeded and was replaced: build b0000000 of web serves/);
  expect(stderr).not.toContain('web is live');
});

test('a build that a later one has replaced is not verified', async () => {
  const outcome = await deployTo(Number.POSITIVE_INFINITY, '2120-01-01T00:00:00Z', '--smoke', 'run');
  expect(outcome).toExit(7, 'was replaced before it was watched to the end: build b0000000 serves now');
});

test('a build is not called live if the app showed the one before, and then nothing', async () => {
  let isBuilt = false;
  let looks = 0;
  const env = await altering(emulator, (method, path, json) => {
    if (method === 'POST' && path.endsWith('/apps')) isBuilt = true;
    if (!isBuilt || method !== 'GET' || !/-web(\/builds)?$/.test(path)) return undefined;
    if (path.endsWith('-web') && looks++ === 0) return { body: { ...(json as object), latestReadyBuildId: old } };
    return { status: 500, body: { message: 'no' } };
  });
  const { code, json } = await gantry(['deploy', '--json'], { emulator, cwd: newFolder(smallApp()), env });
  expect([code, json()]).toMatchObject([8, { error: { details: { status: 'pending', serves: old } } }]);
});

test('a deploy that changes nothing names the dashboard, on another machine of the team too', async () => {
  const app = newFolder(smallApp());
  const deployOn = async (home: string) => {
    const env = { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: 'default:/.gantry' };
    const { json } = await gantry(['deploy', '--if-changed', '--json'], { emulator, cwd: app, env });
    return json() as { dashboard: string; changed: boolean };
  };
  const { dashboard } = await deployOn(newFolder());
  expect(dashboard).toMatch(/^http/);
  expect(await deployOn(newFolder())).toMatchObject({ changed: false, dashboard });
});
