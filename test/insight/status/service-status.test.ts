import { describe, expect, test } from 'vitest';
import { isOperational, parseStatusPage } from '../../../src/insight/status.ts';
import type { StatusPage } from '../../../src/platform/contract/status.ts';

const now = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;
const at = (hours: number) => new Date(now + hours * hour).toISOString();

const report = (attributes: object) => ({
  id: 'r',
  type: 'status_report',
  attributes: { title: 'Slow builds', aggregate_state: 'degraded', starts_at: at(-1), ...attributes },
});
const parse = (included: unknown[], state?: string) =>
  parseStatusPage({ data: { attributes: { aggregate_state: state } }, included } as unknown as StatusPage, now);

describe('a report on the status page', () => {
  test.each<[what: string, attributes: object, isIncident: boolean]>([
    ['that has begun and has no end', {}, true],
    ['that ends later', { ends_at: at(1) }, true],
    ['that has ended', { ends_at: at(-0.5) }, false],
    ['that ends now', { ends_at: at(0) }, false],
    ['that begins later', { starts_at: at(1), ends_at: at(2) }, false],
    ['that begins now', { starts_at: at(0) }, true],
    ['without a start', { starts_at: undefined }, true],
    ['that is resolved', { aggregate_state: 'Resolved' }, false],
    ['of services that work', { aggregate_state: 'operational' }, false],
  ])('%s is an incident: %3$s', (_, attributes, isIncident) => {
    expect(parse([report(attributes)]).incidents).toHaveLength(Number(isIncident));
  });
});

describe('the state of the platform', () => {
  test('is what the page says, in lower case', () => {
    expect(parse([], 'Degraded').status).toBe('degraded');
  });

  test.each([
    ['operational', 0, true],
    ['not_monitored', 0, true],
    ['operational', 1, false],
    ['degraded', 0, false],
    ['unknown', 0, false],
  ])('%s with %i incidents is operational: %j', (status, number, well) => {
    expect(isOperational({ status, incidents: Array.from({ length: number }, () => ({}) as never) })).toBe(well);
  });
});

test.each<[string | undefined, unknown[], string, number]>([
  ['Melting', [{ type: 'status_page_resource' }], 'melting', 0],
  [undefined, [{}], 'unknown', 0],
  ['operational', [report({ aggregate_state: undefined })], 'operational', 1],
  ['degraded', [report({ affected_resources: [null, 7, {}], starts_at: 5 })], 'degraded', 1],
])('a page of the state %s with %j is understood', (state, included, status, number) => {
  expect(parse(included, state)).toMatchObject({ status, incidents: { length: number } });
});

test('an empty page is no error', () => {
  expect(parseStatusPage({ data: {}, included: [] }, now)).toEqual({ status: 'unknown', incidents: [] });
});
