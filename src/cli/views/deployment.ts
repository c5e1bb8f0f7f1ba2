import type { Deployment } from '../../deploys/send/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import type { Problem } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { buildPhase } from '../../platform/contract/builds.ts';
import { commitText } from './build.ts';

/** What is deployed now. Its address is the result, and what calls it follows. */
export function deploymentView(deployment: Deployment): View {
  const { app, build, status, notStarted, endpoint, page, changed, serves } = deployment;
  const commit = deployment.commit ? `, commit ${commitText(deployment)}` : '';
  return ({ style, inPlace }) =>
    [
      !changed
        ? `${style.bold(`${app} is unchanged`)} since build ${shortBuild(build)}${commit}: nothing to deploy`
        : serves !== undefined
          ? `build ${shortBuild(build)} has succeeded and was replaced: build ${shortBuild(serves)} of ${app} serves`
          : buildPhase(status) === 'succeeded'
            ? `${style.bold(notStarted ? `${app} is deployed, but was not started` : `${app} is live`)}, build ${shortBuild(build)}${commit}`
            : `build ${shortBuild(build)} is ${status}`,
      endpoint ? '' : `the platform returned no endpoint; see ${inPlace(gantryCommand`apps get ${app}`)}`,
      page && !notStarted ? `its pages: ${page}` : '',
      style.dim(`dashboard: ${inPlace(gantryCommand`open ${app}`)}`),
    ]
      .filter(Boolean)
      .join('\n');
}

/** Undefined for an app that has started. */
export function notStartedProblem({ app, notStarted }: Pick<Deployment, 'app' | 'notStarted'>): Problem | undefined {
  if (!notStarted) return undefined;
  const { reason, calls } = notStarted;
  return {
    severity: 'warning',
    message: `${app} was not started: its calls are ${calls === 'simulated' ? 'simulated' : 'refused with 501'}`,
    why: reason,
  };
}
