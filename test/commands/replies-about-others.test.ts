import { describe, expect, test } from 'vitest';
import { deployWeb, emulatorForEach, gantry, inFrontOf, newFolder, record, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

type Json = Record<string, unknown>;

/** A platform that changes the state of every build or run it is asked for; `times` limits how often. */
const stating = (change: (state: Json) => Json, times = Number.POSITIVE_INFINITY) => {
  let asked = 0;
  return inFrontOf(emulator, async ({ route }, pass) => {
    if (!/^GET .*\/(builds|runs)\/[^/]+$/.test(route) || ++asked > times) return undefined;
    const answer = JSON.parse((await pass()).body) as Json;
    const isRun = 'item' in answer;
    return { body: JSON.stringify(isRun ? { item: change(answer.item as Json) } : change(answer)) };
  });
};

const deploy = async (env: Record<string, string>) => {
  return await gantry(['deploy', '--json'], { emulator, cwd: newFolder(smallApp()), env });
};

describe('a reply about another build or run is an error:', () => {
  const other = (state: Json) => ({ ...state, id: 'b-other', status: 'success' });

  test('deploy fails and names its own build', async () => {
    const { code, json } = await deploy(await stating(other));
    const [build] = [...emulator.store.builds.keys()];
    expect(code).toBe(70);
    expect(json()).toMatchObject({ error: { message: expect.stringContaining(`asked for build ${build}`) } });
  });

  test('deploy continues if the next replies are right', async () => {
    const { code, json } = await deploy(await stating(other, 2));
    const [build] = [...emulator.store.builds.keys()];
    expect([code, json()]).toEqual([0, expect.objectContaining({ build, status: 'succeeded' })]);
  });

  test.each([['logs web --run r-1 -f'], ['runs get web r-1'], ['runs cancel web r-1 --yes']])('%s', async (line) => {
    await deployWeb(emulator);
    record(emulator, { id: 'r-1', createdAt: Date.now() });
    const { code, stdout, stderr } = await gantry(line.split(' '), {
      emulator,
      env: await stating(other),
    });
    expect([code, stdout]).toEqual([70, '']);
    expect(stderr).toContain('asked for run r-1');
  });

  test('builds cancel', async () => {
    await deployWeb(emulator);
    const [build = ''] = [...emulator.store.builds.keys()];
    const cancelled = (state: Json) => ({ ...state, id: 'b-other', status: 'cancelled' });
    const outcome = await gantry(['builds', 'cancel', 'web', build, '--yes'], {
      emulator,
      env: await stating(cancelled),
    });
    expect(outcome).toExit(70, `asked for build ${build}`);
  });
});

describe('a reply about another app is an error:', () => {
  /** Shows another app, with what the change asked for, after as many true replies as given. */
  const showing = (shown: Json, truths = 0) => {
    let asked = 0;
    return inFrontOf(emulator, async ({ route }, pass) => {
      if (/^(PATCH|DELETE) /.test(route)) return { body: '{}' };
      if (!/^GET .*\/apps\/[^/]+$/.test(route) || ++asked <= truths) return undefined;
      return { body: JSON.stringify({ ...JSON.parse((await pass()).body), ...shown }) };
    });
  };
  const other = { id: 'p-12345678-other', maxReplicaCount: 3, status: 'deleted' };

  test.each([
    ['apps get web', 0],
    ['apps scale web --max-replicas 3', 0],
    ['apps scale web --max-replicas 3', 1],
    ['apps delete web --confirm web', 0],
    ['apps delete web --confirm web', 1],
    ['rollback web --yes', 0],
    ['builds get web latest', 0],
    ['deploy --dry-run', 0],
  ])('%s, after %i true replies', async (line, truths) => {
    await deployWeb(emulator);
    const setting = { emulator, cwd: newFolder(smallApp()), env: await showing(other, truths) };
    const { code, stdout, stderr } = await gantry(line, setting);
    expect([code, stdout, stderr]).toEqual([70, '', expect.stringContaining('asked for app p-12345678-web')]);
  });

  test('status says what is not known then', async () => {
    await deployWeb(emulator);
    const { stdout } = await gantry(['status', 'web'], { emulator, env: await showing(other) });
    expect(stdout).toContain('replicas\tnot known: the platform replied with another app');
  });

  test.each([
    ['without an id', { id: undefined }, 0],
    ['without an id, with the name of another', { id: undefined, name: 'other' }, 70],
    ['with a short id', { id: 'web' }, 0],
  ])('unless it is one %s', async (_, shown, exit) => {
    await deployWeb(emulator);
    expect(await gantry(['apps', 'get', 'web'], { emulator, env: await showing(shown) })).toExit(exit);
  });
});

describe('a status in capital letters means the same:', () => {
  test.each([
    ['Success', 0],
    ['BUILD_FAILURE', 11],
    ['Init_Timeout', 12],
  ])('deploy with %s exits %i', async (status, expected) => {
    expect((await deploy(await stating((state) => ({ ...state, status })))).code).toBe(expected);
  });

  test.each([
    ['SUCCESS', 0],
    ['Failure', 13],
  ])('logs -f of a run with %s exits %i', async (status, expected) => {
    await deployWeb(emulator);
    record(emulator, { id: 'r-1', createdAt: Date.now() });
    const env = await stating((state) => ({ ...state, status }));
    expect((await gantry(['logs', 'web', '--run', 'r-1', '-f'], { emulator, env })).code).toBe(expected);
  });
});
