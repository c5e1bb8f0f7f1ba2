import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

const app = newFolder(smallApp());
const empty = newFolder();

const emulator = emulatorForAll({ seed: 1 });

const terminal: Setting = { columns: 120, env: { DISPLAY: ':0', NO_COLOR: '1' } };
const page = '/projects/p-12345678/apps/p-12345678-web';

test.each([
  ['the app of this folder', () => app, [], page],
  ['the project, without an app here', () => empty, [], '/projects/p-12345678'],
  ['an app', () => empty, ['transcriber'], '/projects/p-12345678/apps/p-12345678-transcriber'],
])('opens %s', async (_, cwd, words, path) => {
  const { code, stdout, opened } = await gantry(['open', ...words], { emulator, cwd: cwd(), ...terminal });
  expect([code, stdout, opened]).toEqual([0, `${emulator.url}${path}\n`, [`${emulator.url}${path}`]]);
});

test('opens a build of an app', async () => {
  const { json } = await gantry(['apps', 'get', 'web', '--json=latestBuildId'], { emulator });
  const { latestBuildId } = json() as { latestBuildId: string };
  const url = `${emulator.url}${page}/builds/${latestBuildId}`;
  for (const words of [['latest'], ['web', latestBuildId], [latestBuildId.slice(0, 8)]]) {
    const { opened } = await gantry(['open', ...words], { emulator, cwd: app, ...terminal });
    expect(opened).toEqual([url]);
  }
  const elsewhere = await gantry(['open', 'latest'], { emulator, cwd: empty, ...terminal });
  expect([elsewhere.code, elsewhere.opened]).toEqual([2, []]);
});

test.each([['wbe'], ['web', 'b-1']])('opens no page of nothing: %s %s', async (...words) => {
  const { code, stdout, opened } = await gantry(['open', ...words.filter(Boolean)], { emulator, ...terminal });
  expect([code, stdout, opened]).toEqual([6, '', []]);
});

test.each<[string, string[], Setting]>([
  ['--print', ['--print'], terminal],
  ['no terminal', [], {}],
  ['no display', [], { columns: 120, env: { NO_COLOR: '1' } }],
  ['SSH', [], { columns: 120, env: { DISPLAY: ':0', SSH_TTY: '/dev/pts/0' } }],
])('only prints the URL with %s', async (_, words, setting) => {
  const { code, stdout, opened } = await gantry(['open', 'web', ...words], { emulator, ...setting });
  expect([code, stdout, opened]).toEqual([0, `${emulator.url}${page}\n`, []]);
});

test('the page of the emulator that it opens shows the app', async () => {
  const env = { GANTRY_DASHBOARD_URL: emulator.dashboardUrl };
  const { stdout } = await gantry(['open', 'web'], { emulator, env });
  expect(stdout).toMatch(/\/projects\/p-12345678\/apps\/p-12345678-web\?view=/);
  await expect(fetch(stdout.trim())).toAnswer(200, 'web');
});

test('knows the dashboard of the platform', async () => {
  const env = { GANTRY_TOKEN: emulator.token, GANTRY_PROJECT: 'p-1' };
  const { json } = await gantry(['open', 'web', '--json'], { env });
  expect(json()).toEqual({
    url: 'https://dashboard.cerebrium.ai/projects/p-1/apps/p-1-web',
    opened: false,
  });
  expect((await gantry(['open', 'docs', '--print'], { env: {} })).stdout).toBe('https://docs.cerebrium.ai\n');
});
