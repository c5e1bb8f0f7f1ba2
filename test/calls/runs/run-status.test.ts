import { describe, expect, test } from 'vitest';
import { hasEnded, runDocument, runKey, runStatus } from '../../../src/calls/runs/run-status.ts';
import type { Run } from '../../../src/platform/contract/runs.ts';

const run = (fields: object): Run => ({ id: 'r-1', ...fields }) as Run;

describe('a run', () => {
  test.each<[fields: object, status: string, ended: boolean, displayed: string | null]>([
    [{ status: 'success' }, 'succeeded', true, 'success'],
    [{ status: 'SUCCESS' }, 'succeeded', true, 'SUCCESS'],
    [{ status: 'failure' }, 'failed', true, 'failure'],
    [{ status: 'failed' }, 'failed', true, 'failed'],
    [{ status: 'Fail' }, 'failed', true, 'Fail'],
    [{ status: 'cancelled' }, 'canceled', true, 'cancelled'],
    [{ status: 'canceled' }, 'canceled', true, 'canceled'],
    [{ status: 'closed' }, 'closed', true, 'closed'],
    [{ status: 'pending' }, 'pending', false, 'pending'],
    [{ status: 'proxyQueued' }, 'proxyQueued', false, 'proxyQueued'],
    [{ status: 'containerQueued' }, 'containerQueued', false, 'containerQueued'],
    [{ status: 'processing' }, 'in progress', false, 'processing'],
    [{ status: 'somethingNew' }, 'somethingNew', false, 'somethingNew'],
    [{ status: 'processing', statusCode: 200 }, 'succeeded', true, 'success'],
    [{ status: 'success', statusCode: 500 }, 'failed', true, 'failure'],
    [{ status: 'failed', statusCode: 500 }, 'failed', true, 'failed'],
    [{ status: 'failure', statusCode: 307 }, 'succeeded', true, 'success'],
    [{ status: 'failure', statusCode: -1 }, 'closed', true, 'closed'],
    [{ status: 'success', statusCode: 0 }, 'canceled', true, 'cancelled'],
    [{ status: 'success', statusCode: 99 }, '99', true, '99'],
    [{ statusCode: 101 }, 'succeeded', true, 'success'],
    [{ statusCode: 304 }, 'succeeded', true, 'success'],
    [{ statusCode: 404 }, 'failed', true, 'failure'],
    [{ statusCode: 200 }, 'succeeded', true, 'success'],
    [{ statusCode: 299 }, 'succeeded', true, 'success'],
    [{ statusCode: 300 }, 'succeeded', true, 'success'],
    [{ statusCode: 199 }, '199', true, '199'],
    [{ statusCode: 500 }, 'failed', true, 'failure'],
    [{ statusCode: 0 }, 'canceled', true, 'cancelled'],
    [{ statusCode: -1 }, 'closed', true, 'closed'],
    [{ statusCode: null, status: null }, '', false, null],
    [{ status: '' }, '', false, null],
    [{}, '', false, null],
  ])('with %j is %j, ended: %j, and shown as %j', (fields, status, ended, displayed) => {
    expect([runStatus(run(fields)), hasEnded(run(fields)), runDocument(run(fields)).status]).toEqual([
      status,
      ended,
      displayed,
    ]);
  });

  test('has both words in JSON, also if the platform returned only a code', () => {
    expect(runDocument(run({ statusCode: 500 }))).toEqual({
      id: 'r-1',
      statusCode: 500,
      status: 'failure',
      outcome: 'failed',
    });
    expect(runDocument(run({}))).toEqual({ id: 'r-1', status: null, outcome: 'in progress' });
    expect(runDocument(run({ status: 'Fail', statusCode: 500 }))).toMatchObject({ status: 'Fail', outcome: 'failed' });
    expect(runDocument(run({ status: 'success', statusCode: 500 }))).toMatchObject({ status: 'failure' });
  });

  test('is identified by its id, or by all of its fields if it has none', () => {
    expect(runKey(run({ statusCode: 1 }))).toBe(runKey(run({ statusCode: 2 })));
    expect(runKey(run({ id: '', statusCode: 1 }))).not.toBe(runKey(run({ id: '', statusCode: 2 })));
  });
});
