import { describe, expect, test } from 'vitest';
import { isOperational, parseStatusPage } from '../../../src/insight/status.ts';
import type { StatusPage } from '../../../src/platform/contract/status.ts';

const now = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;
const at = (hours: number) => new Date(now + hours * hour).toISOString();

const resource = (id: string, status: string, name = `service ${id}`) => ({
  id,
  type: 'status_page_resource',
  attributes: { status, public_name: name },
});
const report = (attributes: object, relationships: object = {}) => ({
  id: 'r',
  type: 'status_report',
  attributes: { title: 'Slow builds', aggregate_state: 'degraded', starts_at: at(-1), ...attributes },
  relationships,
});
const parse = (included: unknown[], state?: string) =>
  parseStatusPage({ data: { attributes: { aggregate_state: state } }, included } as unknown as StatusPage, now);

describe('a report on the status page', () => {
  test.each<[what: string, attributes: object, listed: 'incidents' | 'planned' | undefined]>([
    ['that has begun and has no end', {}, 'incidents'],
    ['that ends later', { ends_at: at(1) }, 'incidents'],
    ['that has ended', { ends_at: at(-0.5) }, undefined],
    ['that ends now', { ends_at: at(0) }, undefined],
    ['that begins later', { starts_at: at(1), ends_at: at(2) }, 'planned'],
    ['that begins now', { starts_at: at(0) }, 'incidents'],
    ['without a start', { starts_at: undefined }, 'incidents'],
    ['that is resolved', { aggregate_state: 'Resolved' }, undefined],
    ['of services that work', { aggregate_state: 'operational' }, undefined],
  ])('%s is listed under %3$s', (_, attributes, listed) => {
    const { incidents, planned } = parse([report(attributes)]);
    expect([incidents.length, planned.length]).toEqual([Number(listed === 'incidents'), Number(listed === 'planned')]);
  });

  test('names the services that it affects, and its latest update', () => {
    const update = (id: string, hours: number) => ({
      id,
      type: 'status_update',
      attributes: { message: ` update ${id} `, published_at: at(hours) },
    });
    const affects = { affected_resources: [{ status_page_resource_id: '1' }, { status_page_resource_id: 9 }, null] };
    const updates = { status_updates: { data: [{ id: 'a' }, { id: 'b' }, { id: 'none' }, null] } };
    const included = [resource('1', 'degraded'), update('a', -1), update('b', -2), report(affects, updates)];
    expect(parse(included).incidents).toMatchObject([
      { affects: ['service 1'], lastUpdate: 'update a', updatedAt: at(-1), startsAt: at(-1), endsAt: null },
    ]);
  });
});

describe('the state of the platform', () => {
  test('is what the page says, in lower case', () => {
    expect(parse([resource('1', 'operational')], 'Degraded').status).toBe('degraded');
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

test('a service without a name has that of its section, or its id', () => {
  const section = { id: '7', type: 'status_page_section', attributes: { name: 'Builds' } };
  // Ids are numbers or text.
  const inSection = { ...resource('1', 'operational', ''), attributes: { status_page_section_id: 7 } };
  const { components } = parse([section, inSection, resource('2', 'operational', '')]);
  expect(components.map(({ name, section: of, status }) => [name, of, status])).toEqual([
    ['Builds', 'Builds', 'unknown'],
    ['2', null, 'operational'],
  ]);
});

test.each<[string | undefined, unknown[], string, number]>([
  ['Melting', [resource('1', 'operational')], 'melting', 0],
  [undefined, [resource('1', 'downtime')], 'unknown', 0],
  ['operational', [report({ aggregate_state: undefined })], 'operational', 1],
  ['degraded', [report({ affected_resources: [null, 7, {}], starts_at: 5 })], 'degraded', 1],
])('a page of the state %s with %j is understood', (state, included, status, number) => {
  expect(parse(included, state)).toMatchObject({ status, incidents: { length: number } });
});

test('an empty page is no error', () => {
  expect(parseStatusPage({ data: {}, included: [] }, now)).toEqual({
    status: 'unknown',
    announcement: null,
    components: [],
    incidents: [],
    planned: [],
  });
});
