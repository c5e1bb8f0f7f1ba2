import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { half } from '../support/extent.ts';
import { filesIn, newFolder } from '../support/files.ts';
import { address, gantry, type Line, type Setting } from '../support/gantry.ts';
import { type Answer, type Answering, inFrontOf } from '../support/in-front-of.ts';

const emulator = emulatorForEach({ real: false });
/** The environment that leads to the platform, and where the team's state is. */
let platform: Record<string, string>;
/** Builds that crash, by their order. */
let crashing: number[];
let builds: string[];
/** What the volume answers instead. */
let refusing: Answering | undefined;
/** Calls of the volume. */
let calls: string[];
/** What the storage of archives answers instead. */
let uploading: (() => Answer) | undefined;

beforeEach(async () => {
  [crashing, builds, calls, refusing, uploading] = [[], [], [], undefined, undefined];
  const front = await inFrontOf(emulator, async (call, pass) => {
    if (call.route.includes('/volumes/')) {
      calls.push(`${call.route.replace(/^(\w+) .*\/default\//, '$1 ')} ${call.query.get('dir') ?? ''}`.trim());
      return refusing?.(call, pass);
    }
    if (/^POST .*\/apps$/.test(call.route)) {
      const answer = await pass();
      const created = JSON.parse(answer.body) as { buildId: string; uploadUrl: string };
      builds.push(created.buildId);
      if (!uploading) return answer;
      const uploadUrl = created.uploadUrl.replace(emulator.url, front.GANTRY_API_URL ?? '');
      return { ...answer, body: JSON.stringify({ ...created, uploadUrl }) };
    }
    if (call.route.startsWith('PUT ')) return uploading?.();
    if (!call.route.endsWith('/containers')) return undefined;
    const containerState = (at: number) => (crashing.includes(at) ? 'FAILED' : 'RUNNING');
    const body = builds.map((buildId, at) => ({
      buildId,
      containerId: `c-${buildId}`,
      containerState: containerState(at),
    }));
    return { body: JSON.stringify(body) };
  });
  platform = { ...front, GANTRY_TEAM_STATE: 'default:/.gantry' };
});

/** On a machine of its own, unless its home is given: as a pipeline does. */
function run(line: Line, { env = {}, ...more }: Setting = {}) {
  return gantry(line, { emulator, env: { ...platform, GANTRY_CONFIG_DIR: newFolder(), ...env }, ...more });
}

async function deploy(version: string, flags: string[] = [], more: Setting = {}) {
  return await run(['deploy', '--json', ...flags], { ...more, cwd: newFolder({ ...smallApp(), 'data.txt': version }) });
}

const line = ['--if-changed', '--if-busy', 'wait', '--watch', '10s', '--or-rollback'];
const at = (home: string): Setting => ({ env: { GANTRY_CONFIG_DIR: home } });
type Events = { event: string; build?: string; by: string }[];
const history = async (more: Setting = {}) => (await run('history web --json', more)).json() as Events;
const eventsOf = (events: Events, build: string | undefined) =>
  events.filter((event) => event.build === build).map(({ event }) => event);
const live = async () =>
  ((await run('apps get web --json')).json() as { latestReadyBuildId: string }).latestReadyBuildId;

/** As many archives as are kept, of builds before those that follow. */
function tenRecords(): [name: string, text: string][] {
  const time = new Date(Date.now() - 3_600_000).toISOString().replace(/[-:.]/g, '');
  return Array.from({ length: 10 }, (_, at) => [`${time}_b-${at}_-${'0'.repeat(64)}.json`, '{}']);
}

