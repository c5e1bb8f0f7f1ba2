import { describe, expect, test } from 'vitest';
import { sayJson } from '../support/app-server.ts';
import { type Answer, echo, mapping, numbers, sorted, upTo } from '../support/mapping.ts';

/** A second of its only replica costs $10, and there is no cooldown. */
const details = {
  costPerSecondCents: '1000',
  cooldownPeriodSeconds: '0',
  minReplicaCount: '0',
  maxReplicaCount: '1',
  replicaConcurrency: '1',
};
/** Takes so long that not all calls are within a budget. */
const takesTime: Answer = (...call) => setTimeout(() => echo(...call), 20);

interface Summary {
  calls: number;
  pending: number;
  durationMs: number;
  costCents: number;
  stoppedBy: string | null;
  next: unknown;
}

describe('a budget', () => {
  test('ends the calls; the same command continues', async () => {
    const { run, indexes, called, lines } = await mapping(takesTime, { details, inputs: numbers(60) });
    const outcome = await run('--budget 2 --json');
    const { calls, pending, costCents, stoppedBy, next } = outcome.json() as Summary;
    expect([outcome.code, stoppedBy, calls, calls + pending]).toEqual([14, 'budget', called.length, 60]);
    expect(costCents).toBeGreaterThan(100);
    expect(next).toMatchObject([{ argv: expect.arrayContaining(['--budget', '2']) }]);
    expect(outcome.stderr).toMatch(
      /\d+ of 60 inputs have a result in out.jsonl; \$[\d,.]+ so far, about \$[\d,.]+ left; the same command continues/,
    );
    const before = called.length;
    await run('--budget $2');
    expect(called.length).toBeGreaterThan(before);
    expect([sorted(called), lines().length]).toEqual([sorted(indexes()), called.length]);
    expect((await run('--budget 1000 --concurrency 64')).code).toBe(0);
    expect(sorted(called)).toEqual(upTo(60));
  });

  test('is said in the result, with what the calls cost', async () => {
    const { run } = await mapping(takesTime, { details, inputs: numbers(60) });
    const { stdout } = await run('--budget 1.00', { columns: 200 });
    expect(stdout).toMatch(
      /\(\d+ calls? in [\d.]+ m?s, about \$[\d,.]+ with the cooldown\); stopped by the budget of \$1\.00/,
    );
  });

  test('that suffices does not end them', async () => {
    const { run } = await mapping(echo, { details });
    const outcome = await run('--budget 1000 --json');
    expect([outcome.code, outcome.json()]).toMatchObject([0, { stoppedBy: null, pending: 0, budgetCents: 100_000 }]);
  });

  test.each([
    ['0', 14],
    ['1', 0],
  ])('pays for the cooldown of a replica that ends: min_replicas %s', async (minReplicaCount, code) => {
    const cheap = { ...details, costPerSecondCents: '1', cooldownPeriodSeconds: '600', minReplicaCount };
    const { run } = await mapping(echo, { details: cheap });
    expect((await run('--budget 3')).code).toBe(code);
  });

  test.each([
    ['what web costs is not known', {}, '1'],
    ['is too small for one call of web', { ...details, cooldownPeriodSeconds: '10' }, '1'],
  ])('is refused before any call: %s', async (message, settings, budget) => {
    const { run, called } = await mapping(echo, { details: settings });
    const { code, stderr } = await run(`--budget ${budget}`);
    expect([code, called, stderr]).toEqual([14, [], expect.stringContaining(message)]);
  });

  test('is refused if the app cannot be read', async () => {
    const { run, called } = await mapping(echo, { details: { id: 5 } });
    const { code } = await run('--budget 1');
    expect([code, called]).toEqual([14, []]);
  });
});

test('replicas are paid from their start on', async () => {
  // One runs since long ago, and is paid for since the command began; the other one has ended before.
  const long = new Date(Date.now() - 3_600_000).toISOString();
  const ended = { containerStartTimestamp: long, containerTerminationTimestamp: long, containerState: 'SUCCEEDED' };
  const containers = [
    { containerId: 'a', containerState: 'RUNNING', containerStartTimestamp: long },
    { containerId: 'b', ...ended },
  ];
  const { run } = await mapping(takesTime, { details: { ...details, maxReplicaCount: '50' }, containers });
  const { costCents, durationMs } = (await run('--concurrency 1 --json')).json() as Summary;
  expect(costCents / durationMs).toBeGreaterThan(0.5);
  expect(costCents / durationMs).toBeLessThan(1.5);
});

test('without a price, nothing is said of the cost', async () => {
  const { run } = await mapping((response) => sayJson(response, { detail: 'broken' }, 500));
  const { stdout, stderr } = await run('--max-failures 2 --concurrency 1 --json');
  expect(JSON.parse(stdout)).toMatchObject({ costCents: null, budgetCents: null, stoppedBy: 'failures' });
  expect(stderr).not.toContain('$');
});

test('the progress has the price so far, and of what is left', async () => {
  let text = '';
  const seen = (_: string, stderr: string) => {
    text = stderr;
  };
  const { run } = await mapping(takesTime, { details });
  await run('--concurrency 1', { columns: 120, seen });
  expect(text).toMatch(/of 20, .*\$[\d,.]+, .* and \$[\d,.]+ left/);
});
