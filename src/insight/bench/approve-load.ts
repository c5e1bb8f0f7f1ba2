import type { CallTarget } from '../../calls/invoke/index.ts';
import { type AppFacts, checkBudget } from '../../calls/spending/index.ts';
import { readAppHere } from '../../deploys/apps/index.ts';
import { InputNeededError } from '../../kernel/errors.ts';
import { count, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';

interface Load {
  target: CallTarget;
  facts: AppFacts;
  rates: readonly number[] | undefined;
  stepMs: number;
  budget?: number | undefined;
  configFile: string;
}

/**
 * Load costs money, and calls do what they do. An app of this folder may be called; for another one this asks. Throws
 * InputNeededError where nobody answers, LimitError if the budget does not suffice for one replica.
 */
export async function approveLoad(context: Context, load: Load): Promise<void> {
  const { target, facts, budget, configFile } = load;
  const { app, name } = target;
  checkBudget({ app, facts, budget, otherLimit: '--rate and --for' });
  const what = `call ${name} ${callsText(load)}${costText(load)}`;
  const here = await readAppHere(context, configFile).catch(() => undefined);
  if (here === undefined || shortAppName(context.project, here) !== app) {
    const { prompt } = context;
    if (!prompt.isPossible && budget === undefined && !prompt.isConfirmed) {
      throw needsBudget(app, ['--yes', '--budget', '1']);
    }
    if (!prompt.isPossible && budget === undefined) throw needsBudget(app, ['--budget', '1']);
    await prompt.confirm(`${upperFirst(what)}? ${app} is not the app of this folder.`);
  }
  context.willChange(what, { app, function: target.fn ?? '' });
}

function needsBudget(app: string, retryWith: string[]): InputNeededError {
  return new InputNeededError(`a budget is required to call ${app}`, {
    why: 'it is not the app of this folder, and nobody can be asked here',
    fix: `pass ${retryWith.join(' ')} for a dollar at most`,
    retryWith,
  });
}

function callsText({ rates, stepMs }: Load): string {
  if (!rates) return `more and more often, for ${duration(stepMs)} each time`;
  const calls = rates.reduce((sum, rate) => sum + Math.max(1, Math.round((rate * stepMs) / 1_000)), 0);
  const perSecond = rates.map((rate) => groupDigits(rate)).join(', ');
  return `${count(calls, 'time')}: ${perSecond} a second, for ${duration(stepMs)}${rates.length > 1 ? ' each' : ''}`;
}

/** An upper bound: all replicas, for all of the time. */
function costText({ rates, stepMs, facts, budget }: Load): string {
  const { price, cooldown, maxReplicas } = facts;
  if (budget !== undefined) return `, for ${dollars(budget * 100)} at most`;
  if (price === undefined || !rates) return '';
  const seconds = (rates.length * stepMs) / 1_000 + cooldown;
  return `, for ${dollars(price * maxReplicas * seconds)} at most with ${count(maxReplicas, 'replica')}`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
