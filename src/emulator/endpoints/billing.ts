import { planCodes } from '../../platform/contract/billing.ts';
import { getAccount } from '../model/account.ts';
import { spendingIn, spendingOfMonth, startOfMonth, totalCents } from '../model/billing/spending.ts';
import { findApp } from '../model/state/store.ts';
import { day, formatTime } from '../model/time.ts';
import type { Handlers } from './platform.ts';

/** Costs are those of replicas while they ran. Days and months are in UTC. */
export const billingHandlers = {
  /** The last 30 days, or since the app was created. */
  getAppCost(params, platform) {
    const app = findApp(platform.store, params);
    const now = platform.now();
    const since = Math.max(app.traffic?.since ?? app.createdAt, now - 29 * day);
    const days: [date: string, cost: { total_cost_cents: number }][] = [];
    for (let start = Math.floor(since / day) * day; start <= now; start += day) {
      const spent = spendingIn(app, { start, end: Math.min(start + day, now) }, platform);
      days.push([formatTime(start).slice(0, 10), { total_cost_cents: round(totalCents(spent)) }]);
    }
    return { costs: Object.fromEntries(days) };
  },

  /** The current month so far. */
  getProjectCost({ project }, platform) {
    const month = startOfMonth(platform.now());
    const apps = [...platform.store.apps.values()].filter((app) => app.project === project);
    const spent = apps.map((app) => spendingOfMonth(app, platform));
    const builds = apps.flatMap(({ id }) => platform.store.getAppBuilds(id));
    return {
      summary: {
        combined_cost_before_discounts_cents: round(spent.reduce((sum, each) => sum + totalCents(each), 0)),
        total_gpu_seconds: round(spent.reduce((sum, { gpuSeconds }) => sum + gpuSeconds, 0)),
        total_build_count: builds.filter(({ createdAt }) => createdAt >= month).length,
      },
      coupons: [{ amount_cents: 3000, amount_cents_remaining: 1250 }],
    };
  },

  listInvoices({ project }, platform) {
    return getAccount(platform, project).invoices;
  },

  /** A smaller plan applies immediately; a bigger one needs a payment, which the emulator does not have (spec 4.16). */
  changePlan({ project, body: { planCode } }, platform) {
    const account = getAccount(platform, project);
    if (planCodes.indexOf(planCode) > planCodes.indexOf(account.plan)) {
      return { redirectUrl: `${platform.url}/checkout/${project}/${planCode}` };
    }
    account.plan = planCode;
    platform.store.save();
    return { redirectUrl: '' };
  },

  listPaymentMethods({ project }, platform) {
    const { creditCardBonusClaimed, paymentMethods } = getAccount(platform, project);
    return { creditCardBonusClaimed, methods: paymentMethods };
  },
} satisfies Partial<Handlers>;

function round(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}
