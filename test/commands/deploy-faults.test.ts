import { beforeAll, describe, expect, test } from 'vitest';
import { faults as faultNames } from '../../src/emulator/index.ts';
import { smallApp } from '../support/app.ts';
import { emulatorForEach, testLateMs } from '../support/emulators.ts';
import { half } from '../support/extent.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Outcome, type Setting } from '../support/gantry.ts';
import { expectErrorDocument, expectNoTrace } from '../support/traces.ts';

type Target = 'getApp' | 'createApp' | 'upload' | 'getBuild' | 'getBuildLogs' | 'cancelBuild' | 'build';

/** What the emulator must have seen: the number of requests, and the status of the builds. */
type Seen = Partial<Record<Target, number> & { builds: number; cancelled: number }>;

type Expected = [exit: number, says: RegExp | string, seen?: Seen, setting?: Setting];
type Case = [target: Target, faults: string, ...Expected];

/** The same with each of these faults. */
const each = (target: Target, faults: string, ...expected: Expected): Case[] =>
  faults.split(' ').map((fault) => [target, fault, ...expected]);

/** What becomes of a deploy by these faults. */
function cases(rows: Case[], settingOf: (faults: string) => Setting = () => ({})): void {
  test.each(half(rows))('%s=%s ends with exit %i and says %s', (target, faults, exit, says, seen, setting) =>
    check(target, faults, exit, says, seen, setting ?? settingOf(faults)),
  );
}

let app: string;

beforeAll(async () => {
  app = newFolder(smallApp());
});

const emulator = emulatorForEach({ real: false });

const retried = /retrying in .+ \(2 of 5\)/;
const retriedToTheEnd = /\(5 of 5\)/;

describe('reading the deployed app (getApp)', () => {
  const nothingDone = { createApp: 0, builds: 0 };
  const refused = { getApp: 1, ...nothingDone };
  const gaveUp = { getApp: 5, ...nothingDone };
  /** The deploy continues without the comparison. */
  const wentOn = { getApp: 1, createApp: 1, upload: 1, builds: 1, cancelled: 0 };
  const wentOnAtLast = { ...wentOn, getApp: 5 };
  const warned = /warning: cannot read the deployed app, deploying without a comparison: /;
  const carriedOn = { getApp: 2, createApp: 1, upload: 1, builds: 1, cancelled: 0 };

  cases([
    ['getApp', '400', 0, warned, wentOn],
    ['getApp', '401', 4, /fix gantry login, or set GANTRY_TOKEN/, refused],
    ['getApp', '403', 0, 'web is live', { ...carriedOn, getApp: 1 }],
    ['getApp', '429*', 75, retriedToTheEnd, gaveUp],
    ['getApp', '429:3600', 75, 'error: Too Many Requests', refused],
    ['getApp', 'reset-before*', 69, /error: the connection to .* failed: connection reset/, gaveUp],
    ['getApp', 'stall*', 69, /error: .*no data for [\d.]+ s/, gaveUp],
    ['getApp', 'html*', 0, warned, wentOnAtLast],
    ['getApp', '503,reset-during,429:1,stall', 0, retriedToTheEnd, { ...carriedOn, getApp: 5 }],
  ]);

  test.each<Case>([
    ['getApp', 'malformed', 0, retried, carriedOn],
    ['getApp', 'malformed*', 0, warned, wentOnAtLast],
    ['getApp', 'empty*', 0, warned, wentOnAtLast],
  ])('%s=%s for an app that exists ends with exit %i and says %s', async (target, faults, exit, says, seen) => {
    await gantry(['deploy'], { emulator, cwd: app });
    const builds = emulator.store.builds.size + 1;
    emulator.calls.length = 0;
    await check(target, faults, exit, says, { ...seen, builds });
  });

  test.each(['403', '500*', 'malformed*'])('a dry run fails without it (%s)', async (fault) => {
    await gantry(['deploy'], { emulator, cwd: app });
    emulator.fail('getApp', fault);
    const outcome = await gantry(['deploy', '--dry-run', '--json'], { emulator, cwd: app });
    expect(outcome.code).toBe(fault === '403' ? 5 : 69);
    expectErrorDocument(outcome);
  });
});

