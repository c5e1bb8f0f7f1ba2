import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Replica, ReplicaError } from '../../src/emulator/running/replicas/replica.ts';
import { RestartingReplica } from '../../src/emulator/running/replicas/restarting-replica.ts';

const minute = 60_000;

/** A replica whose processes the test gets ready and ends. `skip` ends a pause, so that nothing waits. */
function create({ pauseMs = 10_000 } = {}) {
  const clock = { now: 0 };
  const processes: { ready: () => void; fail: (reason: string) => void; exit: (reason?: string) => void }[] = [];
  const printed: string[] = [];
  const start = (): Replica => {
    let [ready, fail, exit] = [() => {}, (_: Error) => {}, (_: string) => {}];
    const becomesReady = new Promise<void>((done, failed) => {
      [ready, fail] = [done, failed];
    });
    becomesReady.catch(() => {});
    const ended = new Promise<string>((done) => {
      exit = done;
    });
    processes.push({
      ready,
      fail: (reason) => {
        fail(new ReplicaError(reason));
        exit(reason);
      },
      exit: (reason = 'it ended') => exit(reason),
    });
    const call = async () => ({ status: 200, headers: {}, body: '' });
    return { ready: becomesReady, ended, pid: processes.length, call, stop: async () => exit('stopped') };
  };
  const print = ({ text }: { text: string }) => void printed.push(text);
  const replica = new RestartingReplica({ start, now: () => clock.now, pauseMs, print });
  const last = () => processes.at(-1) as (typeof processes)[number];
  const crash = async (ranMs = 1_000) => {
    last().ready();
    await setImmediate();
    clock.now += ranMs;
    last().exit();
    await setImmediate();
    replica.restartNow();
    await setImmediate();
  };
  return { replica, clock, processes, printed, last, crash };
}

test('a process that ends is started again at once, and later after pauses that double up to five minutes', async () => {
  const { replica, printed, processes, crash } = create();
  for (let count = 0; count < 8; count++) await crash();
  expect(printed.map((text) => text.replace(/^.* of the replica /, ''))).toEqual([
    ...['now', 'in 10 s', 'in 20 s', 'in 40 s', 'in 80 s', 'in 160 s', 'in 300 s', 'in 300 s'],
  ]);
  expect([replica.restarts, processes.length]).toEqual([8, 9]);
});

test('a process that was well for ten minutes starts the pauses over', async () => {
  const { printed, crash } = create();
  await crash();
  await crash();
  await crash(11 * minute);
  expect(printed.at(-1)).toBe('error: it ended; restart 3 of the replica now');
});

test('a replica is ready again only when its new process is', async () => {
  const { replica, last, crash } = create();
  await crash();
  expect([replica.isReady, replica.pid]).toEqual([false, 2]);
  last().ready();
  await replica.ready;
  expect(replica.isReady).toBe(true);
});

test('a process that was never ready is not started again', async () => {
  const { replica, processes, last } = create();
  last().fail('no module');
  await expect(replica.ready).rejects.toThrow('no module');
  expect(await replica.ended).toBe('no module');
  expect(processes).toHaveLength(1);
});

test('a process that does not get ready again is started once more, without an end', async () => {
  const { replica, last, crash, printed } = create();
  await crash();
  last().fail('no module');
  await expect(replica.ready).rejects.toThrow('no module');
  await setImmediate();
  expect(printed.at(-1)).toBe('error: no module; restart 2 of the replica in 10 s');
});

test('stop ends a pause, and nothing is started afterwards', async () => {
  const { replica, processes, last } = create();
  last().ready();
  await setImmediate();
  last().exit();
  await setImmediate();
  last().ready();
  await setImmediate();
  last().exit();
  await setImmediate();
  expect(processes).toHaveLength(2);
  await replica.stop(0);
  expect([processes.length, await replica.ended]).toEqual([2, 'it ended']);
});
