import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, type GantryError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import type { Here } from '../commit-files.ts';
import { whyOlder } from '../identity.ts';
import type { AppReading } from '../observe.ts';
import { servingBuild } from '../serving.ts';
import { isBusy, isPending, lookBeforeUpload } from './busy-builds.ts';
import { type GivenPlan, type PlannedDeploy, whyNotAsPlanned } from './plan-file.ts';

/** What must hold until right before the upload, however long a deploy has waited until then. */
export interface Guard {
  /** All that the plan is bound to is as it was. */
  plan?: GivenPlan | undefined;
  /** No newer commit serves than that of this folder; and the line that deploys it all the same. */
  order?: { here: Here; anyway: CommandLine } | undefined;
  /** Nobody else has deployed since this reading. `live`: what served then. */
  seen?: { reading: AppReading; live: string | undefined } | undefined;
}

/** Why nothing may be sent; before a build is created, by the plan alone. */
export async function whyNotSend(
  context: Context,
  guard: Guard,
  sent: PlannedDeploy,
): Promise<GantryError | undefined> {
  const { plan, order, seen } = guard;
  const { body, created } = sent;
  const broken = plan && (await whyNotAsPlanned(context, plan, sent));
  if (broken || created === undefined) return broken;
  const older = order && (await whyOlder(context, order.here, order.anyway));
  return older ?? (seen && whyDeployedMeanwhile(context, body.name, seen, created));
}

/** What somebody else has deployed meanwhile is not replaced. */
export class DeployedMeanwhileError extends ConflictError {
  constructor(app: string, build: string, what: string, { serving }: AppReading) {
    const details = { app, serves: servingBuild(serving) ?? null };
    super(`build ${shortBuild(build)} ${what}: it is not replaced`, {
      fix: gantryCommand`builds list ${app}`,
      details,
    });
  }
}

export const wasCreated = 'was created meanwhile and is in progress';

async function whyDeployedMeanwhile(
  context: Context,
  app: string,
  { reading, live }: NonNullable<Guard['seen']>,
  { buildId: created, hasLost }: NonNullable<PlannedDeploy['created']>,
): Promise<DeployedMeanwhileError | undefined> {
  const own = live === undefined ? [] : [live];
  const known = [...own, ...reading.list.map(({ id }) => id)];
  const { now, first } = await lookBeforeUpload(context, app, known, created);
  const ready = readySince(reading, now, [created, ...own]);
  if (ready !== undefined) {
    const what = ready === servingBuild(now.serving) ? 'serves now' : 'became ready meanwhile';
    return new DeployedMeanwhileError(app, ready, what, now);
  }
  const other = first.find(({ status }) => !(hasLost && isPending(status)));
  return other && new DeployedMeanwhileError(app, other.id, wasCreated, now);
}

/** The build of others that became ready between two looks: the one that serves, if the platform shows that. */
function readySince(seen: AppReading, now: AppReading, own: readonly string[]): string | undefined {
  const old = new Set([servingBuild(seen.serving), ...own]);
  for (const build of seen.list) if (!isBusy(build)) old.add(build.id);
  const ready = now.list.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  return [servingBuild(now.serving), ...ready].find((id) => id !== undefined && !old.has(id));
}