describe('a pipeline that starts on new machines', () => {
  test('knows that nothing has changed, and that the build was found healthy', async () => {
    expect((await deploy('one', line)).code).toBe(0);
    const again = await deploy('one', line);
    expect([again.code, again.json()]).toEqual([0, expect.objectContaining({ changed: false, build: builds[0] })]);
    expect(again.json()).not.toHaveProperty('health');
    expect(again.stderr).not.toMatch(/warning|not known/);
    expect(builds).toHaveLength(1);
    expect(eventsOf(await history(), builds[0])).toEqual(['verdict', 'served', 'sent']);
  });

  test('is never green while the app crashes, however often it runs', async () => {
    crashing = [0];
    const codes: number[] = [];
    for (const _ of [1, 2]) codes.push((await deploy('one', line)).code);
    expect(codes).toEqual([12, 12]);
    expect(builds).toHaveLength(1);
    const list = (await run('builds list web --json')).json() as { id: string; found: string }[];
    expect(list).toMatchObject([{ id: builds[0], found: 'sick' }]);
  });

  test('returns to a build that another machine still watches', async () => {
    crashing = [1];
    let isWatched = false;
    let other: ReturnType<typeof deploy> | undefined;
    const first = await deploy('good', ['--watch', '2m'], {
      seen: (_, stderr) => {
        isWatched ||= stderr.includes('Watching web');
      },
      meanwhile: async () => {
        if (!isWatched || other) return;
        other = deploy('bad', ['--watch', '10s', '--or-rollback']);
        await other;
      },
    });
    expect(first.code).toBe(7);
    const { code, stderr } = (await other) ?? { code: 0, stderr: '' };
    expect([code, stderr]).toEqual([12, expect.stringContaining(`rolled back to build ${builds[0]?.slice(0, 8)}`)]);
    expect(stderr).not.toContain('cannot return');
  });

  test('returns to a build that another machine deployed, and never to one that another found sick', async () => {
    await deploy('good', line);
    crashing = [1, 3, 5];
    const sick = await deploy('bad', line);
    expect(sick).toExit(12, `rolled back to build ${builds[0]?.slice(0, 8)}`);
    expect(await live()).toBe(builds[2]);
    const worse = await deploy('worse', line);
    expect(worse).toExit(12, `rolled back to build ${builds[2]?.slice(0, 8)}`);
    expect(await live()).toBe(builds[4]);
    // Only another build of the same files has its archive.
    await removeRecord(builds[4]);
    const worst = await deploy('worst', line);
    expect(worst).toExit(12, `rolled back to build ${builds[4]?.slice(0, 8)}`);
    expect(sick.stderr + worse.stderr + worst.stderr).not.toContain('cannot return');
  });

  test.each(half([['a week behind', -7] as const, ['two days ahead', 2] as const]))(
    'rolls back to what a machine has deployed whose clock is %s',
    async (_, days) => {
      // What is in front of it shows no time.
      const env = address(emulator);
      const folder = newFolder(Object.fromEntries(tenRecords()));
      await run(['cp', folder, 'default:/.gantry/archives/web/', '--quiet'], { env });
      const clock = { jumps: () => days * 86_400_000 };
      const one = await deploy('one', [], { env, clock });
      await deploy('two', [], { env });
      expect((await run('history web --since 1h --json', { env, clock })).json()).not.toEqual([]);
      const { code, json } = await run('rollback web --yes --json', { env });
      const { build } = one.json() as { build: string };
      expect({ code, json: json() }).toMatchObject({ code: 0, json: { restored: build, proof: 'record' } });
    },
  );

  test('has what a rollback is about to do on record with the team before its upload', async () => {
    await deploy('one');
    await deploy('two');
    calls = [];
    let sent: string[] = [];
    uploading = () => {
      sent = calls.filter((call) => call.includes('cp/complete'));
      return { status: 400, body: 'not today' };
    };
    expect((await run('rollback web --yes')).code).not.toBe(0);
    // The upload of its build, and the rollback that it makes of it.
    expect(sent).toHaveLength(2);
  });

  test('has it on record with the team before anything that an earlier command has left', async () => {
    const home = newFolder();
    await deploy('one', [], at(home));
    refusing = ({ route }) => (route.endsWith('/cp/complete') ? { status: 403, body: '{}' } : undefined);
    await deploy('two', [], at(home));
    const left = filesIn(home).filter((path) => path.startsWith('state/team-state/'));
    expect(left).not.toEqual([]);
    const begun: string[] = [];
    refusing = ({ route, body }) => {
      if (route.endsWith('/cp/initialize')) begun.push((JSON.parse(body) as { file_path: string }).file_path);
      return undefined;
    };
    await run('rollback web --yes', at(home));
    const isLeft = begun.map((path) => left.some((each) => path.endsWith(each.split('/').slice(3).join('/'))));
    expect([isLeft.indexOf(false), isLeft.includes(true)]).toEqual([0, true]);
  });

  test('learns by a look that a rollback has ended, and writes nothing to the volume', async () => {
    for (const version of ['one', 'two', 'one', 'three']) await deploy(version);
    const [to, from, as] = builds;
    const event = { at: new Date().toISOString(), event: 'rolling-back', by: 'ada@laptop', from, to, as, reason: '' };
    const name = `${event.at.replaceAll(/[-:.]/g, '')}-${'0'.repeat(16)}.json`;
    await run('cp . default:/.gantry/history/web', { cwd: newFolder({ [name]: JSON.stringify(event) }) });
    calls = [];
    const { code, json } = await run('rollback web --dry-run --json');
    expect([code, json()]).toEqual([0, expect.objectContaining({ restored: as, dryRun: true })]);
    expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([]);
  });

  test('notices that another app has the name, and writes nothing to the volume', async () => {
    const elsewhere = { env: { GANTRY_TEAM_STATE: 'off' } };
    await deploy('one');
    await run('apps delete web --confirm web', elsewhere);
    await deploy('two', [], elsewhere);
    calls = [];
    expect((await run('status web')).code).toBe(0);
    expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([]);
  });

  test('says what it cannot know without team state', async () => {
    const without = { env: { GANTRY_TEAM_STATE: 'off' } };
    await deploy('one', [], without);
    const again = await deploy('one', ['--if-changed', '--watch', '10s', '--or-rollback'], without);
    expect(again.stderr).toContain('was not deployed from here: only its files were compared');
    const changed = await deploy('two', ['--watch', '10s', '--or-rollback'], without);
    expect(changed.stderr).toContain('--or-rollback cannot return to build');
    expect(changed.stderr).toContain('gantry config set team-state default:/.gantry');
    expect(calls).toEqual([]);
  });
});

