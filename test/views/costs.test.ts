import { describe, expect, test } from 'vitest';
import { appCostView } from '../../src/views/app-cost.ts';
import { projectCostView } from '../../src/views/project-cost.ts';
import { plainPage } from '../support/page.ts';

const page = plainPage();

function cells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/ {2,}/));
}

describe('the cost of an app', () => {
  test('is shown by day, newest first, with a total', () => {
    const costs = { '2026-11-18': { total_cost_cents: 1234.4 }, '2026-11-19': { total_cost_cents: 5 } };
    expect(cells(appCostView({ costs })(page))).toEqual([
      ['DATE', 'COST'],
      ['2026-11-19', '$0.05'],
      ['2026-11-18', '$12.34'],
      ['TOTAL', '$12.39'],
    ]);
  });

  test('that is unknown on a day is shown as unknown, not zero, and does not count', () => {
    const costs = { '2026-11-18': { total_cost_cents: 100 }, '2026-11-19': {}, '2026-11-20': { total_cost_cents: 0 } };
    expect(cells(appCostView({ costs })(page)).slice(1)).toEqual([
      ['2026-11-20', '$0.00'],
      ['2026-11-19', '-'],
      ['2026-11-18', '$1.00'],
      ['TOTAL', '$1.00'],
    ]);
  });

  test.each([[{}], [{ costs: {} }], [{ costs: null }]])('%j shows nothing, and no total of zero', (reply) => {
    expect(appCostView(reply as never)(page)).toBe('');
  });
});

describe('the cost of a project', () => {
  const shown = (summary: object, coupons?: unknown[]) =>
    projectCostView({ summary, coupons } as never)(page).split('\n');

  test.each<[field: string, value: unknown, row: string]>([
    ['total_cost_cents', 123456, 'total cost  $1,234.56'],
    ['totalCostCents', 50, 'total cost  $0.50'],
    ['total_gpu_seconds', 5400, 'total gpu time  1h 30m'],
    ['gpuSeconds', 30, 'gpu time  30 s'],
    ['requests', 1_234_567, 'requests  1,234,567'],
    ['rate', 0.25, 'rate  0.25'],
    ['plan', 'team', 'plan  team'],
    ['overdue', false, 'overdue  false'],
    ['cost_cents', 'unknown', 'cost cents  unknown'],
  ])('%s %j is shown in words', (field, value, row) => {
    expect(shown({ [field]: value })).toEqual([row]);
  });

  test('names a nested field by both names', () => {
    expect(shown({ compute: { gpu_cost_cents: 100 } })).toEqual(['compute gpu cost  $1.00']);
  });

  test('shows each coupon in a line', () => {
    const coupons = [{ name: 'welcome', remaining_cents: 1000 }, { cents: 5 }];
    expect(shown({ plan: 'team' }, coupons)).toEqual([
      'plan    team',
      'coupon  name welcome, remaining $10.00',
      'coupon  $0.05',
    ]);
  });

  test('is empty if the platform returns nothing', () => {
    expect(projectCostView({} as never)(page)).toBe('');
  });
});
