import { TaskQueue } from '../transfer/task-queue.ts';

/** Does some of the work at the same time. Throws the first error once nothing is in progress, and begins nothing after it. */
export async function inLane<Item>(
  concurrency: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = new TaskQueue(concurrency);
  const errors: unknown[] = [];
  for (const item of items) {
    lane.add(async () => {
      if (errors.length === 0) await work(item).catch((error: unknown) => void errors.push(error));
    });
  }
  await lane.waitUntilIdle();
  if (errors.length > 0) throw errors[0];
}