describe('creating a build (createApp)', () => {
  const refused = { createApp: 1, upload: 0, builds: 0 };
  const inDoubt = { createApp: 2, upload: 0, cancelled: 0 };
  const carriedOn = { createApp: 2, upload: 1, builds: 1, cancelled: 0 };
  const gaveUp = { createApp: 5, upload: 0, builds: 0 };
  /** The reply was lost, and with it the upload URL. Then so was that of the second build. */
  const settled = { createApp: 2, upload: 1, builds: 2, cancelled: 0 };
  const lostTwice = { ...inDoubt, builds: 2 };
  const lost = /a build of web may have been created that gets no upload\n {2}why the platform's reply was lost/;
  /** The build may exist: the error says so, with a command to check. */
  const looksInto = /why .*the request may have taken effect.*\n {2}fix gantry builds list web/s;

  cases([
    ['createApp', '400', 1, 'error: Bad Request', refused],
    ['createApp', '401', 4, /fix gantry login, or set GANTRY_TOKEN/, refused],
    ['createApp', '402', 14, 'error: Payment Required', refused],
    ['createApp', '403', 5, 'error: Forbidden', refused],
    ['createApp', '409', 7, 'error: Conflict', refused],
    // Refused: the platform did nothing, so the request is retried.
    ['createApp', '429*', 75, retriedToTheEnd, gaveUp],
    ['createApp', '503:date+1*', 69, retriedToTheEnd, gaveUp],
    // Unknown outcome: another build is created, once. One that gets no upload never starts.
    ...each('createApp', '500 reset-before', 0, lost, carriedOn),
    ['createApp', '500*', 69, looksInto, inDoubt],
    ...each('createApp', 'reset-after truncated malformed', 0, lost, settled),
    ['createApp', 'reset-after*', 69, looksInto, lostTwice],
    ['createApp', '429,503:1,500', 0, lost, { ...carriedOn, createApp: 4 }],
  ]);
});

