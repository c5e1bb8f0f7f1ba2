import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EndpointName } from '../../src/platform/contract/index.ts';
import { smallApp } from '../support/app.ts';
import { type Emulator, prompt, startEmulator } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Outcome } from '../support/gantry.ts';
import { expectErrorDocument, expectNoTrace } from '../support/traces.ts';

const limitMs = 3_000;

let emulator: Emulator;
let app: string;
let clock: { now: number };

beforeAll(async () => {
  app = newFolder(smallApp());
});

beforeEach(async () => {
  clock = { now: Date.UTC(2026, 10, 20, 9, 30) };
  emulator = await startEmulator({ ...prompt, real: false, now: () => clock.now });
});

afterEach(async () => {
  vi.useRealTimers();
  await emulator.close();
});

const flags = ['--timeout', '3s', '--json'];

type Stalled = EndpointName | 'upload';

/**
 * Runs a command that may take three seconds, and lets them pass once the endpoint that never replies is called. The time
 * is not real: the result does not depend on how fast the machine is.
 */
async function runStalled(words: string[], stalled: Stalled, cwd = app): Promise<Outcome> {
  emulator.fail(stalled, 'stall*');
  emulator.calls.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let hasEnded = false;
  const ended = gantry(words, { emulator, cwd, clock, io: { silenceMs: 60_000 } }).finally(() => {
    hasEnded = true;
  });
  const isStalled = () => emulator.calls.some(({ endpoint }) => endpoint === stalled);
  while (!hasEnded && !isStalled()) await setImmediate();
  clock.now += limitMs;
  vi.advanceTimersByTime(limitMs);
  const outcome = await ended;
  vi.useRealTimers();
  expectNoTrace(outcome, emulator);
  return outcome;
}

/** The builds that the command created, and whether they were canceled. */
function buildsSince(known: ReadonlySet<string>): string[] {
  const created = [...emulator.store.builds.values()].filter(({ id }) => !known.has(id));
  return created.map(({ cancelledAt }) => (cancelledAt === undefined ? 'left' : 'canceled'));
}

const noBuild: string[] = [];
const notStarted = /error: deploy did not get as far as the build within 3\.0 s/;
const notRolledBack = /error: rollback did not get as far as the build within 3\.0 s/;
const noReplyFrom = (route: string) =>
  new RegExp(`why no reply to ${route}\\n {2}fix to allow more time: gantry .+ --timeout 1m`);
const uploading = /why still uploading\n {2}fix to allow more time: gantry .+ --timeout 1m/;
const inDoubt =
  /why still creating a build of web; the request may have taken effect\n {2}fix gantry builds list web$/m;
const goesOn =
  /error: whether build \S+ of web is still in progress after 3\.0 s is not known\n {2}fix gantry logs web --build \S+ -f/;
const appRoute = 'GET /v2/projects/\\S+/apps/p-\\S+-web';

/** Two builds of the app, so that there is one to return to. */
async function deployTwice(): Promise<void> {
  for (let number = 0; number < 2; number++) {
    clock.now += 60_000;
    writeFileSync(join(app, 'version.txt'), String(number));
    expect((await gantry(['deploy'], { emulator, cwd: app, clock, io: { silenceMs: 60_000 } })).code).toBe(0);
  }
}

type Row = [words: string, stalled: Stalled, exit: number, says: RegExp[], builds: string[]];

