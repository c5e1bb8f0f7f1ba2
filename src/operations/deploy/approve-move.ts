import type { Context } from '../../context.ts';
import { ConflictError } from '../../errors.ts';
import type { DeployPlan } from './plan.ts';

/** The regions between which a deploy would move an app, if it would. */
export function moveOf({ settings }: Pick<DeployPlan, 'settings'>): { from: string; to: string } | undefined {
  const found = settings.find(({ setting }) => setting === 'hardware.region');
  return found && { from: String(found.from), to: String(found.to) };
}

/** Another region needs a yes, as another project does. Throws ConflictError where nobody can be asked. */
export function approveMove({ prompt }: Context, plan: DeployPlan): void {
  const move = moveOf(plan);
  if (!move || prompt.isPossible || prompt.isConfirmed) return;
  const { from, to } = move;
  throw new ConflictError(`${plan.app} is in ${from}, and this deploy would move it to ${to}`, {
    why: 'each region has its own volumes: what the app has stored stays where it is',
    fix: `to move it, add --yes; to leave it there, --region ${from}`,
    details: { app: plan.app, from, to },
  });
}
