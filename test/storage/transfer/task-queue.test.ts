import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TaskQueue } from '../../../src/storage/transfer/task-queue.ts';

test('tasks start in their order when there are places for them, however many one takes', async () => {
  const queue = new TaskQueue(4);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, places?: number) =>
    queue.add(() => {
      started.push(name);
      return new Promise((end) => ends.set(name, end));
    }, places);
  add('a', 2);
  add('b');
  add('c', 2);
  add('d');
  add('e', 9);
  const after: Record<string, string[]> = { '': [...started] };
  for (const name of ['b', 'a', 'c', 'd']) {
    ends.get(name)?.();
    await setImmediate();
    after[name] = [...started];
  }
  expect(after).toEqual({
    '': ['a', 'b'],
    b: ['a', 'b', 'c'],
    a: ['a', 'b', 'c', 'd'],
    c: ['a', 'b', 'c', 'd'],
    d: ['a', 'b', 'c', 'd', 'e'],
  });
  ends.get('e')?.();
  await queue.waitUntilIdle();
});
