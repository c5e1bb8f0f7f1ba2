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

const never = Number.POSITIVE_INFINITY;
const long = { ago: '2020-01-01T00:00:00Z', after: '2120-01-01T00:00:00Z' };
const notLive = expect.not.stringContaining('web is live');
const pending = { error: { details: { build: expect.any(String), status: 'pending', serves: old } } };

test.each<[string, Parameters<typeof deployTo>, code: number, said: unknown[], json?: object]>([
  ['serves once the app shows it', [3, long.ago], 0, ['web is live']],
  [
    'is not live while the one before serves',
    [never, long.ago],
    8,
    [/has succeeded, but the app still/, notLive],
    pending,
  ],
  [
    'is not live if a later one has replaced it',
    [never, long.after],
    0,
    [/build \S+ has succeeded and was replaced: build b0000000 of web serves/, notLive],
    { status: 'succeeded', serves: old },
  ],
  [
    'is not verified if a later one has replaced it',
    [never, long.after, '--smoke', 'run'],
    7,
    ['was replaced before it was watched to the end: build b0000000 serves now'],
  ],
])('a build that has succeeded %s', async (_, deployed, code, said, json = {}) => {
  const outcome = await deployTo(...deployed);
  expect(outcome).toExit(code, ...(said as string[]));
  expect(outcome.json()).toMatchObject(json);
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

test('a token that expires while a build is watched ends the watch, and the message says what is deployed', async () => {
  let [isUp, isWatched] = [false, false];
  const env = await altering(emulator, (_, path, json) => {
    isWatched ||= isUp && path.endsWith('/containers');
    isUp ||= /\/builds\/[^/]+$/.test(path) && (json as { status: string }).status === 'success';
    return isWatched ? { status: 401, body: { message: 'token expired' } } : undefined;
  });
  const outcome = await gantry(['deploy', '--watch', '10s'], { emulator, cwd: newFolder(smallApp()), env });
  const [build] = emulator.store.getAppBuilds(`${emulator.project}-web`);
  expect(outcome).toExit(4, `why build ${build?.id.slice(0, 8)} of web is deployed`);
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
