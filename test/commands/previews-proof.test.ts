import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';
import { type Answering, inFrontOf } from '../support/in-front-of.ts';
import { withGit } from '../support/machine.ts';
import { repositoryOf } from '../support/repository.ts';

let app: ReturnType<typeof repositoryOf>;
let env: Record<string, string>;
/** What the platform answers instead. */
let answering: Answering | undefined;
/** This machine, and another one. */
let [here, there] = ['', ''];
const dayMs = 86_400_000;
/** Since the test began, for all machines and the platform, in ms. */
let passed = 0;

const emulator = emulatorForEach({ real: false, now: () => Date.now() + passed });

beforeEach(async () => {
  passed = 0;
  const onBranch = ['checkout -q -b work', 'commit -q --allow-empty -m mine'];
  app = repositoryOf(smallApp(), 'git@github.test:org/shop.git', onBranch);
  [answering, here, there] = [undefined, newFolder(), newFolder()];
  env = await inFrontOf(emulator, async (call, pass) => answering?.(call, pass));
});

const team = { GANTRY_TEAM_STATE: 'default:/.gantry' };

function run(home: string, words: string[], { env: more = {}, ...setting }: Setting = {}) {
  return gantry(words, {
    emulator,
    cwd: app.path,
    env: { ...withGit, ...env, GANTRY_CONFIG_DIR: home, ...more },
    ...setting,
  });
}

async function preview(home: string, flags: string[] = [], more?: Setting) {
  const { code, stderr, json } = await run(home, ['deploy', '--preview', '--json', ...flags], more);
  expect(code, stderr).toBe(0);
  return (json() as { app: string }).app;
}

function merge(branch = 'work') {
  app.git('checkout', '-q', '-f', 'main');
  app.git('merge', '-q', '--no-ff', '-m', 'merge', branch);
}

async function prune(home: string, flags: string[], more?: Setting) {
  const done = await run(home, ['apps', 'prune', '--confirm', 'shop', '--json', ...flags], more);
  return { ...done, left: emulator.store.apps.size };
}

/** So many days later. */
function later(days: number, more: Setting = {}): Setting {
  passed = days * dayMs;
  return { clock: { jumps: () => passed }, ...more };
}

test('a preview that others may have deployed stays: where nobody can know, and where it is renewed meanwhile', async () => {
  const name = await preview(here, ['--ttl', '1d'], { env: team });
  await preview(there, ['--ttl', '1d'], { env: team });
  merge();
  answering = ({ route }) => (route.includes('/volumes/') ? { status: 403, body: '{"message":"no"}' } : undefined);
  for (const flag of ['--expired', '--merged']) {
    const { code, stderr, left } = await prune(here, [flag], later(2, { env: team }));
    expect([code, left]).toEqual([1, 1]);
    expect(stderr).toContain('error: not known which previews are still needed');
    expect(stderr).toContain('fix gantry ls default:/.gantry');
  }
  app.git('checkout', '-q', 'work');
  let isRenewed = false;
  answering = async ({ route }, pass) => {
    if (!route.endsWith('/builds') || isRenewed) return undefined;
    isRenewed = true;
    await preview(there, ['--if-changed', '--ttl', '7d'], later(2, { env: team }));
    return pass();
  };
  const { code, stderr, left } = await prune(here, ['--expired'], later(2, { env: team }));
  expect([code, left, isRenewed]).toEqual([0, 1, true]);
  expect(stderr).toContain(`${name} was deployed, renewed or deleted meanwhile: skipped`);
});

test('a deploy that is not on record here may have another time to live, and other files', async () => {
  const name = await preview(here, ['--ttl', '1d']);
  await preview(there, ['--ttl', '30d']);
  merge();
  for (const flag of ['--expired', '--merged']) {
    const { json, stderr, left } = await prune(here, [flag], later(2));
    expect([json(), left]).toEqual([[], 1]);
    expect(stderr).toMatch(new RegExp(`skipped ${name}: build \\S+ is not on record: another machine has deployed it`));
  }
});