describe('several machines', () => {
  test('that write at once lose nothing', async () => {
    const versions = ['a', 'b', 'c'];
    expect(await Promise.all(versions.map(async (version) => (await deploy(version)).code))).toEqual([0, 0, 0]);
    const events = await history();
    for (const build of builds) expect(eventsOf(events, build), build).toContain('sent');
    // The same from the machine of one of them: its own events are there once.
    const home = newFolder();
    await deploy('d', [], at(home));
    expect((await history(at(home))).filter(({ event }) => event === 'sent')).toHaveLength(4);
  });

  test('read with one request what they have seen before, and keep it; share no value of a variable', async () => {
    await deploy('one');
    const home = newFolder();
    await history(at(home));
    const folder = join(home, 'cache', 'team-state');
    const texts = await Promise.all(filesIn(folder).map((path) => readFile(join(folder, path), 'utf8')));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join('\n')).not.toContain(emulator.token);
    refusing = () => ({ status: 500, body: '{}' });
    expect(eventsOf(await history(at(home)), builds[0])).toEqual(['served', 'sent']);
    [refusing, calls] = [undefined, []];
    await history(at(home));
    expect(calls).toEqual(['GET ls /.gantry/history/web/']);
    await deploy('two');
    calls = [];
    expect(eventsOf(await history(at(home)), builds[1])).toContain('sent');
    // What serves, and the beginning and the end of the upload.
    expect(calls.filter((call) => call.includes('download'))).toHaveLength(3);
    // What is no event is skipped, with a warning.
    const name = '20990101T000000000Z-0123456789abcdef.json';
    await run(['cp', 'x.json', `default:/.gantry/history/web/${name}`], { cwd: newFolder({ 'x.json': '{"event":' }) });
    const { stderr, code, json } = await run('history web --json');
    expect([code, stderr]).toEqual([0, expect.stringContaining('skipped 1 unreadable line')]);
    expect(json()).toHaveLength(4);
  });
});

