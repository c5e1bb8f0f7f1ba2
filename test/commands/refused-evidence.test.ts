import { describe, expect, test } from 'vitest';
import { empty } from '../support/account.ts';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry } from '../support/gantry.ts';
import { type Answer, type Answering, inFrontOf } from '../support/in-front-of.ts';
import { deployWeb, record } from '../support/runs.ts';

const emulator = emulatorForEach({ real: false });

const refusal: Answer = { status: 403, body: '{"message":"not for this token"}' };
/** All that are refusals, of any look. */
const refusals: [string, Answer][] = [
  ['403', refusal],
  ['404', { status: 404, body: '{"message":"no such route"}' }],
  ['405', { status: 405, body: '{"message":"not allowed"}' }],
];

/** Refuses reads of this route, as often as given, and ignores changes if told to. */
function refusing(path: RegExp, answer: Answer, { times = Number.POSITIVE_INFINITY, ignored = false } = {}): Answering {
  let left = times;
  return ({ route }) => {
    if (route.startsWith('GET ')) return path.test(route) && left-- > 0 ? answer : undefined;
    return ignored ? { body: '{}' } : undefined;
  };
}

async function through(words: string[], answering: Answering) {
  return gantry([...words, '--json'], { emulator, env: await inFrontOf(emulator, answering) });
}

const unconfirmed = 'warning: the platform accepted the change, but does not show whether';

describe.each(refusals)('where the platform answers a look with %s', (_, answer) => {
  test('rm removes a file, and says that nothing shows it', async () => {
    emulator.volume().write('/t/a', 'x');
    const { code, json, stderr } = await through(['rm', ':/t/a', '--yes'], refusing(/\/ls$/, answer));
    expect(json()).toEqual([{ path: 'default:/t/a', isFolder: false, changed: true, confirmed: false }]);
    expect(stderr).toContain(`${unconfirmed} default:/t/a is gone`);
    expect([code, emulator.volume().read('/t/a')]).toEqual([0, undefined]);
  });

  test('rm believes what is listed afterwards', async () => {
    emulator.volume().write('/t/a', 'x');
    // Two looks: a folder that is not found is looked for in the root.
    const times = answer.status === 404 ? 2 : 1;
    const done = await through(['rm', ':/t/a', '--yes'], refusing(/\/ls$/, answer, { times }));
    expect(done.json()).toMatchObject([{ confirmed: true }]);
    emulator.volume().write('/t/a', 'x');
    const lie = await through(['rm', ':/t/a', '--yes'], refusing(/\/ls$/, answer, { times, ignored: true }));
    expect([lie.code, lie.stdout]).toEqual([69, expect.stringContaining('still lists it')]);
  });
});

describe('where the platform refuses a look', () => {
  test('rm -r removes a folder that is written as one', async () => {
    emulator.volume().write('/t/a', 'x');
    const words = ['rm', '-r', ':/t/', '--confirm', ':/t/'];
    const { code, json } = await through(words, refusing(/\/ls$/, refusal));
    expect(json()).toEqual([{ path: 'default:/t/', isFolder: true, changed: true, confirmed: false }]);
    expect([code, emulator.volume().read('/t/a')]).toEqual([0, undefined]);
  });

  test('builds cancel cancels a build', async () => {
    emulator.fail('build', 'slow');
    const deployed = await gantry(['deploy', '--detach', '--json'], { emulator, cwd: newFolder(smallApp()) });
    const { build } = deployed.json() as { build: string };
    const words = ['builds', 'cancel', 'web', build, '--yes'];
    const { code, json, stderr } = await through(words, refusing(/\/builds\/[^/]+$/, refusal));
    expect([code, json()]).toMatchObject([0, { build, changed: true, confirmed: false }]);
    expect(stderr).toContain(`${unconfirmed} build ${build} of web is canceled`);
    const shown = await gantry(['builds', 'get', 'web', build, '--json'], { emulator });
    expect(shown.json()).toMatchObject({ status: 'canceled' });
  });

  test('runs cancel cancels a run', async () => {
    await deployWeb(emulator);
    record(emulator, { id: 'r-1', createdAt: Date.now() - 90_000, runtimeMs: 1e12 });
    const words = ['runs', 'cancel', 'web', 'r-1', '--yes'];
    const { code, json } = await through(words, refusing(/\/runs(\/[^/]+)?$/, refusal));
    expect([code, json()]).toMatchObject([0, { status: null, changed: true, confirmed: false }]);
    expect(emulator.store.runs.get('r-1')?.cancelledAt).toBeDefined();
  });

  test('service-accounts grant does not guess grants that would be lost', async () => {
    empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'ci', grants: ['p-1'] }] });
    const calls = emulator.calls.length;
    const words = ['service-accounts', 'grant', 'sa-1', emulator.project, '--yes'];
    const refused = await through(words, refusing(/\/service-accounts$/, refusal));
    expect(refused.stderr).toContain('cannot be listed');
    expect([refused.code, emulator.calls.slice(calls)]).toEqual([5, []]);
  });
});

test('a token that may delete apps and not list them deletes one', async () => {
  await deployWeb(emulator);
  const answering = refusing(/\/apps$/, refusal);
  const env = { ...(await inFrontOf(emulator, answering)), GANTRY_CONFIG_DIR: newFolder() };
  const words = ['apps', 'delete', 'web', '--confirm', 'web', '--json'];
  const { code, json, stderr } = await gantry(words, { emulator, env });
  expect([code, json()]).toMatchObject([0, { app: 'web', confirmed: false }]);
  expect(stderr).toContain(`${unconfirmed} web is deleted`);
  // Only what is certain is on record.
  expect((await gantry(['history', 'web', '--json'], { emulator, env })).json()).toEqual([]);
});

test.each([
  ['apps delete web --confirm web', /\/apps\/[^/]+$/, 'could not confirm that web is deleted'],
  ['volumes resize 100GB --yes', /\/volumes$/, 'could not confirm that default-us-east-1 has 100 GB'],
])('%s fails where the platform shows the state before, and refuses to afterwards', async (line, path, message) => {
  await deployWeb(emulator);
  let isSent = false;
  const { code, stdout, stderr } = await through(line.split(' '), ({ route }) => {
    if (!route.startsWith('GET ')) isSent = true;
    else return isSent && path.test(route) ? refusal : undefined;
    return { body: '{}' };
  });
  expect([code, stdout]).toEqual([5, expect.stringContaining(message)]);
  expect(stderr).toContain(message);
});

test('volumes resize warns if the size is never shown', async () => {
  const { code, json, stderr } = await through(
    ['volumes', 'resize', '100GB', '--yes'],
    refusing(/\/volumes$/, refusal),
  );
  expect([code, json()]).toMatchObject([0, { confirmed: false }]);
  expect(stderr).toContain(`${unconfirmed} default-us-east-1 has 100 GB`);
});
