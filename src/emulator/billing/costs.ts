import { findApp } from '../apps/find.ts';
import type { Handlers } from '../platform.ts';
import { getAccount } from '../team/account.ts';
import { day, type TimeRange } from '../time.ts';
import { costPerSecond } from './prices.ts';
import { billedSeconds } from './spending.ts';

/** The cost of replicas while they ran. Days and months are in UTC. */
export const costHandlers: Pick<Handlers, 'getAppCost' | 'getProjectCost' | 'listInvoices'> = {
  /** The last 30 days, or since the app was created. */
  getAppCost(params, platform) {
    const app = findApp(platform.store, params);
    const now = platform.now();
    const since = Math.max(app.traffic?.since ?? app.createdAt, now - 29 * day);
    const cents = (range: TimeRange) => round(billedSeconds(app, range, platform) * costPerSecond(app.settings));
    const days: [string, { total_cost_cents: number }][] = [];
    for (let start = Date.parse(dateOf(since)); start <= now; start += day) {
      days.push([dateOf(start), { total_cost_cents: cents({ start, end: start + day - 1 }) }]);
    }
    return { costs: Object.fromEntries(days) };
  },

  /** The current month so far. */
  getProjectCost({ project }, platform) {
    const now = platform.now();
    const month = { start: Date.parse(dateOf(now).replace(/..$/, '01')), end: now };
    const used = [...platform.store.apps.values()]
      .filter((app) => app.project === project)
      .map((app) => ({ app, seconds: billedSeconds(app, month, platform) }));
    const builds = used.flatMap(({ app }) => platform.store.getAppBuilds(app.id));
    return {
      summary: {
        combined_cost_before_discounts_cents: round(
          used.reduce((sum, { app, seconds }) => sum + seconds * costPerSecond(app.settings), 0),
        ),
        total_gpu_seconds: round(used.reduce((sum, { app, seconds }) => sum + seconds * app.settings.gpuCount, 0)),
        total_build_count: builds.filter(({ createdAt }) => createdAt >= month.start).length,
      },
      coupons: [{ amount_cents: 3000, amount_cents_remaining: 1250 }],
    };
  },

  listInvoices({ project }, platform) {
    return getAccount(platform, project).invoices ?? [];
  },
};

function round(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}

/** `2026-11-20` */
function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
