import { beforeEach, describe, expect, test } from 'vitest';
import type { FaultTarget } from '../../src/emulator/model/faults.ts';
import { smallApp } from '../support/app.ts';
import { emulatorForEach, prompt } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';
import { type Answering, inFrontOf } from '../support/in-front-of.ts';
import { print, record } from '../support/runs.ts';

// What was just created is denied or not found for some seconds: the platform's records, its authorizer and its lists are
// different stores. Its own client tries again.

const clock = { now: 0 };
const aMinutePasses = () => {
  clock.now += 60_000;
};
beforeEach(() => {
  clock.now = Date.UTC(2026, 10, 20, 9, 30);
});

const web = smallApp('[cerebrium.scaling]\nmin_replicas = 1\n[cerebrium.dependencies.pip]\nnumpy = "2.1.0"\n');
const job = { 'job.py': 'print(1)\n' };

async function here(files: Record<string, string>, line: string, setting: Setting) {
  return await gantry(line.split(' '), { clock, cwd: newFolder(files), ...setting });
}

describe('on a platform that shows everything 10 seconds late', () => {
  const emulator = emulatorForEach({ real: false, now: () => clock.now, late: 10_000 });

  test.each([
    ['deploy', web],
    ['deploy --if-busy wait', web],
    ['deploy --watch 40s', web],
    ['run job.py', { ...web, ...job }],
    ['run --name other job.py', job],
  ])('%s waits for what it has created', async (line, files) => {
    const outcome = await here(files, line, { emulator });
    expect(outcome).toExit(0, expect.not.stringMatching(/(app|build|run) \S+ (not found|is not known)/));
  });

  test.each([
    ['logs web --build 82bd173a-a041-4b5c-8de7-b7aaa2f84582 -f', 5],
    ['logs web --run 53ad5fd9-9b3f-4a11-8f79-a81e12420cf4 -f', 5],
  ])('%s does not wait for what a user names', async (line, exit) => {
    await here(web, 'deploy --detach', { emulator });
    const { code, waits } = await here(web, line, { emulator });
    expect([code, waits]).toEqual([exit, []]);
  });
});

describe('a run that was just started', () => {
  const emulator = emulatorForEach({ real: false, now: () => clock.now });
  const run = '53ad5fd9-9b3f-4a11-8f79-a81e12420cf4';

  test.each([`runs get web ${run}`, `runs cancel web ${run} --yes`, `explain web ${run}`, `logs web --run ${run}`])(
    '%s finds it',
    async (line) => {
      await here(web, 'deploy --detach', { emulator });
      const meanwhile = () => {
        record(emulator, { id: run, createdAt: clock.now, runtimeMs: 1e12 });
        print(emulator, `line of ${run}`, { run });
      };
      expect(await here(web, line, { emulator, meanwhile })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(run),
      });
    },
  );
});

describe('what is not found at first', () => {
  const emulator = emulatorForEach({ ...prompt, real: false, now: () => clock.now });

  test.each<[line: string, target: FaultTarget, status: number, times: number, setting?: Setting, exit?: number]>([
    ['deploy', 'getBuild', 404, 8],
    ['deploy', 'getBuild', 403, 8],
    ['deploy', 'getBuild', 503, 30, { meanwhile: aMinutePasses }],
    ['deploy --if-busy wait', 'listBuilds', 403, 8],
    ['deploy', 'cancelBuild', 404, 3, { stop: /Created build/ }, 130],
    ['deploy', 'getBuild', 404, 3, { stop: /Created build/ }, 130],
    ['deploy --detach', 'getBuild', 403, 3],
    ['run job.py --detach', 'getRun', 404, 3],
    ['run job.py', 'getRun', 404, 8],
    ['run job.py', 'getRun', 403, 8],
    ['run job.py', 'prepareBaseImage', 403, 8],
    ['run job.py', 'startRun', 403, 8],
  ])('%s goes on (%s: %i)', async (line, target, status, times, setting = {}, exit = 0) => {
    emulator.fail(target, ...Array<number>(times).fill(status));
    const { code, stderr } = await here({ ...web, ...job }, line, { emulator, ...setting });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.not.stringMatching(/(could|may) not be canceled/) });
    expect(emulator.calls.filter(({ endpoint }) => endpoint === target).length).toBeGreaterThan(times);
  });

  test.each(['deploy --watch 40s', 'deploy --smoke run'])('%s looks at the app again', async (line) => {
    let left = 0;
    const env = await inFrontOf(emulator, ({ route }) => {
      if (route.startsWith('POST ')) left = 5;
      if (left === 0 || !/^GET .*\/apps\/[^/]+$/.test(route)) return undefined;
      left -= 1;
      return { status: 404, body: '{"message":"no such app"}' };
    });
    expect(await here(web, line, { emulator, env })).toMatchObject({ code: 0 });
  });
});

describe('an app that is denied, and that the list of apps lacks', () => {
  const emulator = emulatorForEach({ real: false, now: () => clock.now });
  const denied: Answering = async ({ route }, pass) => {
    const reply = await pass();
    const isMissing = reply.status === 404 && /\/apps\/[^/]+/.test(route);
    return isMissing ? { status: 403, body: '{"message":"forbidden"}' } : reply;
  };

  test.each([
    ['deploy --dry-run', 0],
    ['deploy --if-busy fail', 0],
    ['deploy --if-busy cancel', 0],
    ['deploy --preview one --ttl 1h', 0],
    ['rollback web --yes', 6],
    ['status', 0],
    ['apps get web', 6],
    ['apps delete web --confirm web', 6],
    ['logs web', 6],
    ['builds list web', 6],
  ])('%s takes it for one that does not exist: exit %i', async (line, exit) => {
    const { code, stderr } = await here(web, line, { emulator, env: await inFrontOf(emulator, denied) });
    expect({ code, stderr }).toMatchObject({ code: exit });
  });

  test('one that is listed is denied', async () => {
    await here(web, 'deploy', { emulator });
    const env = await inFrontOf(emulator, ({ route }) =>
      /\/apps\/[^/]+$/.test(route) ? { status: 403, body: '{"message":"forbidden"}' } : undefined,
    );
    expect((await here(web, 'apps get web', { emulator, env })).code).toBe(5);
  });
});
