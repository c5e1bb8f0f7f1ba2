import { describe, expect, test } from 'vitest';
import { checkDrift, type PlanOptions, planDeploy, readDeployedApp } from '../../../src/deploys/send/plan.ts';
import { ConflictError, NotFoundError, UnavailableError } from '../../../src/kernel/errors.ts';
import { check } from '../../app/config-folder.ts';

const app = { id: 'p-1-web', runtime: 'cortex', latestReadyBuildId: 'b-1' };
const entry = (path: string, text: string) => ({ path, size: text.length, source: { text } });

interface Platform {
  /** The deployed app, or why it cannot be read. */
  app: object | Error;
  /** Files of the build, or why they cannot be read. */
  zipFiles?: object | Error;
}

async function plan({ app: deployed, zipFiles = {} }: Platform, options: Partial<PlanOptions> = {}, toml = '') {
  const warnings: string[] = [];
  const asked: unknown[] = [];
  const api = async (_: unknown, parameters: { build?: string }) => {
    const reply = parameters.build === undefined ? deployed : zipFiles;
    if (parameters.build !== undefined) asked.push(parameters.build);
    if (reply instanceof Error) throw reply;
    return parameters.build === undefined ? reply : { zipFiles: reply };
  };
  const context = {
    api,
    project: 'p-1',
    settings: {
      addresses: { management: { value: 'https://here' } },
      folders: { state: '/nonexistent' },
      region: { value: undefined, origin: 'not set' },
      teamState: { value: undefined },
    },
    signal: new AbortController().signal,
    now: () => 0,
    platformNow: () => 0,
    env: {},
    trace() {},
    progress: { warn: (text: string) => void warnings.push(text) },
  };
  const { config } = await check(`[cerebrium.deployment]\nname = "web"\n${toml}`);
  const entries = [entry('main.py', 'hello'), entry('new.py', 'x')];
  const local = { config, entries, bytes: 6 };
  const all = { compares: true, dryRun: true, keepScaling: false, ...options };
  const read = await readDeployedApp(context as never, 'web', all);
  const { plan: found } = await planDeploy(context as never, local as never, read, all);
  return { ...found, said: warnings, asked };
}

describe('a deploy plan', () => {
  test('compares the files with those of the last build that was ready', async () => {
    const found = await plan({ app: { ...app, latestBuildId: 'b-2' }, zipFiles: { 'main.py': 5, 'old.py': 1 } });
    expect(found.fileChanges).toEqual({
      added: ['new.py'],
      changed: [],
      removed: ['old.py'],
      unchanged: 1,
      byCrc32: 0,
      unverified: 1,
    });
    expect([found.asked, found.changed, found.exists]).toEqual([['b-1'], true, true]);
  });

  test('compares with the last build if none was ready', async () => {
    expect((await plan({ app: { ...app, latestReadyBuildId: '', latestBuildId: 'b-2' } })).asked).toEqual(['b-2']);
  });

  test('with a setting that may be the default of the platform has none', async () => {
    const same = { 'main.py': 5, 'new.py': 1 };
    const found = await plan({ app: { ...app, minReplicaCount: 2 }, zipFiles: same });
    expect([found.changed, found.settings]).toEqual([
      false,
      [expect.objectContaining({ byDefault: true, drifted: null })],
    ]);
  });

  test('without a comparison of files has none', async () => {
    const found = await plan({ app }, { compares: false });
    expect([found.fileChanges, found.asked, found.changed]).toEqual([null, [], false]);
  });

  test.each([
    ['build_error', 'build_error'],
    ['building', null],
    ['cancelled', null],
  ])('after a build with status %s names it as failed: %j', async (lastBuildStatus, failedBuild) => {
    const found = await plan({ app: { ...app, lastBuildStatus }, zipFiles: { 'main.py': 5, 'new.py': 1 } });
    expect([found.failedBuild, found.changed]).toEqual([failedBuild, false]);
  });
});

test('files that cannot be read fail a dry run and are a warning for a deploy; a mistake of our own fails both', async () => {
  const refused = new UnavailableError('HTTP 503', { status: 503 });
  await expect(plan({ app, zipFiles: refused })).rejects.toBe(refused);
  const found = await plan({ app, zipFiles: refused }, { dryRun: false });
  const said = [expect.stringContaining('HTTP 503')];
  expect(found).toMatchObject({ exists: true, fileChanges: null, said });
  const mistake = new TypeError('undefined');
  await expect(plan({ app: mistake }, { dryRun: false })).rejects.toBe(mistake);
});

test('a deploy plan has no files to compare with if the platform has no list of them', async () => {
  const found = await plan({ app, zipFiles: new NotFoundError('no list', { status: 404 }) });
  expect([found.fileChanges, found.said]).toEqual([null, []]);
});

test.each([
  ['changed outside of the file', { drifted: true, byDefault: false }, 'warns', 'refused'],
  ['not known to be changed', { drifted: null, byDefault: false }, 'nothing', 'refused'],
  ['perhaps a default of the platform', { drifted: null, byDefault: true }, 'nothing', 'nothing'],
  ['changed in the file', { drifted: false, byDefault: false }, 'nothing', 'nothing'],
])('a setting that is %s', (_, change, usually, withFlag) => {
  const said = (failOnDrift: boolean) => {
    const warnings: string[] = [];
    const progress = { warn: () => warnings.push('warns') };
    const settings = [{ setting: 'scaling.max_replicas', from: 5, to: 4, ...change }];
    try {
      checkDrift({ progress } as never, { app: 'web', settings } as never, failOnDrift);
    } catch (error) {
      expect(error).toBeInstanceOf(ConflictError);
      return 'refused';
    }
    return warnings[0] ?? 'nothing';
  };
  expect([said(false), said(true)]).toEqual([usually, withFlag]);
});
