import { beforeEach, describe, expect, test } from 'vitest';
import { empty } from '../support/account.ts';
import { type Answering, deployWeb, emulatorForEach, gantry, inFrontOf, type Setting } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  await deployWeb(emulator);
});

/** Answers calls of one method with a success and does nothing. */
const ignoring =
  (method: string, body = '{}'): Answering =>
  ({ route }) =>
    route.startsWith(`${method} `) ? { body } : undefined;

async function through(words: string[], answering: Answering, setting: Setting = {}) {
  const env = await inFrontOf(emulator, answering);
  return gantry(words, { emulator, ...setting, env: { ...env, ...setting.env } });
}

/** Shows what was before for the first looks after a call of this method. */
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

describe('apps delete', () => {
  const words = ['apps', 'delete', 'web', '--confirm', 'web'];

  test('exits with 8 if the app is still listed', async () => {
    const { code, stdout, stderr } = await through(words, ignoring('DELETE'));
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).toContain('web is not deleted yet: its status is');
  });

  test('waits until the app is gone', async () => {
    const { code, stdout, waits } = await through(words, lagging('DELETE', /\/apps\/[^/]+$/, 2));
    expect([code, stdout, waits]).toEqual([0, 'deleted web\n', [250, 500]]);
  });

  test('fails if the reply is 404 but the app is still listed', async () => {
    const { code, stdout } = await through(words, ({ route }) =>
      route.startsWith('DELETE ') ? { status: 404, body: '{"message":"no such project"}' } : undefined,
    );
    expect([code, stdout]).toEqual([6, '']);
  });

  test.each([
    [{ status: 404, body: '{"message":"project not found"}' }, 6],
    [{ status: 404, type: 'text/html', body: '<html><title>404 Not Found</title></html>' }, 69],
  ])('does not take a 404 about anything else for proof: %j', async (gone, expected) => {
    let isSent = false;
    const { code, stdout } = await through(words, ({ route }) => {
      const answer = isSent ? gone : undefined;
      if (!route.startsWith('DELETE ')) return answer;
      isSent = true;
      return { body: '{}' };
    });
    expect([code, stdout]).toEqual([expected, '']);
  });

  test('does not take a 404 for proof while the app is listed', async () => {
    let isSent = false;
    const outcome = await through(words, ({ route }) => {
      if (isSent && /^GET .*\/apps\/[^/]+$/.test(route)) return { status: 404, body: '{"message":"app not found"}' };
      if (!route.startsWith('DELETE ')) return undefined;
      isSent = true;
      return { body: '{}' };
    });
    expect(outcome).toExit(8, 'web is not deleted yet: its status is ready');
  });

  test('succeeds if the first reply was lost', async () => {
    emulator.fail('deleteApp', 'reset-after');
    expect(await gantry(words, { emulator })).toMatchObject({ code: 0, stdout: 'deleted web\n' });
  });
});

