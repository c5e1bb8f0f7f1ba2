import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StatusItem } from '../../src/contract/status.ts';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { isOperational, parseStatusPage } from '../../src/operations/status/service-status.ts';
import { localTime } from '../../src/output/format.ts';
import { gantry, type Setting } from '../support/gantry.ts';
import { expectErrorDocument } from '../support/traces.ts';

const now = Date.now();
const minutes = 60_000;
const time = (at: number) => new Date(at).toISOString();

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
});

afterEach(() => emulator.close());

const run = (flags: string[] = [], setting: Setting = {}) =>
  gantry(['status', ...flags], { emulator, ...setting, columns: 100, env: { NO_COLOR: '1', ...setting.env } });
const incident = {
  ...{ title: 'Slow starts', state: 'degraded', services: ['Builds', 'Storage'], startedAt: now - 90 * minutes },
  updates: [
    { at: now - 80 * minutes, message: 'We are looking into it.' },
    { at: now - 10 * minutes, message: 'A fix is being rolled out.' },
  ],
};

test('shows that the platform is operational, without a token', async () => {
  const { code, stdout, stderr } = await run(['--exit-code'], { env: { GANTRY_TOKEN: '', GANTRY_PROJECT: '' } });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^all services operational\n\nSERVICE +STATUS\nDashboard +operational\n/);
  expect(emulator.calls[0]).toMatchObject({ path: '/index.json', hasAuthorization: false });
});

describe('an incident', () => {
  beforeEach(() => {
    emulator.store.incidents.push(incident);
  });

  test('is shown with its latest update and what it affects', async () => {
    const { stdout } = await run();
    expect(stdout).toContain('platform status: degraded\n\ndegraded: Slow starts\n');
    expect(stdout).toContain(`  since ${localTime(time(incident.startedAt))}\n  affects Builds, Storage\n`);
    expect(stdout).toContain('  10 min ago: A fix is being rolled out.');
    expect(stdout).not.toContain('looking into it');
    expect(stdout).toMatch(/^Builds +degraded$/m);
    expect(stdout).toMatch(/^Dashboard +operational$/m);
  });

  test('exits with 1 when requested, and with 0 otherwise', async () => {
    expect((await run()).code).toBe(0);
    expect((await run(['--exit-code'])).code).toBe(1);
    expect((await run(['--exit-code', '--json'])).code).toBe(1);
  });

  test('in JSON has its times and words', async () => {
    expect((await run(['--json=status,incidents'])).json()).toEqual({
      status: 'degraded',
      incidents: [
        {
          ...{ title: 'Slow starts', status: 'degraded', startsAt: time(incident.startedAt), endsAt: null },
          ...{ affects: ['Builds', 'Storage'], lastUpdate: 'A fix is being rolled out.' },
          updatedAt: time(now - 10 * minutes),
        },
      ],
    });
  });

  test('that is over is not shown', async () => {
    emulator.store.incidents = [{ ...incident, endsAt: now - minutes }];
    const { code, stdout } = await run(['--exit-code']);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('Slow starts')]);
  });
});

test('planned maintenance is shown, and does not cause a failure', async () => {
  const [startedAt, endsAt] = [now + 60 * minutes, now + 120 * minutes];
  emulator.store.incidents = [{ ...incident, state: 'maintenance', startedAt, endsAt, updates: [] }];
  const { code, stdout } = await run(['--exit-code']);
  expect(code).toBe(0);
  expect(stdout).toContain(`planned for ${localTime(time(startedAt))} until ${localTime(time(endsAt))}`);
});

test('text of the page cannot control the terminal', async () => {
  const title = '\u001b]0;owned\u0007\u001b[2JDown\u202e::error::x';
  emulator.store.incidents = [{ ...incident, title, updates: [{ at: now, message: `\u001b[1Aup\r${title}` }] }];
  for (const columns of [undefined, 80]) {
    const { stdout } = await run([], { ...(columns && { columns }), env: { GITHUB_ACTIONS: 'true', NO_COLOR: '1' } });
    expect(stdout).toContain('Down');
    expect(stdout).not.toMatch(/[\u001b\u0007\r\u202e]|owned|^\s*::/m);
  }
});

test.each([
  [['503*'], 69],
  [['html*'], 69],
  [['malformed*'], 69],
  [['empty*'], 69],
])('a page that replies with %j exits with %i', async (faults, exit) => {
  emulator.fail('getServiceStatus', ...faults);
  const outcome = await run(['--json']);
  expect(outcome.code).toBe(exit);
  expectErrorDocument(outcome);
});

describe('a page', () => {
  const item = (type: string, id: string, attributes: StatusItem['attributes']) => ({ type, id, attributes });
  const service = (status: unknown) => item('status_page_resource', '1', { public_name: 'API', status });
  const report = (facts: Record<string, unknown>) => item('status_report', '5', { title: 'Trouble', ...facts });

  test.each<[string, unknown, StatusItem[], string, number]>([
    ['without a state', undefined, [service('downtime')], 'downtime', 0],
    ['without reports', undefined, [], 'unknown', 0],
    ['with the state operational', 'operational', [service('operational')], 'operational', 0],
    ['in capital letters', 'Downtime', [service('Downtime')], 'downtime', 0],
    ['with an unknown state', 'melting', [service('operational')], 'melting', 0],
    ['with an unmonitored service', undefined, [service('not_monitored')], 'operational', 0],
    ['with a report without an end', 'degraded', [report({ aggregate_state: 'degraded' })], 'degraded', 1],
    ['with a report that is resolved', 'operational', [report({ aggregate_state: 'resolved' })], 'operational', 0],
    ['with a report without a state', 'operational', [report({})], 'operational', 1],
    ['with unusual types', 'degraded', [report({ affected_resources: [null, 7, {}], starts_at: 5 })], 'degraded', 1],
  ])('%s is understood', (_, state, included, status, incidents) => {
    const page = parseStatusPage({ data: { attributes: { aggregate_state: state } }, included }, now);
    expect(page).toMatchObject({ status, incidents: { length: incidents } });
    expect(isOperational(page)).toBe(status === 'operational' && incidents === 0);
  });

  test('names a service by its section if it has no name; ids are numbers or text', () => {
    const { components } = parseStatusPage(
      {
        data: {},
        included: [
          item('status_page_section', '7', { name: 'Inference' }),
          item('status_page_resource', '3', { status_page_section_id: 7, status: 'operational' }),
        ],
      },
      now,
    );
    expect(components).toEqual([{ name: 'Inference', section: 'Inference', status: 'operational' }]);
  });
});
