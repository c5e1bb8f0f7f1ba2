import type { Deployment, DeployPlan } from '../../deploys/send/index.ts';
import type { FailureDocument } from '../../kernel/output/failure.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, table } from '../../kernel/output/table.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { anything, boolean, integer, list, object, optional, text } from '../result-schema.ts';
import { deployPlanView } from './deploy-plan.ts';
import { deploymentFields, deployPlanFields } from './deployment-fields.ts';
import { statusCell } from './status.ts';

type Ended = { folder: string; app: string; exitCode: number };

/** What became of several apps. */
export interface DeployedApps {
  apps: (Partial<FailureDocument & { deployment: Deployment; plan: DeployPlan }> & Ended)[];
  changed: boolean;
}

export const deployedAppsFields = {
  apps: list(
    object({
      folder: text('folder of the app'),
      app: text('app name'),
      exitCode: integer('exit code of its deploy'),
      deployment: optional(object(deploymentFields)),
      plan: optional(object(deployPlanFields)),
      error: optional(anything('why it failed, as in the JSON of a failed deploy')),
    }),
    'with folders: what became of each app',
  ),
  changed: boolean('with folders: whether anything has changed, or with --dry-run would change'),
};

/** A row for each app, below their plans if nothing was deployed. */
export function deployedAppsView({ apps }: DeployedApps): View {
  type App = (typeof apps)[number];
  const columns = {
    APP: ({ app }: App) => app,
    RESULT: (app: App) => statusCell(resultText(app)),
    BUILD: ({ deployment, plan, error }: App) => String((deployment ?? plan ?? error?.details)?.build ?? ''),
    ENDPOINT: ({ deployment, plan }: App) => (deployment ?? plan)?.endpoint,
  };
  const plans = apps.flatMap(({ plan }) => (plan ? [deployPlanView(plan)] : []));
  return stackViews(plans, table(apps, columns, { keep: ['APP', 'RESULT'] }));
}

function resultText({ deployment, plan, error }: DeployedApps['apps'][number]): string {
  if (plan) return plan.changed ? 'would change' : 'no changes';
  if (!deployment) return error?.code ?? '';
  if (!deployment.changed) return 'unchanged';
  if (deployment.serves !== undefined) return 'replaced';
  return buildPhase(deployment.status) === 'succeeded' ? 'live' : deployment.status;
}
