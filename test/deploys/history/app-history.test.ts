import { expect, test } from 'vitest';
import { AppHistory } from '../../../src/deploys/history/app-history.ts';
import type { HistoryEvent } from '../../../src/deploys/history/event-log.ts';

/** Events a minute apart. */
function historyOf(...events: object[]): AppHistory {
  return new AppHistory(
    events.map((event, at) => ({
      at: new Date(Date.parse('2026-11-01T12:00:00Z') + at * 60_000).toISOString(),
      by: 'ada@laptop',
      ...event,
    })) as HistoryEvent[],
  );
}

const served = (build: string, before: string | null = null, settings = {}) => ({
  event: 'served',
  build,
  before,
  settings,
});
const verdict = (build: string, found: string) => ({
  event: 'verdict',
  build,
  verdict: found,
  reason: '',
  watchedMs: 0,
  watchMs: 0,
  seen: {},
});
const byCalls = (build: string, found: string) => ({ ...verdict(build, found), seen: { runs: null, smokeCalls: 1 } });
const sent = (build: string) => ({ event: 'sent', build });
const rolledBack = (from: string, to: string, as: string) => ({ event: 'rolled-back', from, to, as, reason: '' });

test.each([
  ['nothing on record', [], false],
  ['a verdict of sick', [verdict('b-2', 'sick')], true],
  ['sick, then healthy', [verdict('b-2', 'sick'), verdict('b-2', 'healthy')], false],
  ['sick by its calls, then healthy without any', [byCalls('b-2', 'sick'), verdict('b-2', 'healthy')], true],
  ['sick, then healthy by its calls', [verdict('b-2', 'sick'), byCalls('b-2', 'healthy')], false],
  ['sick and healthy by its calls', [byCalls('b-2', 'sick'), byCalls('b-2', 'healthy')], false],
  ['healthy by its calls since', [byCalls('b-2', 'sick'), byCalls('b-2', 'healthy'), verdict('b-2', 'healthy')], false],
  ['healthy, then sick', [verdict('b-2', 'healthy'), verdict('b-2', 'sick')], true],
  ['sick, then unknown', [verdict('b-2', 'sick'), verdict('b-2', 'unknown')], true],
  ['rolled back by a person', [rolledBack('b-2', 'b-1', 'b-3')], true],
  ['healthy, then rolled back', [verdict('b-2', 'healthy'), rolledBack('b-2', 'b-1', 'b-3')], true],
  ['rolled back, then found healthy', [rolledBack('b-2', 'b-1', 'b-3'), verdict('b-2', 'healthy')], false],
  ['rolled back, then deployed again', [rolledBack('b-2', 'b-1', 'b-3'), sent('b-2')], false],
  ['rolled back, then returned to', [rolledBack('b-2', 'b-1', 'b-3'), rolledBack('b-1', 'b-2', 'b-4')], false],
  ['deployed again, then rolled back', [sent('b-2'), rolledBack('b-2', 'b-1', 'b-3')], true],
  ['sick, then deployed again', [verdict('b-2', 'sick'), sent('b-2')], true],
  ['sick, rolled back, deployed again', [verdict('b-2', 'sick'), rolledBack('b-2', 'b-1', 'b-3'), sent('b-2')], true],
  ['unknown', [verdict('b-2', 'unknown')], false],
  ['superseded', [verdict('b-2', 'superseded')], false],
  ['another build is sick', [verdict('b-1', 'sick')], false],
])('a build counts as sick or not: %s', (_, events, sick) => {
  expect(historyOf(...events).isSick('b-2')).toBe(sick);
});

const sentAs = (build: string, filesDigest: string) => ({ ...sent(build), filesDigest, settingsDigest: 's' });

test.each([
  ['healthy', [verdict('b-2', 'healthy'), verdict('b-2', 'unknown')]],
  ['sick', [verdict('b-2', 'sick'), verdict('b-2', 'superseded')]],
  ['unknown', [verdict('b-2', 'unknown')]],
  ['rolled back', [verdict('b-2', 'healthy'), rolledBack('b-2', 'b-1', 'b-3'), verdict('b-2', 'unknown')]],
  ['same files as b-1, found sick', [sentAs('b-1', 'f'), verdict('b-1', 'sick'), sentAs('b-2', 'f')]],
  [undefined, [sentAs('b-1', 'f'), verdict('b-1', 'sick'), sentAs('b-2', 'g')]],
  ['healthy', [sentAs('b-1', 'f'), verdict('b-1', 'sick'), sentAs('b-2', 'f'), verdict('b-2', 'healthy')]],
  ['sick', [sentAs('b-1', 'f'), sentAs('b-2', 'f'), verdict('b-2', 'sick'), verdict('b-1', 'sick')]],
])('what was found of a build is told: %s', (found, events) => {
  expect(historyOf(...events).markOf('b-2')).toBe(found);
});

test('tells which builds were seen to serve, and what they replaced', () => {
  const history = historyOf(served('b-7', 'b-4'), served('b-7', 'b-4'), served('b-3', 'b-7'), served('b-9', 'b-3'));
  expect(history.looks().map(({ build }) => build)).toEqual(['b-4', 'b-7', 'b-3', 'b-9']);
});

test('lists once what two looks at the same time have written down', () => {
  const history = historyOf(served('b-1'), served('b-1'), served('b-2', 'b-1'), served('b-2', 'b-1'), served('b-1'));
  expect(history.listed().map((event) => 'build' in event && event.build)).toEqual(['b-1', 'b-2', 'b-1']);
});

test('knows the settings of a build with what changed since', () => {
  const history = historyOf(
    served('b-1', null, { minReplicaCount: 0, cpu: 2 }),
    { event: 'scaled', before: { minReplicaCount: 0 }, after: { minReplicaCount: 3 } },
    { event: 'noticed', build: 'b-1', before: { cpu: 2 }, after: { cpu: 4 } },
    served('b-2', 'b-1', { minReplicaCount: 1 }),
  );
  expect(history.settingsOf('b-2')).toEqual({ minReplicaCount: 1 });
  expect(historyOf(...history.events.slice(0, 3)).settingsOf('b-1')).toEqual({ minReplicaCount: 3, cpu: 4 });
  expect(history.settingsOf('b-3')).toBeUndefined();
});
