import { beforeEach, describe, expect, test } from 'vitest';
import { empty } from '../support/account.ts';
import {
  type Answer,
  type Answering,
  deployWeb,
  emulatorForEach,
  gantry,
  inFrontOf,
  newFolder,
  record,
  type Setting,
  smallApp,
} from '../support/index.ts';

const emulator = emulatorForEach({ real: false });
/** That is in progress, of a line that names it. */
let build: string;
let front: Record<string, string>;

/** What lines can change. */
beforeEach(async () => {
  build = '';
  await deployWeb(emulator);
  emulator.volume().write('/t/a', 'x');
  emulator.store.secrets.set(emulator.project, { OTHER: 'other' });
  empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'ci', grants: ['p-1'] }] });
});

async function run(line: string, answering: Answering, setting: Setting = {}) {
  if (line.includes('r-1')) record(emulator, { id: 'r-1', createdAt: Date.now() - 90_000, runtimeMs: 1e12 });
  if (line.includes('BUILD')) {
    emulator.fail('build', 'slow');
    const { json } = await gantry(['deploy', '--detach', '--json'], { emulator, cwd: newFolder(smallApp()) });
    build = (json() as { build: string }).build;
  }
  front = { ...(await inFrontOf(emulator, answering)), KEY: 'value', OTHER: 'value', ...setting.env };
  return gantry(line.replace('BUILD', build).split(' '), { emulator, ...setting, env: front });
}

type Json = Record<string, unknown>;

const one = /^GET .*\/(apps|builds)\/[^/]+$/;
const page: Answer = { type: 'text/html', body: '<html><title>Sign in</title></html>' };
const refusal: Answer = { status: 403, body: '{"message":"not for this token"}' };
const notFound = (message: string): Answer => ({ status: 404, body: JSON.stringify({ message }) });

/** Confirms a change and does nothing. */
const ignoring =
  (method: string, answer: Answer = { body: '{}' }): Answering =>
  ({ route }) =>
    route.startsWith(`${method} `) ? answer : undefined;

/** Confirms a change, and answers afterwards so where it is asked for. */
function thenSaying(method: string, answer: Answer, path = /^GET /, isDone = false): Answering {
  let isSent = false;
  return ({ route }) => {
    if (!route.startsWith(`${method} `)) return isSent && path.test(route) ? answer : undefined;
    isSent = true;
    return isDone ? undefined : { body: '{}' };
  };
}

/** Shows what was before for the first looks after a change. */
function lagging(method: string, path: RegExp, looks: number): Answering {
  let before: string | undefined;
  let left = 0;
  return async ({ route }, pass) => {
    if (route.startsWith(`${method} `)) left = looks;
    if (!route.startsWith('GET ') || !path.test(route)) return undefined;
    const answer = await pass();
    if (left-- > 0 && before !== undefined) return { body: before };
    before = answer.body;
    return answer;
  };
}

/** Shows an app or a build otherwise than it is, in these looks. */
function showing(change: (shown: Json) => Json, isMeant: (look: number, isSent: boolean) => boolean): Answering {
  let [looks, isSent] = [0, false];
  return async ({ route }, pass) => {
    isSent ||= !route.startsWith('GET ');
    if (!one.test(route) || !isMeant(++looks, isSent)) return undefined;
    return { body: JSON.stringify(change(JSON.parse((await pass()).body))) };
  };
}

/** What is stored becomes something else, right away or after the first look. */
function storing(change: (stored: Record<string, string>) => Record<string, string>, looks = 0): Answering {
  let left = Number.POSITIVE_INFINITY;
  return async ({ route }, pass) => {
    if (route.startsWith('PATCH ')) left = looks;
    else if (route.startsWith('GET ') && route.endsWith('/secrets') && left-- <= 0) {
      const { secrets } = emulator.store;
      secrets.set(emulator.project, change(secrets.get(emulator.project) ?? {}));
      left = Number.POSITIVE_INFINITY;
    }
    return pass();
  };
}

