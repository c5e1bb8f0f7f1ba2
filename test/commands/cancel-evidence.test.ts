import { beforeEach, describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';
import { type Answering, inFrontOf } from '../support/in-front-of.ts';
import { deployWeb, record } from '../support/runs.ts';

const emulator = emulatorForEach({ real: false });

const page = { type: 'text/html', body: '<html><title>Sign in</title></html>' };
const confirmation = { type: 'text/plain', body: 'Build cancelled' };

/** Confirms a cancellation without canceling. */
const ignoring =
  (answer = confirmation): Answering =>
  ({ route }) =>
    /^DELETE .*\/(builds|runs)\//.test(route) ? answer : undefined;

async function through(words: string[], answering: Answering, setting: Setting = {}) {
  const env = await inFrontOf(emulator, answering);
  return gantry(words, { emulator, ...setting, env });
}

describe('a build is canceled only if its status says so', () => {
  let build: string;

  beforeEach(async () => {
    emulator.fail('build', 'slow');
    const { json } = await gantry(['deploy', '--detach', '--json'], { emulator, cwd: newFolder(smallApp()) });
    build = (json() as { build: string }).build;
  });

  const cancel = (answering: Answering, more: Setting = {}) =>
    through(['builds', 'cancel', 'web', build, '--yes', '--json'], answering, more);

  test('exits with 8 if the build continues after the confirmation', async () => {
    const { code, json, stdout } = await cancel(ignoring());
    expect(code).toBe(8);
    expect(json()).toMatchObject({ error: { details: { build, status: expect.any(String) } } });
    expect(stdout).toContain(`gantry logs web --build ${build} -f`);
    expect(stdout).not.toContain('"changed": true');
  });

  test('waits for a build that takes seconds to stop', async () => {
    let looks = 0;
    const { code, json, waits } = await cancel(async ({ route }, pass) => {
      if (!/^GET .*\/builds\/[^/]+$/.test(route) || ++looks === 1 || looks > 4) return undefined;
      return { body: JSON.stringify({ ...JSON.parse((await pass()).body), status: 'cancelling' }) };
    });
    expect([code, json()]).toMatchObject([0, { build, changed: true }]);
    expect(waits).toEqual([250, 500, 1_000]);
  });

  test.each([
    [{ status: 404, body: '{"message":"Cannot GET /v2/projects"}' }, 6, 'is canceled: Cannot GET /v2/projects'],
    [{ ...page, status: 404 }, 69, 'is canceled: received a web page instead of a reply (HTTP 404)'],
  ])('does not take a 404 for proof that the build has stopped: %j', async (gone, expected, message) => {
    let isCancelled = false;
    const outcome = await cancel(({ route }) => {
      if (isCancelled) return gone;
      isCancelled = route.startsWith('DELETE ');
      return undefined;
    });
    expect(outcome).toExit(expected, `could not confirm that build ${build} of web ${message}`);
  });

  test('does not report success if the status cannot be read', async () => {
    let isCancelled = false;
    const outcome = await cancel(({ route }) => {
      if (isCancelled) return { status: 403, body: '{"message":"not for you"}' };
      isCancelled = route.startsWith('DELETE ');
      return undefined;
    });
    expect(outcome).toExit(5, `could not confirm that build ${build} of web is canceled: not for you`);
  });
});

describe('a run is canceled only if its status says so', () => {
  beforeEach(async () => {
    await deployWeb(emulator);
    record(emulator, { id: 'r-1', createdAt: Date.now() - 90_000, runtimeMs: 1e12 });
  });

  test.each([
    ['a confirmation', { type: 'application/json', body: '{}' }],
    ['a web page', page],
  ])('does not report success for %s if the run continues', async (_, answer) => {
    const { code, stdout } = await through(['runs', 'cancel', 'web', 'r-1', '--yes'], ignoring(answer));
    expect([code, stdout]).not.toEqual([0, expect.anything()]);
    expect(emulator.store.runs.get('r-1')?.cancelledAt).toBeUndefined();
  });
});

test('a build whose status can be read no more continues, and the error says so', async () => {
  emulator.fail('build', 'slow');
  const unread: Answering = ({ route }) =>
    /^GET .*\/builds\/[^/]+$/.test(route) ? { status: 403, body: '{"message":"not for you"}' } : undefined;
  const { code, stderr } = await through(['deploy'], unread, { cwd: newFolder(smallApp()) });
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /why could not get the status of build \S+ of web; it continues\n {2}fix gantry logs web --build/,
  );
});

test('Ctrl-C warns if a build may continue although the platform confirmed its cancellation', async () => {
  emulator.fail('build', 'slow');
  const { code, stderr } = await through(['deploy'], ignoring(), { cwd: newFolder(smallApp()), stop: /Uploaded/ });
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /warning: build \S+ may not be canceled: its status is still \w+\n {2}fix gantry builds cancel/,
  );
  expect(stderr).not.toContain('canceled build');
});
