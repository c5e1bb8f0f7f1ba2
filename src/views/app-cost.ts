import type { AppCost } from '../contract/costs.ts';
import { dollars } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { stackViews, table } from '../output/table.ts';

/** The cost of each day, newest first, and the total. */
export function appCostView({ costs }: AppCost): View {
  const days = Object.entries(costs ?? {}).toReversed();
  const known = days.map(([, cost]) => cost.total_cost_cents).filter((cents) => typeof cents === 'number');
  const total = dollars(known.reduce((sum, cents) => sum + cents, 0));
  return stackViews(
    table(
      days,
      {
        DATE: ([day]) => day,
        COST: ([, { total_cost_cents: cents }]) => (typeof cents === 'number' ? dollars(cents) : ''),
      },
      { right: ['COST'] },
    ),
    ({ style, terminal }) => (days.length > 0 && terminal ? `${style.bold('TOTAL')}  ${total}` : ''),
  );
}
