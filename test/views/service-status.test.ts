import { describe, expect, test } from 'vitest';
import { localTime } from '../../src/output/format.ts';
import { serviceStatusView } from '../../src/views/service-status.ts';
import { markedPage, plainPage } from '../support/page.ts';

const now = Date.UTC(2026, 10, 20, 12);
const [start, end] = ['2026-11-20T11:00:00Z', '2026-11-20T13:00:00Z'];
const report = {
  title: 'Slow builds',
  status: 'degraded',
  startsAt: start,
  endsAt: null,
  affects: ['Builds', 'Logs'],
  lastUpdate: 'we are\n  looking',
  updatedAt: '2026-11-20T11:58:00Z',
};
const healthy = {
  status: 'operational',
  announcement: null,
  components: [{ name: 'Builds', section: null, status: 'operational' }],
  incidents: [],
  planned: [],
};
const shown = (changes: object, page = plainPage({ now })) => serviceStatusView({ ...healthy, ...changes })(page);
/** The color of the word in the list of services. */
function colorOf(status: string): string | undefined {
  const text = shown({ components: [{ name: 'x', section: null, status }] }, markedPage());
  return /x +<(\w+)>/.exec(text)?.[1];
}

describe('the status of the platform', () => {
  test('lists each service', () => {
    expect(shown({}).split('\n').at(-1)).toMatch(/^Builds +operational$/);
  });

  test('shows an incident with its start, what it affects and its last update', () => {
    const lines = shown({ incidents: [report] }).split('\n');
    expect(lines).toContain('degraded: Slow builds');
    expect(lines).toContain(`  since ${localTime(start)}`);
    expect(lines).toContain('  affects Builds, Logs');
    expect(lines).toContain('  2 min ago: we are looking');
  });

  test('shows planned maintenance with its end', () => {
    const text = shown({ planned: [{ ...report, endsAt: end }] });
    expect(text).toContain(`  planned for ${localTime(start)} until ${localTime(end)}`);
  });

  test('shows no line for missing fields of a report', () => {
    const empty = { ...report, startsAt: null, affects: [], lastUpdate: null };
    expect(
      shown({ incidents: [empty], components: [] })
        .split('\n')
        .at(-1),
    ).toBe('degraded: Slow builds');
  });

  test('is not operational during an incident, even if the page says so', () => {
    const [well, ill] = [shown({}), shown({ incidents: [report] })].map((text) => text.split('\n')[0]);
    expect(ill).not.toBe(well);
    expect(ill).toContain('incident');
  });

  test('shows the announcement', () => {
    expect(shown({ announcement: 'Hello' }).split('\n\n')).toContain('Hello');
  });

  test.each([
    ['operational', 'green'],
    ['degraded', 'yellow'],
    ['maintenance', 'yellow'],
    ['downtime', 'red'],
    ['major_outage', 'red'],
  ])('paints %s %s', (status, color) => {
    expect(colorOf(status)).toBe(color);
  });

  test('reads words without underscores', () => {
    expect(shown({ components: [{ name: 'x', section: null, status: 'major_outage' }] })).toContain('major outage');
  });
});
