import { describe, expect, test } from 'vitest';
import command from '../../../src/cli/commands/runs/get.ts';
import { localTime } from '../../../src/kernel/output/format.ts';
import { plainPage } from '../../support/page.ts';

const created = '2026-11-20T14:00:00Z';
const now = Date.parse(created) + 120_000;

/** The facts of a run by name. */
function facts(fields: object): Record<string, string> {
  const text = command.view({ id: 'r-1', ...fields }, {})(plainPage({ now }));
  const pairs = text.split('\n').map((line) => line.split(/ {2,}/));
  return Object.fromEntries(pairs.filter(([, value]) => value).map(([name = '', value = '']) => [name, value]));
}

describe('a run in full', () => {
  test.each<[what: string, fields: object, shown: Record<string, string>]>([
    ['a status from its code', { statusCode: 500 }, { status: 'failed', 'status code': '500' }],
    ['an asynchronous call', { async: true, websocket: true }, { method: 'asynchronous' }],
    ['a WebSocket', { async: false, websocket: true }, { method: 'WebSocket' }],
    ['the total wait in the queue first', { totalQueueTimeMs: 5, queueTimeMs: 9 }, { queued: '5 ms' }],
    ['another wait if there is no total', { queueTimeMs: 9 }, { queued: '9 ms' }],
    ['the container by id', { containerId: 'c1', podName: 'pod' }, { container: 'c1' }],
    ['the container by another name', { podName: 'pod' }, { container: 'pod' }],
    [
      'durations of a run that is over, also zero',
      { status: 'success', coldstartTimeMs: 0, runtimeMs: 1500, totalResponseTimeMs: 1600 },
      { 'start-up': '0 ms', ran: '1.5 s', response: '1.6 s' },
    ],
    [
      'durations under their other names',
      { status: 'success', executionTimeMs: 7, responseTimeMs: 8 },
      { ran: '7 ms', response: '8 ms' },
    ],
    ['durations that are known while it runs', { status: 'processing', runtimeMs: 40 }, { ran: '40 ms' }],
  ])('shows %s', (_, fields, shown) => {
    expect(facts(fields)).toMatchObject(shown);
  });

  test('shows no durations of zero while it runs: they are not known yet', () => {
    const running = facts({ status: 'processing', coldstartTimeMs: 0, runtimeMs: 0, totalResponseTimeMs: 0 });
    expect(Object.keys(running)).toEqual(['id', 'status']);
  });

  test('shows times with their age', () => {
    expect(facts({ createdAt: created })).toMatchObject({ created: `${localTime(created)} (2 min ago)` });
  });

  test('shows when it was updated only until it is completed', () => {
    expect(facts({ updatedAt: created })).toHaveProperty('updated');
    expect(facts({ updatedAt: created, completedAt: created })).not.toHaveProperty('updated');
    expect(facts({ completedAt: created })).toHaveProperty('completed');
  });
});