describe('the upload', () => {
  /** Whether the build has started, and whether it is canceled. */
  const refused = { upload: 1, createApp: 1, builds: 1, cancelled: 1, getBuild: 2 };
  const gaveUp = { upload: 5, createApp: 1, builds: 1, cancelled: 1 };
  const carriedOn = { upload: 2, createApp: 1, builds: 1, cancelled: 0 };
  const once = { upload: 1, createApp: 1, builds: 1, cancelled: 0 };

  cases([
    ['upload', '400', 1, /the storage rejected the upload \(HTTP 400, BadRequest: Bad Request\)/, refused],
    ...each('upload', '408 500 reset-during reset-after', 0, retried, carriedOn),
    ['upload', '429*', 75, retriedToTheEnd, gaveUp],
    ['upload', '429:2', 0, /retrying in 2\.0 s/, carriedOn],
    ['upload', '503*', 69, /error: the storage returned an error \(HTTP 503/, gaveUp],
    ['upload', 'reset-during*', 69, /error: the connection to .* failed: connection reset/, gaveUp],
    ['upload', 'stall-during', 0, /no data for [\d.]+ s; retrying/, carriedOn],
    ['upload', 'slow-down', 0, /the storage returned an error.*SlowDown.*; retrying/, carriedOn],
    ...each('upload', 'slow no-etag wrong-etag', 0, 'web is live', once),
    // Success with any headers: the ETag is an MD5 only in some storages.
    ['upload', 'malformed', 0, 'web is live', once],
    // Expired URL: one new build, and the first is canceled.
    [
      'upload',
      'expired',
      0,
      /has expired; creating a new build/,
      { ...carriedOn, createApp: 2, builds: 2, cancelled: 1 },
    ],
    [
      'upload',
      'expired,expired',
      1,
      /error: the upload URL has expired/,
      { upload: 2, createApp: 2, builds: 2, cancelled: 2 },
    ],
    ['upload', '503,expired,reset-during', 0, 'web is live', { upload: 4, createApp: 2, builds: 2, cancelled: 1 }],
  ]);

  test('is no failure if every reply is lost, and the build has started', async () => {
    const seen = { upload: 5, createApp: 1, builds: 1, cancelBuild: 0 };
    await check('upload', 'reset-after*', 0, /Uploaded: the reply was lost, but the build has started/, seen);
  });

  test('after an expired URL uploads to a second build, and cancels the first', async () => {
    emulator.fail('upload', 'expired');
    const { json } = await gantry(['deploy', '--json'], { emulator, cwd: app });
    const asked = emulator.calls
      .map(({ endpoint }) => endpoint)
      .filter((name) => !/^listApps$|Secrets$/.test(name ?? ''));
    const order = asked.filter((name, index) => name !== asked[index - 1]);
    expect(order.slice(order.indexOf('createApp')).slice(0, 7)).toEqual([
      'createApp',
      'upload',
      'getBuild',
      'cancelBuild',
      'getBuild',
      'createApp',
      'upload',
    ]);
    const [second, first] = emulator.store.getAppBuilds(`${emulator.project}-web`);
    expect(first?.cancelledAt).toBeDefined();
    expect(json()).toMatchObject({ build: second?.id, status: 'succeeded' });
  });

  test('never sends the token to the storage', async () => {
    emulator.fail('upload', 503, 'reset-during', 'expired');
    await gantry(['deploy'], { emulator, cwd: app });
    const uploads = emulator.calls.filter(({ endpoint }) => endpoint === 'upload');
    expect(uploads.map(({ hasAuthorization }) => hasAuthorization)).toEqual([false, false, false, false]);
  });
});

describe('polling the build (getBuild)', () => {
  /** The build continues: the error says how to follow it, and it is not canceled. */
  const goesOn = /fix gantry logs web --build \S+ -f/;
  const left = { upload: 1, builds: 1, cancelled: 0, cancelBuild: 0 };
  const stopped = { ...left, getBuild: 1 };
  const carriedOn = { ...left, getBuild: 2 };

  cases(
    [
      ['getBuild', '400', 1, goesOn, stopped],
      ['getBuild', '401', 4, /fix gantry login, or set GANTRY_TOKEN/, stopped],
      ...each('getBuild', '403 404 malformed', 0, 'web is live', carriedOn),
      ['getBuild', '403*', 5, goesOn, left],
      ['getBuild', '404*', 6, /fix gantry builds list web\n/, left],
      ['getBuild', '409', 7, goesOn, stopped],
      ...each('getBuild', 'malformed* 429* 500*', 8, goesOn, left),
      // A Retry-After of an hour is not waited for.
      ['getBuild', '429:3600*', 75, goesOn, stopped],
      ['getBuild', '429:2', 0, /retrying in 2\.0 s/, carriedOn],
      ...each('getBuild', '500 reset-after', 0, retried, carriedOn),
      // Six in a row exceed the retries of one poll, which is not a result.
      ['getBuild', '503,503,503,503,503,503', 0, 'web is live', { ...left, getBuild: 7 }],
    ],
    (faults) => (faults.endsWith('*') ? hurried() : {}),
  );
});

describe('the log of the build (getBuildLogs) does not decide the result:', () => {
  const fine = { upload: 1, builds: 1, cancelled: 0, getBuild: 1 };
  const warned = /warning: cannot read the build log: /;

  cases([
    ...each('getBuildLogs', '400 401 429* malformed*', 0, warned, fine),
    ...each('getBuildLogs', '429 reset-after malformed', 0, retried, fine),
    ['getBuildLogs', 'null*', 0, 'web is live', fine],
  ]);

  test('obeys Retry-After for the log', async () => {
    emulator.fail('build', 'slow');
    emulator.fail('getBuildLogs', '429:240*');
    const { code, waits } = await gantry(['deploy', '--timeout', '5m'], { emulator, cwd: app });
    expect([code, waits]).toEqual([8, expect.arrayContaining([240_000])]);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'getBuildLogs').length).toBeLessThanOrEqual(4);
  });
});