test('a time to live also counts from the beginning of the deploy on record, whatever the platform shows', async () => {
  await preview(here, ['--ttl', '1d']);
  await preview(here, ['--ttl', '1d']);
  const longAgo = '2020-01-01T00:00:00.000Z';
  answering = async ({ route }, pass) => {
    const answer = await pass();
    if (!route.startsWith('GET') || !route.endsWith('/apps')) return answer;
    const apps = (JSON.parse(answer.body) as object[]).map((each) => ({ ...each, updatedAt: longAgo }));
    return { ...answer, body: JSON.stringify(apps) };
  };
  expect((await prune(here, ['--expired'], later(0.9))).left).toBe(1);
});

test.each(
  Object.entries<() => Promise<unknown> | unknown>({
    'not in git': () => writeFile(join(app.path, 'new.py'), 'x = 1\n'),
    'ignored by git': async () => {
      app.git('config', 'core.excludesFile', join(app.path, '.git/ignored'));
      await writeFile(join(app.path, '.git/ignored'), 'new.py\n');
      await writeFile(join(app.path, 'new.py'), 'x = 1\n');
    },
    'changed where git does not look': async () => {
      app.git('update-index', '--assume-unchanged', 'main.py');
      await writeFile(join(app.path, 'main.py'), 'def run():\n    return 2\n');
    },
  }),
)('a preview with a file that is %s is not merged', async (_, change) => {
  await change();
  await preview(here);
  merge();
  expect(await prune(here, ['--merged'])).toMatchObject({ stdout: '[]\n', left: 1 });
});

test('the commit that was deployed decides, also with a detached HEAD and on other machines', async () => {
  app.git('checkout', '-q', '--detach');
  app.git('commit', '-q', '--allow-empty', '-m', 'later');
  await preview(here, [], { env: { ...team, GITHUB_HEAD_REF: 'work' } });
  const deployed = app.git('rev-parse', 'HEAD');
  merge();
  for (const home of [here, there]) {
    expect(await prune(home, ['--merged'], { env: team })).toMatchObject({ stdout: '[]\n', left: 1 });
  }
  merge(deployed);
  expect((await prune(there, ['--merged'], { env: team })).left).toBe(0);
});

test('where nobody knows what was deployed, --merged proves nothing, and --branch says it', async () => {
  await preview(here);
  merge();
  expect((await prune(there, ['--merged'])).left).toBe(1);
  expect((await prune(there, ['--branch', 'work'])).left).toBe(0);
});

test('a failed deploy of what is merged leaves the live build, whose files are not', async () => {
  await writeFile(join(app.path, 'new.py'), 'x = 1\n');
  const name = await preview(here);
  app.git('clean', '-q', '-f');
  let second = '';
  answering = async ({ route }, pass) => {
    const answer = await pass();
    if (/^POST .*\/apps$/.test(route)) second = (JSON.parse(answer.body) as { buildId: string }).buildId;
    if (second === '' || !route.startsWith('GET')) return answer;
    if (route.endsWith(`/builds/${second}`)) return { ...answer, body: JSON.stringify({ status: 'build_failure' }) };
    return answer;
  };
  expect((await run(here, ['deploy', '--preview'])).code).toBe(11);
  const first = [...emulator.store.builds.keys()].find((id) => id !== second);
  answering = async ({ route }, pass) => {
    const answer = await pass();
    if (!route.startsWith('GET') || !route.endsWith(`/apps/${emulator.project}-${name}`)) return answer;
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), latestReadyBuildId: first }) };
  };
  merge();
  const { stderr, left } = await prune(here, ['--merged']);
  const why = new RegExp(`skipped ${name}: build ${first?.slice(0, 8)} has files that main does not have`);
  expect([left, stderr]).toEqual([1, expect.stringMatching(why)]);
});