describe('a volume that fails', () => {
  test.each(half([403, 500]))(
    'with %i does not fail a deploy: one warning of what is unknown, one of what is not shared',
    async (status) => {
      refusing = () => ({ status, body: '{"message":"not today"}' });
      const { code, stderr } = await deploy('one', line);
      expect(code, stderr).toBe(0);
      const warnings = stderr.match(/^warning: .*/gm) ?? [];
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toContain('cannot read the team state at default:/.gantry');
      expect(warnings[1]).toContain('cannot write the team state at default:/.gantry');
      expect(stderr).toContain('what other machines have deployed and found is not known');
    },
  );

  test('is no proof that what serves is well: status says what it cannot know', async () => {
    await deploy('one');
    refusing = () => ({ status: 403, body: '{"message":"not today"}' });
    const { stderr, json } = await run('status web --json');
    expect(stderr.match(/^warning: .*/gm)).toEqual([
      'warning: cannot read the team state at default:/.gantry: not today',
    ]);
    expect(json()).toMatchObject({ sick: null, warnings: [{ message: expect.stringContaining('cannot read') }] });
  });

  test('in the middle of writing loses nothing: the next command of this machine sends it', async () => {
    const home = newFolder();
    refusing = ({ route }) => (route.endsWith('/cp/complete') ? { status: 503, body: '{}' } : undefined);
    expect((await deploy('one', [], at(home))).stderr).toContain('cannot write the team state');
    refusing = undefined;
    expect(await history()).toEqual([]);
    await run('apps scale web --max-replicas 3', at(home));
    expect(eventsOf(await history(), builds[0])).toEqual(['served', 'sent']);
    expect((await run(['rollback', 'web', builds[0] ?? '', '--json'])).json()).toMatchObject({ restored: builds[0] });
  });

  test.each([
    // Each retry leaps ahead, while the watch goes on.
    ['is refused', () => ({ status: 503, body: '{}' }), Number.POSITIVE_INFINITY, '60s'],
    ['hangs', () => new Promise<undefined>(() => {}), 1, '8s'],
  ])('whose writing %s can be read: the warning says so, and its command tells the others', async (...row) => {
    const [, answer, most, limit] = row;
    const home = newFolder();
    await deploy('one', ['--watch', '10s']);
    refusing = ({ route }) => (/\/cp\//.test(route) && !/download/.test(route) ? answer() : undefined);
    calls = [];
    const { stderr } = await deploy('two', ['--watch', '10s', '--timeout', limit], {
      ...at(home),
      io: { silenceMs: 60_000 },
    });
    // What hung is not waited for again.
    expect(calls.filter((call) => call === 'POST cp/initialize').length).toBeLessThanOrEqual(most);
    expect(stderr).not.toContain('cannot read the team state');
    expect(stderr).toMatch(
      /cannot write the team state.*\n {2}why other machines do not know .* did; .* is known here/,
    );
    refusing = undefined;
    expect(eventsOf(await history(), builds[1])).toEqual([]);
    expect(stderr).toMatch(/fix the next command .*: gantry deploy --if-changed/);
    expect((await deploy('two', ['--if-changed'], at(home))).json()).toMatchObject({ changed: false });
    expect(eventsOf(await history(), builds[1])).toContain('verdict');
  });

  test('after Ctrl-C does not keep a rollback from saying what serves', async () => {
    const home = newFolder();
    await deploy('one', [], at(home));
    await deploy('two', [], at(home));
    emulator.fail('build', 'slow');
    const clock = { now: Date.now() };
    const { code, stderr } = await run('rollback web --yes', {
      ...at(home),
      clock,
      stop: /Uploaded/,
      seen: (_, said) => {
        if (refusing || !said.includes('Uploaded')) return;
        refusing = () => ({ status: 503, body: '{}' });
        // What was read before is too old.
        clock.now += 60_000;
      },
    });
    expect(stderr).toContain('warning: cannot read the team state');
    expect([code, stderr]).toEqual([130, expect.stringMatching(/interrupted: build \S+ serves, and nothing was/)]);
  });

  test('does not hold up Ctrl-C, and nothing half is ever listed', async () => {
    const home = newFolder();
    refusing = ({ route }) => (route.endsWith('/cp/complete') ? { status: 503, body: '{}' } : undefined);
    await deploy('one', ['--detach'], { ...at(home), stop: /Uploaded/ });
    refusing = undefined;
    expect(await history()).toEqual([]);
    await deploy('two', [], at(home));
    expect((await history()).filter(({ event }) => event === 'sent')).toHaveLength(builds.length);
  });

  test('whose listing lags is asked again', async () => {
    let lag = 0;
    refusing = async ({ route }, pass) => {
      if (route.endsWith('/cp/complete')) lag = 2;
      if (!route.endsWith('/ls') || lag-- <= 0) return undefined;
      const answer = await pass();
      const entries = JSON.parse(answer.body) as { is_folder: boolean }[];
      return { ...answer, body: JSON.stringify(entries.filter(({ is_folder }) => is_folder)) };
    };
    const { code, stderr } = await deploy('one');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    lag = 0;
    expect(eventsOf(await history(), builds[0])).toEqual(['served', 'sent']);
  });
});

test('keeps the archives of ten builds, and events of 90 days', async () => {
  const names = (count: number, name: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), '{}']));
  const hash = 'a'.repeat(64);
  const old = newFolder({
    ...names(12, (at) => `archives/web/202601${10 + at}T000000000Z_b-${at}_-${hash}.json`),
    ...names(3, (at) => `history/web/202001${10 + at}T000000000Z-${at.toString().repeat(16)}.json`),
  });
  await run('cp . default:/.gantry', { cwd: old });
  await deploy('one');
  const records = await listed('archives/web');
  expect(records.filter((name) => name.startsWith('202601'))).toHaveLength(9);
  expect(records.filter((name) => name.includes(builds[0] ?? '?'))).toHaveLength(1);
  expect((await listed('history/web')).filter((name) => name.startsWith('2020'))).toEqual([]);
});