describe('apps scale', () => {
  const words = ['apps', 'scale', 'web', '--max-replicas', '7'];

  test('exits with 1 and the current number if the change is not shown', async () => {
    const { code, stdout, stderr } = await through(words, ignoring('PATCH'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/scaling.max_replicas of web is still \d, not 7/);
  });

  test('reports the current number if it is neither the old nor the new one', async () => {
    let isSent = false;
    const outcome = await through(words, async ({ route }, pass) => {
      if (/^PATCH /.test(route)) isSent = true;
      if (!isSent || !/^GET .*\/apps\/[^/]+$/.test(route)) return undefined;
      return { body: JSON.stringify({ ...JSON.parse((await pass()).body), maxReplicaCount: 5 }) };
    });
    expect(outcome).toExit(1, 'scaling.max_replicas of web is 5, not 7');
  });

  test('succeeds with a note for a setting that the platform does not show', async () => {
    const outcome = await through(words, async ({ route }, pass) => {
      if (!/^GET .*\/apps\/[^/]+$/.test(route)) return undefined;
      const { maxReplicaCount, ...others } = JSON.parse((await pass()).body);
      return { body: JSON.stringify(others) };
    });
    expect(outcome).toExit(0, 'not verified: the platform does not show scaling.max_replicas');
  });
});

describe('secrets set', () => {
  const set = (answering: Answering) =>
    through(['secrets', 'set', 'KEY', '--from-env', '--yes'], answering, { env: { KEY: 'value' } });

  test('exits with 1 and names the secret if it is not stored', async () => {
    const { code, stdout, stderr } = await set(ignoring('PATCH'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the platform did not store KEY');
  });

  test('exits with 1 if the earlier value is kept', async () => {
    await gantry(['secrets', 'set', 'KEY', '--from-env'], { emulator, env: { KEY: 'earlier' } });
    expect(await set(ignoring('PATCH'))).toExit(1, 'the platform did not store KEY');
  });

  test('waits until the change is shown', async () => {
    const { code, waits } = await set(lagging('PATCH', /\/secrets$/, 1));
    expect([code, waits]).toEqual([0, [250, 1_000]]);
  });

  /** What is stored becomes something else, right away or after the first look. */
  const storing = (change: (stored: Record<string, string>) => Record<string, string>, looks = 0): Answering => {
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
  };

  test.each<[string, Answering, number, RegExp]>([
    ['another value', storing((all) => ({ ...all, KEY: 'x' })), 7, /another value than was sent is stored for KEY/],
    ['another name', storing(({ KEY = '', ...all }) => ({ ...all, key: KEY })), 1, /did not store KEY/],
    ['nothing else', storing(() => ({ KEY: 'value' })), 1, /did not store OTHER/],
    [
      'the list of another machine',
      storing(({ KEY: _, ...all }) => ({ ...all, THEIRS: 'x' }), 1),
      7,
      /changed by someone else right after: KEY/,
    ],
    [
      'the value of another machine',
      storing((all) => ({ ...all, KEY: 'theirs' }), 1),
      7,
      /changed by someone else right after: KEY/,
    ],
    [
      'another value of another secret',
      storing((all) => ({ ...all, OTHER: 'x' })),
      0,
      /other values than before: OTHER/,
    ],
    ['one more', storing((all) => ({ ...all, MORE: 'x' })), 0, /^project .*\n$/],
  ])('looks at all of them, and again a second later: %s', async (_, answering, exit, message) => {
    await gantry(['secrets', 'set', 'OTHER', '--from-env'], { emulator, env: { OTHER: 'other' } });
    const { code, stdout, stderr } = await set(answering);
    expect([code, stdout === '']).toEqual([exit, exit !== 0]);
    expect(stderr).toMatch(message);
  });

  test('unset does not take other letters for proof', async () => {
    await gantry(['secrets', 'set', 'KEY', '--from-env'], { emulator, env: { KEY: 'value' } });
    const kept = storing((all) => ({ ...all, key: 'value' }));
    expect(await through(['secrets', 'unset', 'KEY', '--yes'], kept)).toExit(1, 'the platform did not remove key');
  });

  test('accepts masked values as confirmation', async () => {
    const { code } = await set(async ({ route }, pass) => {
      if (!route.startsWith('GET ')) return undefined;
      const names = Object.keys(JSON.parse((await pass()).body || '{}') ?? {});
      return { body: JSON.stringify(Object.fromEntries(names.map((name) => [name, '***']))) };
    });
    expect(code).toBe(0);
  });
});

describe('volumes resize', () => {
  const words = ['volumes', 'resize', '100GB', '--yes'];

  test('exits with 8 if the change is not shown', async () => {
    const { code, stdout, stderr } = await through(words, ignoring('PATCH'));
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).toContain('default-us-east-1 still has 50 GB');
  });

  test('succeeds with a note if the platform shows no size', async () => {
    const { code, stdout } = await through(words, ({ route }) =>
      route.endsWith('/volumes') ? { status: 404, body: '{"message":"not found"}' } : undefined,
    );
    expect([code, stdout]).toEqual([0, 'the platform accepted 100 GB for default-us-east-1\n']);
  });
});

describe('service-accounts grant', () => {
  const words = ['service-accounts', 'grant', 'sa-1', 'p-2', '--yes'];

  test('waits until the change is listed', async () => {
    empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'ci', grants: ['p-1'] }] });
    const { code, waits } = await through(words, lagging('PATCH', /\/service-accounts$/, 1));
    expect([code, waits]).toEqual([0, [250]]);
  });
});
