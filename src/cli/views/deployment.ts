import type { Deployment, DeployPlan } from '../../deploys/send/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import type { FailureDocument } from '../../kernel/output/failure.ts';
import { forPeople, shortBuild } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, table } from '../../kernel/output/table.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { commitText } from './build.ts';
import { deployPlanView } from './deploy-plan.ts';
import { statusCell } from './status.ts';

function endOf({ changed, serves, status, notStarted }: Deployment) {
  if (!changed) return 'unchanged';
  if (serves !== undefined) return 'replaced';
  if (buildPhase(status) !== 'succeeded') return 'in progress';
  return notStarted ? 'not started' : 'live';
}

/** What is deployed now. Its address is the result, and what calls it follows. */
export function deploymentView(deployment: Deployment): View {
  const { app, build, status, endpoint, changed, serves = '' } = deployment;
  const commit = deployment.commit ? `, commit ${commitText(deployment)}` : '';
  const named = `build ${shortBuild(build)}`;
  return ({ style, inPlace }) => {
    const ends: Record<ReturnType<typeof endOf>, string> = {
      unchanged: `${style.bold(`${app} is unchanged`)} since ${named}${commit}: nothing to deploy`,
      replaced: `${named} has succeeded and was replaced: build ${shortBuild(serves)} of ${app} serves`,
      'in progress': `${named} is ${status}`,
      'not started': `${style.bold(`${app} is deployed, but was not started`)}, ${named}${commit}`,
      live: `${style.bold(`${app} is live`)}, ${named}${commit}`,
    };
    return [
      ends[endOf(deployment)],
      endpoint ? '' : `the platform returned no endpoint; see ${inPlace(gantryCommand`apps get ${app}`)}`,
      changed ? style.dim(`dashboard: ${inPlace(gantryCommand`open ${app}`)}`) : '',
    ]
      .filter(Boolean)
      .join('\n');
  };
}

/** What became of each app of a command line with folders. */
export interface DeployedApps {
  apps: (Partial<FailureDocument & { deployment: Deployment; plan: DeployPlan }> & {
    folder: string;
    app: string;
    exitCode: number;
  })[];
  changed: boolean;
}

/** A row for each app, below their plans if nothing was deployed. */
export function deployedAppsView({ apps }: DeployedApps): View {
  type App = (typeof apps)[number];
  const columns = {
    APP: ({ app }: App) => app,
    RESULT: (app: App) => statusCell(resultText(app)),
    BUILD: ({ deployment, plan, error }: App) => {
      const build = String((deployment ?? plan ?? error?.details)?.build ?? '');
      return forPeople(shortBuild(build), build);
    },
    ENDPOINT: ({ deployment, plan }: App) => (deployment ?? plan)?.endpoint,
  };
  const plans = apps.flatMap(({ plan }) => (plan ? [deployPlanView(plan)] : []));
  return stackViews(plans, table(apps, ['APP', 'RESULT'], columns));
}

function resultText({ deployment, plan, error }: DeployedApps['apps'][number]): string {
  if (plan) return plan.changed ? 'would change' : 'no changes';
  if (!deployment) return String(error?.details?.verdict ?? error?.code.replace(/^project$/, 'invalid') ?? '');
  const end = endOf(deployment);
  return { 'not started': 'live', 'in progress': deployment.status }[end as string] ?? end;
}