test('keeps the archives of what serves and of what served before it, though they were found sick', async () => {
  crashing = [1, 2];
  await deploy('good');
  for (const version of ['bad', 'worse']) expect((await deploy(version, ['--watch', '10s'])).code).toBe(12);
  const names = (await listed('archives/web')).join(' ');
  for (const build of builds) expect(names).toContain(build);
});

test('an archive that somebody replaced on the volume, of equal size and checksum, and its record, is not deployed', async () => {
  const home = newFolder();
  const back = (more: Setting = {}) => run(['rollback', 'web', builds[0] ?? '', '--yes'], more);
  for (const version of [genuine, 'other']) await deploy(version, [], at(home));
  await run('doctor --cache archives --clear --yes', at(home));
  const sha256 = await forge();
  const isRefused = `build ${builds[0]?.slice(0, 8)} of web cannot be deployed again from here: there is no archive of it`;
  const why = 'why neither this machine nor the team state at default:/.gantry has it as it was sent';
  // The history has the SHA-256 of what was sent.
  expect(await back()).toExit(6, isRefused, why);
  expect(builds).toHaveLength(2);
  for (const name of await listed('history/web')) {
    const path = `default:/.gantry/history/web/${name}`;
    const event = (await run(['cat', path])).json() as { event: string; build: string };
    if (event.event !== 'sent' || event.build !== builds[0]) continue;
    await run(['rm', path, '--yes']);
    // Under another name, since no machine reads a document twice.
    const forged = path.replace(/-\w{4}/, '-0000');
    await put(forged, JSON.stringify({ ...event, at: new Date().toISOString(), archive: sha256 }));
  }
  // So has the machine that has sent it.
  expect(await back(at(home))).toExit(6, isRefused);
  // Nobody else can know: what is on the volume is as true as those who can write to it.
  expect(await back()).toExit(
    0,
    /of the archive in the team state at default:\/\.gantry \(SHA-256 as recorded there\)/,
  );
});

test('no checksum of secrets leaves the machine, which keeps one, and lists what was sent once', async () => {
  const home = newFolder();
  expect((await run('secrets set TOKEN --from-env --yes', { env: { TOKEN: 'of-some-length' } })).code).toBe(0);
  await deploy(genuine, [], at(home));
  const shared = await Promise.all(
    (await listed('history/web')).map(
      async (name) => (await run(['cat', `default:/.gantry/history/web/${name}`])).stdout,
    ),
  );
  expect(shared.filter((text) => text.includes('"event":"sent"'))).toEqual([expect.not.stringContaining('"secrets"')]);
  const kept = (await readdir(join(home, 'state/history'))).map((name) => join(home, 'state/history', name));
  const own = await Promise.all(kept.map((path) => readFile(path, 'utf8')));
  expect(own.join('')).toMatch(/"event":"sent".*"secrets":"[0-9a-f]{4}"/);
  expect((await history(at(home))).filter(({ event }) => event === 'sent')).toHaveLength(1);
});

async function removeRecord(build: string | undefined): Promise<void> {
  const record = (await listed('archives/web')).find((name) => name.includes(build ?? '?'));
  await run(['rm', `default:/.gantry/archives/web/${record}`, '--yes']);
}

