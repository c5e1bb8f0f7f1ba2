import { expect, test } from 'vitest';
import { type Container, hasCrashed, hasStopped, isRunning } from '../../../src/contract/containers.ts';
import { ReplicaReads } from '../../../src/operations/watch/replica-reads.ts';

/** Lists that are read one a second, each of replicas: `a ran 5 at 0` runs for 5 s, and was read at 0. */
const rows: [what: string, isCopy: boolean, ...lists: string[]][] = [
  ['one list', false, 'a ran 5'],
  ['two lists within a second', false, 'a ran 5', 'a ran 5'],
  ['no replicas', false, '', '', ''],
  ['nothing of the time', false, 'a', 'a', 'a'],
  ['replicas that run on', false, 'a ran 5', 'a ran 6', 'a ran 7'],
  ['replicas that run no longer', true, 'a ran 5', 'a ran 5', 'a ran 5'],
  ['replicas that have not run yet', false, 'a ran 0', 'a ran 0', 'a ran 0'],
  ['a time of reading that never moves', false, 'a at 0', 'a at 0', 'a at 0'],
  ['a time of reading that moved', true, 'a at 0', 'a at 1', 'a at 1', 'a at 1'],
  [
    'a time of reading that moved for one of two',
    true,
    'a at 0, b at 0',
    'a at 1, b at 0',
    'a at 1, b at 0',
    'a at 1, b at 0',
  ],
  ['a time of reading that moved, then none', false, 'a at 0, b', 'a at 1, b', 'b', 'b', 'b'],
  ['one of two runs on', false, 'a ran 5, b ran 5', 'a ran 5, b ran 6', 'a ran 5, b ran 7'],
  ['one of two shows how long it runs', true, 'a ran 5, b', 'a ran 5, b', 'a ran 5, b'],
  ['one more', false, 'a ran 5', 'a ran 5', 'a ran 5, b ran 5'],
  ['one of two is gone', false, 'a ran 5, b ran 5', 'a ran 5, b ran 5', 'a ran 5'],
  [
    'one that has ended, and one that runs on',
    false,
    'a ran 5, b ran 5',
    'a ran 6, b ended ran 5',
    'a ran 7, b ended ran 5',
  ],
  ['one that has ended, and nothing of the other', false, 'a, b ended ran 5', 'a, b ended ran 5', 'a, b ended ran 5'],
];

test.each(rows)('whether lists of replicas are copies of one: %s', (_, isCopy, ...lists) => {
  const reads = new ReplicaReads();
  expect(reads.doubt()).toBeUndefined();
  for (const [second, list] of lists.entries()) reads.see(replicasOf(list), 60_000 + second * 1_000);
  const reason = 'the list of its replicas is a copy, which was not read anew for 2.0 s';
  expect(reads.doubt()).toEqual(isCopy ? { reason } : undefined);
});

test.each<[what: string, running: string, ...lists: string[]]>([
  ['one look tells what the platform lists', 'a b', 'a ran 5, b ran 5'],
  ['one that moves', 'a b', 'a ran 5, b ran 5', 'a ran 7, b ran 7'],
  ['one that stands still has ended', 'a', 'a ran 5, b ran 5', 'a ran 7, b ran 5'],
  ['its time of reading moves', 'a b', 'a ran 5 at 0, b ran 5 at 0', 'a ran 7 at 2, b ran 5 at 2'],
  ['nothing of the time is listed', 'a b', 'a, b', 'a, b'],
  ['one has just come', 'a b', 'a ran 5', 'a ran 7, b ran 1'],
  ['one that stood still and moves again', 'a b', 'a ran 5, b ran 5', 'a ran 7, b ran 5', 'a ran 9, b ran 6'],
])('which replicas run: %s', (_, running, ...lists) => {
  const reads = new ReplicaReads();
  for (const [look, list] of lists.entries()) reads.see(replicasOf(list), 60_000 + look * 2_000);
  const listed = replicasOf(lists.at(-1) ?? '').filter((each) => isRunning(each, reads));
  expect(listed.map(({ containerId }) => containerId).join(' ')).toBe(running);
});

test.each([
  ['RUNNING', 'running'],
  ['Running', 'running'],
  ['SUCCEEDED', 'stopped'],
  ['Failed', 'crashed'],
  ['CrashLoopBackOff', 'crashed'],
  ['PENDING', ''],
  ['Unknown', ''],
  ['', ''],
  ['Hibernated', ''],
  [undefined, ''],
])('the state %s means: %s', (containerState, meaning) => {
  const container = { containerId: 'a', containerState } as Container;
  const read = { running: isRunning(container), stopped: hasStopped(container), crashed: hasCrashed(container) };
  expect(Object.entries(read).flatMap(([word, holds]) => (holds ? word : []))).toEqual(meaning ? [meaning] : []);
});

function replicasOf(list: string): Container[] {
  const replicas = [...list.matchAll(/(\w)( ended)?(?: ran (\d))?(?: at (\d))?(?:, |$)/g)];
  return replicas.map(([, containerId, ended, ran, timestamp]) => ({
    ...{ containerId, containerState: ended ? 'TERMINATED' : 'RUNNING', timestamp },
    containerRunningTimeMs: ran && Number(ran) * 1_000,
  })) as Container[];
}