const masking: Answering = async ({ route }, pass) => {
  if (!route.startsWith('GET ')) return undefined;
  const names = Object.keys(JSON.parse((await pass()).body || '{}') ?? {});
  return { body: JSON.stringify(Object.fromEntries(names.map((name) => [name, '***']))) };
};

const deleting = 'apps delete web --confirm web';
const scaling = 'apps scale web --max-replicas 7';
const setting = 'secrets set KEY --from-env --yes';
const canceling = 'builds cancel web BUILD --yes --json';
const canceled = 'could not confirm that build BUILD of web is canceled: ';
const listed = 'web is not deleted yet: its status is ready';
const theirs = /changed by someone else right after: KEY/;
const atOnce = /changed by someone else at the same time: KEY/;
const sameLine =
  /"next": \[\s*"gantry",\s*"secrets",\s*"set",\s*"KEY",\s*"--from-env",\s*"--yes",\s*"--json"[\s\S]*"retryable": true/;
/** It hides the number of replicas. */
const hiding = showing(
  ({ maxReplicaCount: _, ...others }) => others,
  () => true,
);

/** Of a line, what the platform does, how it ends, what it says, and how it waits for the change. */
const rows: [line: string, what: string, () => Answering, code: number, says: string | RegExp, waits?: number[]][] = [
  [deleting, 'does nothing', () => ignoring('DELETE'), 8, listed],
  [deleting, 'is late', () => lagging('DELETE', /\/apps\/[^/]+$/, 2), 0, 'deleted web\n', [250, 500]],
  [deleting, 'finds nothing', () => ignoring('DELETE', notFound('no such project')), 6, 'no such project'],
  [deleting, 'then lacks the project', () => thenSaying('DELETE', notFound('project not found')), 6, 'project not'],
  [deleting, 'then has a page', () => thenSaying('DELETE', { ...page, status: 404 }), 69, 'a web page'],
  [deleting, 'lists the app', () => thenSaying('DELETE', notFound('app not found'), one), 8, listed],
  [deleting, 'then refuses', () => thenSaying('DELETE', refusal, one), 5, 'could not confirm that web is deleted'],
  [scaling, 'does nothing', () => ignoring('PATCH'), 1, /scaling.max_replicas of web is still \d, not 7/],
  [
    scaling,
    'takes 5',
    () =>
      showing(
        (app) => ({ ...app, maxReplicaCount: 5 }),
        (_, sent) => sent,
      ),
    1,
    'is 5, not 7',
  ],
  [scaling, 'hides it', () => hiding, 0, 'not verified: the platform does not show scaling.max_replicas'],
  [setting, 'does nothing', () => ignoring('PATCH'), 1, 'the platform did not store KEY'],
  [setting.replace('KEY', 'OTHER'), 'keeps the value', () => ignoring('PATCH'), 1, 'the platform did not store OTHER'],
  [setting, 'is late', () => lagging('PATCH', /\/secrets$/, 1), 0, '', [250, 1_000]],
  [setting, 'masks values', () => masking, 0, ''],
  [
    setting,
    'stores another value',
    () => storing((all) => ({ ...all, KEY: 'x' })),
    7,
    'another value than was sent is stored',
  ],
  [
    setting,
    'stores another name',
    () => storing(({ KEY = '', ...all }) => ({ ...all, key: KEY })),
    1,
    'did not store KEY',
  ],
  [setting, 'stores nothing else', () => storing(() => ({ KEY: 'value' })), 1, 'did not store OTHER'],
  [setting, 'gets a list of others', () => storing(({ KEY: _, ...all }) => ({ ...all, THEIRS: 'x' }), 1), 7, theirs],
  [
    setting,
    'gets a list of others at once',
    () => storing(({ KEY: _, ...all }) => ({ ...all, THEIRS: 'x' })),
    7,
    atOnce,
  ],
  [setting, 'gets an empty list at once', () => storing(() => ({})), 7, atOnce],
  [`${setting} --json`, 'gets a list of others at once', () => storing(() => ({ THEIRS: 'x' })), 7, sameLine],
  [setting, 'gets a value of others', () => storing((all) => ({ ...all, KEY: 'theirs' }), 1), 7, theirs],
  [setting, 'changes another', () => storing((all) => ({ ...all, OTHER: 'x' })), 0, /other values than before: OTHER/],
  [setting, 'gets one more', () => storing((all) => ({ ...all, MORE: 'x' })), 0, /^(?![\s\S]*warning)/],
  [
    'secrets unset OTHER --yes',
    'keeps other letters',
    () => storing(() => ({ other: 'x' })),
    1,
    'did not remove other',
  ],
  ['volumes resize 100GB --yes', 'does nothing', () => ignoring('PATCH'), 8, 'default-us-east-1 still has 50 GB'],
  [
    'volumes resize 100GB --yes',
    'shows no volumes',
    () => (call) => (call.route.endsWith('/volumes') ? notFound('not found') : undefined),
    0,
    'the platform accepted 100 GB for default-us-east-1\n',
  ],
  [
    'volumes resize 100GB --yes',
    'then refuses',
    () => thenSaying('PATCH', refusal, /\/volumes$/),
    5,
    'could not confirm that default-us-east-1 has 100 GB',
  ],
  ['service-accounts grant sa-1 p-2 --yes', 'is late', () => lagging('PATCH', /accounts$/, 1), 0, '', [250]],
  ['service-accounts grant sa-1 p-2 --yes', 'refuses', () => ignoring('GET', refusal), 5, 'cannot be listed'],
  [
    canceling,
    'does nothing',
    () => ignoring('DELETE', { type: 'text/plain', body: 'Build cancelled' }),
    8,
    /gantry logs web --build BUILD -f/,
  ],
  [
    canceling,
    'takes its time',
    () =>
      showing(
        (shown) => ({ ...shown, status: 'cancelling' }),
        (look) => look > 1 && look < 5,
      ),
    0,
    '"changed": true',
    [250, 500, 1_000],
  ],
  [
    canceling,
    'then lacks it',
    () => thenSaying('DELETE', notFound('Cannot GET /v2'), /./, true),
    6,
    `${canceled}Cannot GET`,
  ],
  [
    canceling,
    'then has a page',
    () => thenSaying('DELETE', { ...page, status: 404 }, /./, true),
    69,
    `${canceled}received a`,
  ],
  [canceling, 'then refuses', () => thenSaying('DELETE', refusal, /./, true), 5, `${canceled}not for this token`],
  ['runs cancel web r-1 --yes', 'does nothing', () => ignoring('DELETE'), 8, 'r-1'],
  ['runs cancel web r-1 --yes', 'has a page', () => ignoring('DELETE', page), 69, 'a web page'],
];

test.each(rows)('%s is done only if it is shown: the platform %s', async (line, _, answering, code, says, waits) => {
  const outcome = await run(line, answering());
  const said =
    typeof says === 'string' ? says.replace('BUILD', build) : new RegExp(says.source.replace('BUILD', build));
  expect(outcome.stdout + outcome.stderr).toMatch(said);
  expect(outcome).toExit(code);
  if (code !== 0) expect(outcome.stdout).toMatch(/^$|^\{\n {2}"error"/);
  if (waits) expect(outcome.waits).toEqual(waits);
  if (code !== 0 && /^runs/.test(line)) expect(emulator.store.runs.get('r-1')?.cancelledAt).toBeUndefined();
});

test('an app whose first reply was lost is deleted', async () => {
  emulator.fail('deleteApp', 'reset-after');
  expect(await gantry(deleting.split(' '), { emulator })).toPrint('deleted web\n');
});

describe('where looks are refused, a change is made, and it is said that nothing shows it', () => {
  /** Refuses looks, as often as given, and ignores changes if told to. */
  const refusing = (path: RegExp, answer = refusal, times = Number.POSITIVE_INFINITY, ignores = false): Answering => {
    let left = times;
    return ({ route }) => {
      if (route.startsWith('GET ')) return path.test(route) && left-- > 0 ? answer : undefined;
      return ignores ? { body: '{}' } : undefined;
    };
  };
  const noRoute = notFound('no such route');
  const notAllowed = { status: 405, body: '{"message":"not allowed"}' };
  const file = 'default:/t/a';
  const done = { changed: true };
  const removed = { ...done, path: file, isFolder: false };
  const isGone = () => emulator.volume().read('/t/a') === undefined;

  test.each<[line: string, Answer, path: RegExp, what: string, json: Json, isDone?: () => boolean]>([
    ['rm :/t/a --yes', refusal, /\/ls$/, `${file} is gone`, removed, isGone],
    ['rm :/t/a --yes', noRoute, /\/ls$/, `${file} is gone`, removed, isGone],
    ['rm :/t/a --yes', notAllowed, /\/ls$/, `${file} is gone`, removed, isGone],
    ['rm -r :/t/ --confirm :/t/', refusal, /\/ls$/, 'default:/t/ is gone', { ...done, isFolder: true }, isGone],
    ['builds cancel web BUILD --yes', refusal, /\/builds\/[^/]+$/, 'build BUILD of web is canceled', done],
    [
      'runs cancel web r-1 --yes',
      refusal,
      /\/runs(\/[^/]+)?$/,
      'run r-1 of web is canceled',
      { ...done, status: null },
    ],
    [deleting, refusal, /\/apps$/, 'web is deleted', { ...done, app: 'web' }, () => emulator.store.apps.size === 0],
    ['volumes resize 100GB --yes', refusal, /\/volumes$/, 'default-us-east-1 has 100 GB', {}],
  ])('%s, %j', async (line, answer, path, what, json, isDone = () => true) => {
    const env = { GANTRY_CONFIG_DIR: newFolder() };
    const outcome = await run(`${line} --json`, refusing(path, answer), { env });
    const warning = 'warning: the platform accepted the change, but does not show whether';
    expect(outcome).toExit(0, `${warning} ${what.replace('BUILD', build)}`);
    expect([outcome.json()].flat()).toMatchObject([{ confirmed: false, ...json }]);
    expect(isDone()).toBe(true);
    if (/^runs/.test(line)) expect(emulator.store.runs.get('r-1')?.cancelledAt).toBeDefined();
    if (/^builds/.test(line)) expect(emulator.store.builds.get(build)?.cancelledAt).toBeDefined();
    // Only what is certain is on record.
    if (/^apps/.test(line))
      expect((await gantry(['history', 'web', '--json'], { emulator, env: front })).stdout).toBe('[]\n');
  });

  test.each([
    ['403', refusal, 1],
    // A folder that is not found is looked for in the root.
    ['404', noRoute, 2],
    ['405', notAllowed, 1],
  ])('rm believes what is listed after %s', async (_, answer, times) => {
    const done = await run('rm :/t/a --yes --json', refusing(/\/ls$/, answer, times));
    expect(done.json()).toMatchObject([{ confirmed: true }]);
    emulator.volume().write('/t/a', 'x');
    const lie = await run('rm :/t/a --yes --json', refusing(/\/ls$/, answer, times, true));
    expect([lie.code, lie.stdout]).toEqual([69, expect.stringContaining('still lists it')]);
  });
});

describe('a deploy of a build that is slow', () => {
  const deploy = (answering: Answering, setting: Setting = {}) => {
    emulator.fail('build', 'slow');
    return run('deploy', answering, { cwd: newFolder(smallApp()), ...setting });
  };

  test('says that it continues if its status can be read no more', async () => {
    const outcome = await deploy(({ route }) => (/^GET .*\/builds\/[^/]+$/.test(route) ? refusal : undefined));
    const why = /why could not get the status of build \S+ of web; it continues\n {2}fix gantry logs web --build/;
    expect(outcome).toExit(5, why);
  });

  test('warns at Ctrl-C if it may continue although the platform confirmed its cancellation', async () => {
    const outcome = await deploy(ignoring('DELETE', { type: 'text/plain', body: 'cancelled' }), { stop: /Uploaded/ });
    const warning = /warning: build \S+ may not be canceled: its status is still \w+\n {2}fix gantry builds cancel/;
    expect(outcome).toExit(130, warning, expect.not.stringContaining('canceled build'));
  });
});
