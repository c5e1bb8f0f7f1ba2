import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../src/transfer/concurrency-limit.ts';

/** Works that end when they are told to. */
function works(gate: ConcurrencyLimit) {
  const inside: { name: string; end: () => void; fail: () => void }[] = [];
  const run = (name: string, order?: number) =>
    gate
      .run(() => new Promise<void>((end, fail) => inside.push({ name, end, fail: () => fail(new Error(name)) })), order)
      .catch(() => {});
  return { inside, run, names: () => inside.map(({ name }) => name) };
}

test('runs as many tasks as the limit allows, in order', async () => {
  const { inside, run, names } = works(new ConcurrencyLimit(2, () => 0));
  for (const name of ['a', 'b', 'c', 'd']) void run(name);
  expect(names()).toEqual(['a', 'b']);
  inside[0]?.end();
  await setImmediate();
  expect(names()).toEqual(['a', 'b', 'c']);
  inside[1]?.fail();
  await setImmediate();
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
});

test('runs the task with the lowest order next', async () => {
  const { inside, run, names } = works(new ConcurrencyLimit(1, () => 0));
  void run('first', 9);
  for (const order of [3, 1, 2, 1]) void run(`order ${order}`, order);
  for (let index = 0; index < 5; index++) {
    inside[index]?.end();
    await setImmediate();
  }
  expect(names()).toEqual(['first', 'order 1', 'order 1', 'order 2', 'order 3']);
});

test('is halved once for simultaneous complaints, never below one, and grows back', async () => {
  let now = 0;
  const gate = new ConcurrencyLimit(8, () => now);
  const widths: number[] = [];
  for (const at of [0, 10, 999, 1_000, 2_000, 3_000, 4_000]) {
    now = at;
    gate.reduce();
    widths.push(gate.current);
  }
  expect(widths).toEqual([4, 4, 4, 2, 1, 1, 1]);
  for (let round = 0; round < 3; round++) await gate.run(async () => {});
  expect(gate.current).toBe(2);
  for (let round = 0; round < 200; round++) await gate.run(async () => {});
  expect(gate.current).toBe(8);
});

test('starts no task while more than the limit run', async () => {
  const gate = new ConcurrencyLimit(4, () => 0);
  const { inside, run, names } = works(gate);
  for (const name of ['a', 'b', 'c', 'd', 'e']) void run(name);
  gate.reduce();
  inside[0]?.fail();
  inside[1]?.fail();
  await setImmediate();
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
  inside[2]?.fail();
  await setImmediate();
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
});