describe('--timeout bounds the whole command:', () => {
  test.each<Row>([
    ['deploy', 'getApp', 69, [notStarted, noReplyFrom(appRoute)], noBuild],
    ['deploy --dry-run', 'getApp', 69, [/error: the plan was not ready within 3\.0 s/, noReplyFrom(appRoute)], noBuild],
    ['deploy', 'createApp', 69, [notStarted, inDoubt], noBuild],
    ['deploy --detach', 'upload', 69, [notStarted, uploading, /canceled build/], ['canceled']],
    ['deploy', 'upload', 69, [notStarted, uploading, /canceled build/], ['canceled']],
    ['deploy', 'getBuild', 8, [goesOn], ['left']],
    ['deploy --if-busy fail', 'listBuilds', 69, [notStarted, noReplyFrom(`${appRoute}/builds`)], noBuild],
    ['deploy --if-busy wait', 'listBuilds', 69, [notStarted, noReplyFrom(`${appRoute}/builds`)], noBuild],
  ])('%s without a reply to %s exits with %i', async (words, stalled, exit, says, builds) => {
    const outcome = await runStalled([...words.split(' '), ...flags], stalled);
    expect(outcome.code, outcome.stderr).toBe(exit);
    for (const text of says) expect(outcome.stderr).toMatch(text);
    expectErrorDocument(outcome);
    expect(buildsSince(new Set())).toEqual(builds);
  });

  test.each<Row>([
    ['rollback web -y', 'getApp', 69, [notRolledBack, noReplyFrom(appRoute)], noBuild],
    ['rollback web -y', 'listBuilds', 69, [notRolledBack, noReplyFrom(`${appRoute}/builds`)], noBuild],
    ['rollback web -y', 'createApp', 69, [notRolledBack, inDoubt], noBuild],
    ['rollback web -y', 'upload', 69, [notRolledBack, uploading, /canceled build/], ['canceled']],
    ['rollback web -y', 'getBuild', 8, [goesOn], ['left']],
    [
      'logs web --build -f',
      'getApp',
      69,
      [/error: the status of the latest build of web was not known within 3\.0 s/],
      noBuild,
    ],
    ['logs web --build -f', 'getBuild', 69, [/error: the status of build \S+ of web was not known within/], noBuild],
  ])('%s of an app that exists, without a reply to %s, exits with %i', async (words, stalled, exit, says, builds) => {
    await deployTwice();
    const known = new Set(emulator.store.builds.keys());
    const outcome = await runStalled([...words.split(' '), ...flags], stalled);
    expect(outcome.code, outcome.stderr).toBe(exit);
    for (const text of says) expect(outcome.stderr).toMatch(text);
    expectErrorDocument(outcome);
    expect(buildsSince(known)).toEqual(builds);
  });

  test('logs -f of a build without a reply about the given build exits with 69', async () => {
    await deployTwice();
    const [build = ''] = emulator.store.builds.keys();
    const outcome = await runStalled(['logs', 'web', '--build', build, '-f', ...flags], 'getBuild');
    expect(outcome).toExit(69, `error: the status of build ${build.slice(0, 8)} of web was not known within 3.0 s`);
  });

  test('logs -f of a run without a reply about the given run exits with 69', async () => {
    const run = '11111111-1111-4111-8111-111111111111';
    const outcome = await runStalled(['logs', 'web', '--run', run, '-f', ...flags], 'getRun');
    expect(outcome).toExit(69, `error: the status of run ${run} of web was not known within 3.0 s`);
    expectErrorDocument(outcome);
  });

  test.each<[Stalled, number, RegExp]>([
    ['createRunApp', 69, /error: run did not get as far as starting the program within 3\.0 s/],
    ['startRun', 69, /why still sending .+; the request may have taken effect\n {2}fix gantry runs list web$/m],
    [
      'getRun',
      8,
      /error: whether run \S+ of web is still in progress after 3\.0 s is not known\n {2}fix gantry logs web --run \S+ -f/,
    ],
  ])('run without a reply to %s exits with %i', async (stalled, exit, says) => {
    const outcome = await runStalled(['run', ...flags, 'main.py::run'], stalled);
    expect(outcome.code, outcome.stderr).toBe(exit);
    expect(outcome.stderr).toMatch(says);
    expectErrorDocument(outcome);
  });

  test('run without a reply to getAppLogs has the result of the run', async () => {
    const { code, stderr, json } = await runStalled(['run', ...flags, 'main.py::run'], 'getAppLogs');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('warning: cannot read the log of the run: no reply in time');
    expect(json()).toMatchObject({ status: 'succeeded', logs: [] });
  });

  test('run without a reply to prepareBaseImage does not say that a build continues', async () => {
    const withPackages = newFolder(smallApp('[cerebrium.dependencies.pip]\nnumpy = "latest"\n'));
    const outcome = await runStalled(['run', ...flags, 'main.py::run'], 'prepareBaseImage', withPackages);
    expect(outcome.code, outcome.stderr).toBe(69);
    expect(outcome.stderr).toMatch(
      /error: no reply about the base image for web within .+\n {2}why its build may have/,
    );
    expectErrorDocument(outcome);
  });
});