test('an app that is deleted while its build runs ends the deploy within seconds', async () => {
  emulator.fail('build', 'slow');
  const meanwhile = async () => {
    const asked = emulator.calls.map(({ endpoint }) => endpoint);
    if (!asked.includes('getBuild') || asked.includes('deleteApp')) return;
    await gantry(['apps', 'delete', 'web', '--confirm', 'web'], { emulator });
  };
  const setting: Setting = { emulator, cwd: app, meanwhile };
  const { code, waits, json } = await gantry(['deploy', '--json'], setting);
  const why = expect.stringMatching(/^build \S+ of web was there before: it or its app was deleted meanwhile$/);
  expect({ code, json: json() }).toMatchObject({ code: 6, json: { error: { why, fix: 'gantry apps list' } } });
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(20_000);
});

describe('Ctrl-C while the build runs, and the cancellation (cancelBuild)', () => {
  const cancelled = { builds: 1, cancelled: 1 };
  const notCancelled = { builds: 1, cancelled: 0 };
  const says = /warning: build \S+ could not be canceled: .*\n {2}fix gantry builds cancel web \S+/;

  test.each<Case>([
    ...each('cancelBuild', '400 409', 130, says, { ...notCancelled, cancelBuild: 1 }),
    ['cancelBuild', '429*', 130, says, { ...notCancelled, cancelBuild: 5 }],
    ...each('cancelBuild', '404 500', 130, /canceled build/, { ...cancelled, cancelBuild: 2 }),
    ['cancelBuild', 'malformed', 130, /canceled build/, cancelled],
    // The first request took effect, so the second one is refused.
    ['cancelBuild', 'reset-after', 130, /canceled build/, { ...cancelled, cancelBuild: 2 }],
  ])('%s=%s ends with exit %i and says %s', async (target, faults, exit, message, seen) => {
    emulator.fail('build', 'slow');
    await check(target, faults, exit, message, seen, { stop: /Uploaded/ });
  });

  test('SIGTERM does the same and exits with 143', async () => {
    emulator.fail('build', 'slow');
    const setting = { emulator, cwd: app, stop: { at: /Uploaded/, signal: 'SIGTERM' as const } };
    expect(await gantry(['deploy'], setting)).toExit(143, 'canceled build');
  });

  test('ends a stalled upload at once', async () => {
    emulator.fail('upload', 'stall*');
    const setting = { emulator, cwd: app, stop: /Created build/, io: { silenceMs: 600_000 } };
    const outcome = await gantry(['deploy'], setting);
    expect(outcome).toExit(130, /canceling build \S+ of web/);
    expectNoTrace(outcome, emulator);
    expect(seenOf({ builds: 1, cancelled: 1 })).toEqual({ builds: 1, cancelled: 1 });
  });

  test('creates nothing if pressed before', async () => {
    const outcome = await gantry(['deploy'], { emulator, cwd: app, stop: /Packed/ });
    expect(outcome.code).toBe(130);
    expectNoTrace(outcome, emulator);
    expect(seenOf({ builds: 0, createApp: 0 })).toEqual({ builds: 0, createApp: 0 });
  });
});

describe('the build', () => {
  const ended = { upload: 1, builds: 1, cancelled: 0, cancelBuild: 0 };

  cases([
    [
      'build',
      'build_failure',
      11,
      /error: build \S+ of web failed \(build_failure\)\n {2}why pip install failed/,
      ended,
    ],
    ['build', 'build_failure', 11, /log gantry explain web \S+/, ended],
    ['build', 'init_failure', 12, /error: web was built but did not start \(init_failure\)/, ended],
    ['build', 'init_timeout', 12, /error: web was built but did not start \(init_timeout\)/, ended],
    [
      'build',
      'slow',
      8,
      /error: build \S+ of web is still in progress after 1h\n {2}fix gantry logs web --build/,
      ended,
      hurried(),
    ],
    ['build', 'unknown-status', 0, 'web is live', { ...ended, getBuild: 2 }],
    ['build', 'hostile-log', 0, 'web is live', ended],
    ['build', 'build_failure*', 11, 'pip install failed', ended],
  ]);

  test('succeeds in the next deploy after a failure', async () => {
    emulator.fail('build', 'build_failure');
    expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBe(11);
    expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBe(0);
  });

  test.each([
    ['in a pipe', {}],
    ['on a terminal with colour', { columns: 80, env: { FORCE_COLOR: '1' } }],
    ['on GitHub', { env: { GITHUB_ACTIONS: 'true' } }],
    ['on GitHub with colour', { env: { GITHUB_ACTIONS: 'true', FORCE_COLOR: '1' } }],
  ])('sanitizes a hostile log %s', async (_, setting: Setting) => {
    emulator.fail('build', 'hostile-log', 'hostile-log');
    const followed = await gantry(['deploy'], { emulator, cwd: app, ...setting });
    const printed = await gantry(['logs', 'web', '--build'], { emulator, cwd: app, ...setting });
    for (const said of [followed.stderr, printed.stdout]) {
      expect(said).toContain('click me');
      expect(said).toContain('txt.exe');
      if (setting.env?.GITHUB_ACTIONS) expect(said).not.toMatch(/^\s*::/m);
      const animated = setting.columns ? said.replaceAll(animation, '') : said;
      expect(animated.replace(/\u001b\[[\d;]*m/g, '')).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
      );
    }
    expect(followed.code).toBe(0);
  });
});