const listed = async (folder: string) =>
  ((await run(['ls', `default:/.gantry/${folder}`, '--json'])).json() as { name: string; isFolder?: boolean }[])
    .map(({ name }) => name)
    .filter((name) => /\.\w+$/.test(name));

async function put(path: string, content: string | Buffer): Promise<void> {
  const file = join(newFolder(), 'file');
  await writeFile(file, content);
  expect((await run(['cp', file, path])).code).toBe(0);
}

const genuine = 'good for years';

/** Changes the last four bytes so that all of it has this CRC-32. */
function completeChecksum(bytes: Buffer, wanted: number): void {
  const table = Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = (value & 1 ? 0xedb88320 : 0) ^ (value >>> 1);
    return value >>> 0;
  });
  let register = ~wanted >>> 0;
  for (let step = 0; step < 4; step++) {
    const index = table.findIndex((value) => value >>> 24 === register >>> 24);
    register = (((register ^ (table[index] ?? 0)) << 8) | index) >>> 0;
  }
  const end = bytes.length - 4;
  bytes.writeUInt32LE((register ^ ~crc32(bytes.subarray(0, end))) >>> 0, end);
  expect(crc32(bytes)).toBe(wanted);
}

/** Replaces the archive of the first build, and its record, as one who can write to the volume may. Gives its SHA-256. */
async function forge(): Promise<string> {
  const name = (await listed('archives/web')).find((record) => record.includes(builds[0] ?? '?')) ?? '';
  const folder = 'default:/.gantry/archives/web';
  const record = (await run(['cat', `${folder}/${name}`])).json() as { sha256: string };
  const { bytes } = await run(['cat', `${folder}/files/${record.sha256}.zip`]);
  const forged = Buffer.from(bytes);
  const at = forged.indexOf(genuine);
  forged.write('evil', at);
  completeChecksum(forged.subarray(at, at + genuine.length), crc32(genuine));
  expect(forged.equals(bytes)).toBe(false);
  const sha256 = createHash('sha256').update(forged).digest('hex');
  await put(`${folder}/files/${sha256}.zip`, forged);
  await run(['rm', `${folder}/${name}`, '--yes']);
  await put(`${folder}/${name.replace(record.sha256, sha256)}`, JSON.stringify({ ...record, sha256 }));
  return sha256;
}

describe('the setting', () => {
  test.each(['/.gantry', 'default:', 'default:/', 'default:/a/../b', 'default:/a b', 'on'])(
    '%s is refused where it is set',
    async (value) => {
      const home = newFolder();
      const set = await run(['config', 'set', 'team-state', value], {
        env: { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: '' },
      });
      expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('default:/.gantry')]);
      const env = { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: value };
      expect(await run('config list', { env })).toExit(2, 'GANTRY_TEAM_STATE');
    },
  );

  test('of a profile works, and the variable turns it off', async () => {
    const home = newFolder();
    const own = { env: { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: '' } };
    expect((await run('config set team-state default:/.gantry', own)).code).toBe(0);
    await deploy('one', [], own);
    expect(eventsOf(await history(), builds[0])).toContain('sent');
    calls = [];
    await deploy('two', [], { env: { GANTRY_CONFIG_DIR: home, GANTRY_TEAM_STATE: 'off' } });
    expect(calls).toEqual([]);
    await rm(home, { recursive: true });
  });
});

test('a volume that hangs takes a part of the time and fails nothing', async () => {
  refusing = () => new Promise(() => {});
  const { code, stderr } = await deploy('one', ['--timeout', '6s'], {
    io: { silenceMs: 60_000 },
  });
  expect([code, stderr.match(/no reply in time/g)?.length]).toEqual([0, 2]);
  expect(stderr).toMatch(/cannot read the team state.*no reply in time/);
  expect(builds).toHaveLength(1);
});

test('what a colleague has scaled is told, also where no record has the build', async () => {
  await deploy('one', [], { env: { GANTRY_TEAM_STATE: 'off' } });
  await run('apps scale web --max-replicas 7');
  const { stderr } = await run('deploy --dry-run', { cwd: newFolder(smallApp()) });
  expect(stderr).toMatch(/warning: scaling\.max_replicas 7 -> \d+: changed outside of the config file/);
});
