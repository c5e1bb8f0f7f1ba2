import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/index.ts';
import { deployWeb, emulatorForEach, gantry, record, wideTerminal } from '../support/index.ts';

const minute = 60_000;
const clock = { now: Date.UTC(2026, 10, 20, 12) };
const emulator = emulatorForEach({ real: false, now: () => clock.now });

/** Ten calls within the last half an hour, and six jobs of another machine that all fail. */
async function arrange({ jobs = 6, jobsAgo = 2 * minute } = {}): Promise<Emulator> {
  await deployWeb(emulator);
  clock.now += 60 * minute;
  for (let at = 0; at < 10; at++) record(emulator, { id: `call-${at}`, createdAt: clock.now - (20 + at) * minute });
  for (let at = 0; at < jobs; at++) {
    const id = `job-${at}`;
    record(emulator, {
      id,
      createdAt: clock.now - jobsAgo - at,
      container: `web-${id}`,
      statusCode: 500,
      oneOff: true,
    });
  }
  return emulator;
}

const shown = async (line: string) => (await gantry([...line.split(' '), '--json'], { emulator, clock })).json();

describe('jobs of gantry run are no calls', () => {
  test.each([
    [
      'status web',
      { lastHour: { calls: 10, errors: 0, jobs: 6, failedJobs: 6 }, failure: null, replicas: { running: 0 } },
    ],
    ['cost web', { apps: [{ calls: 10 }] }],
    ['apps tune web', { calls: 10 }],
  ])('%s', async (line, expected) => {
    await arrange();
    expect(await shown(line)).toMatchObject(expected);
  });

  test('status says the runs of files beside the calls', async () => {
    await arrange();
    const { stdout } = await gantry(['status', 'web'], { emulator, clock });
    expect(stdout).toMatch(/^last hour\t10 calls, 0 errors, p95 [^;]+; 6 runs of files, 6 failed$/m);
  });

  test('explain takes a failed call before a failed job', async () => {
    await arrange();
    expect(await shown('explain web')).toMatchObject({ run: 'job-0', failed: true });
    record(emulator, { id: 'call-failed', createdAt: clock.now - 40 * minute, statusCode: 500 });
    expect(await shown('explain web')).toMatchObject({ run: 'call-failed', failed: true });
  });

  test('top', async () => {
    await arrange({ jobsAgo: 1_000 });
    const outcome = await gantry(['metrics', '--live', 'web', '--for', '20s', '--json'], { emulator, clock });
    const last = JSON.parse(outcome.stdout.trim().split('\n').at(-2) ?? '');
    expect(last).toMatchObject({ apps: [{ errorShare: null, replicas: 0, callsPerSecond: 0 }], failures: [] });
  });
});

test('runs list and runs export mark them', async () => {
  await arrange({ jobs: 1 });
  const listed = (await shown('runs list web')) as { id: string; kind: string }[];
  expect(listed.map(({ kind }) => kind)).toEqual(['job', ...Array(10).fill('call')]);
  const { stdout } = await gantry(['runs', 'list', 'web'], { emulator, clock, ...wideTerminal });
  expect(stdout).toMatch(/^RUN .*KIND\njob-0 +failed .* job\n/);
  const lines = (await gantry(['runs', 'export', 'web'], { emulator, clock })).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual([...Array(10).fill('call'), 'job']);
});

test('a job runs in a container of no build, and has no method', async () => {
  await arrange({ jobs: 1, jobsAgo: 50 });
  expect(await shown('apps containers web')).toEqual(
    expect.arrayContaining([expect.objectContaining({ containerId: 'web-job-0', buildId: '' })]),
  );
  expect(await shown('runs get web job-0')).toMatchObject({ method: '' });
});
