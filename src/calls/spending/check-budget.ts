import { LimitError } from '../../kernel/errors.ts';
import { dollars, duration } from '../../kernel/output/format.ts';
import type { AppFacts } from './app-facts.ts';

interface Budget {
  app: string;
  /** Undefined if the app cannot be read. */
  facts: AppFacts | undefined;
  /** US dollars. */
  budget: number | undefined;
  /** What limits the calls where the price is not known. */
  otherLimit: string;
}

/** Throws LimitError if a budget cannot be kept, or does not suffice for one replica. */
export function checkBudget({ app, facts, budget, otherLimit }: Budget): void {
  if (budget === undefined) return;
  if (facts?.price === undefined) {
    throw new LimitError(`a budget cannot be kept: what ${app} costs is not known`, {
      why: facts ? 'the platform returned no costPerSecondCents' : 'the app cannot be read with this token',
      fix: `omit --budget, and limit the calls with ${otherLimit}`,
    });
  }
  const { price, cooldown, minReplicas } = facts;
  const least = minReplicas > 0 ? 0 : price * cooldown;
  if (least < budget * 100) return;
  throw new LimitError(`the budget of ${dollars(budget * 100)} is too small for one call of ${app}`, {
    why: `a replica is kept for ${duration(cooldown * 1_000)} after its last call, which costs ${dollars(least)}`,
    fix: `--budget ${(Math.ceil(2 * least) / 100).toFixed(2)}`,
  });
}