test('the table of faults contains every fault of a deploy', () => {
  const met = ['any endpoint, upload, part, object', 'upload, part, object', 'upload, part', 'build'] as const;
  const known = new Set(met.flatMap((targets) => Object.keys(faultNames[targets])));
  for (const each of known) if (each === 'none' || /^\d/.test(each)) known.delete(each);
  expect([...known].sort()).toEqual([...covered].sort());
});

/** The faults that this file tests. Add new ones here. */
const covered = new Set([
  ...['reset-before', 'reset-during', 'reset-after', 'stall', 'truncated', 'malformed', 'empty', 'null', 'html'],
  ...['expired', 'slow-down', 'slow', 'stall-during', 'wrong-etag', 'no-etag'],
  ...['build_failure', 'init_failure', 'init_timeout', 'slow', 'unknown-status', 'hostile-log'],
]);

/** The control sequences of an animated step. */
const animation = /\u001b\[\?(?:25|2026)[lh]|\u001b\[\d*[KGA]/g;

/** A clock on which each wait takes a minute longer: an hour of polls is 60 requests instead of 3,600. */
function hurried(): Setting {
  const clock = { now: Date.now() };
  const meanwhile = () => {
    clock.now += 60_000;
  };
  return { clock, meanwhile };
}

/** Deploys the small app with these faults, and with `--json` to check its document. */
async function check(
  target: Target,
  faults: string,
  exit: number,
  says: RegExp | string,
  seen: Seen = {},
  setting: Setting = {},
): Promise<void> {
  emulator.fail(target, ...faults.split(','));
  // Only for stalls: on a busy machine any reply may take longer.
  const impatience = faults.includes('stall') ? { io: { silenceMs: faults.includes('*') ? 500 : 1_000 } } : {};
  const outcome = await gantry(['deploy', '--json'], { emulator, cwd: app, ...impatience, ...setting });
  expect(outcome.stderr).toMatch(says);
  expect(outcome.code, outcome.stderr).toBe(exit);
  expectOneDocument(outcome);
  expectNoTrace(outcome, emulator);
  expect(seenOf(seen)).toEqual(seen);
}

function expectOneDocument(outcome: Outcome): void {
  if (outcome.code === 0) expect(outcome.json()).toMatchObject({ app: 'web', status: 'succeeded' });
  else expectErrorDocument(outcome);
}

function seenOf(wanted: Seen): Seen {
  const builds = [...emulator.store.builds.values()];
  const counts: Record<string, number> = {
    builds: builds.length,
    cancelled: builds.filter(({ cancelledAt }) => cancelledAt !== undefined).length,
  };
  for (const { endpoint } of emulator.calls) {
    // What is read after the deploy is for its history.
    const isLook = endpoint === 'getApp' && counts.createApp;
    if (endpoint && !isLook) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  }
  const isExact = (name: string) => testLateMs === 0 || !/^get/.test(name);
  const shown = ([name, number]: [string, number]) => {
    const count = counts[name] ?? 0;
    // What is not known yet is asked for again: no more is created or sent.
    return [name, isExact(name) ? count : Math.min(count, number)];
  };
  return Object.fromEntries(Object.entries(wanted).map(shown));
}
