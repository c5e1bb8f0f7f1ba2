import type { AppCost } from '../contract/costs.ts';
import { dollars } from '../output/format.ts';
import type { Page, View } from '../output/page.ts';
import { table } from '../output/table.ts';

type Day = [date: string, cost: { total_cost_cents?: number | null | undefined }];

/** The cost of each day, newest first, and on a terminal the total. */
export function appCostView({ costs }: AppCost): View {
  const days: Day[] = Object.entries(costs ?? {}).toReversed();
  const known = days.map(([, cost]) => cost.total_cost_cents).filter((cents) => typeof cents === 'number');
  const total: Day = ['TOTAL', { total_cost_cents: known.reduce((sum, cents) => sum + cents, 0) }];
  return (page) =>
    table(page.terminal && days.length > 0 ? [...days, total] : days, columns, { right: ['COST'] })(page);
}

const columns = {
  DATE:
    ([day]: Day) =>
    ({ style }: Page) =>
      day === 'TOTAL' ? style.bold(day) : day,
  COST: ([, { total_cost_cents: cents }]: Day) => (typeof cents === 'number' ? dollars(cents) : ''),
};
