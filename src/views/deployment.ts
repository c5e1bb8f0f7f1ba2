import { gantryCommand } from '../command-line.ts';
import { buildPhase } from '../contract/builds.ts';
import type { Deployment } from '../operations/deploy/index.ts';
import { shortBuild } from '../output/format.ts';
import type { View } from '../output/page.ts';

/** What is deployed now. Its address is the result, and what calls it follows. */
export function deploymentView({ app, build, status, endpoint, changed }: Deployment): View {
  return ({ style }) =>
    [
      !changed
        ? `${style.bold(`${app} is unchanged`)} since build ${shortBuild(build)}: nothing to deploy`
        : buildPhase(status) === 'succeeded'
          ? `${style.bold(`${app} is live`)}, build ${shortBuild(build)}`
          : `build ${shortBuild(build)} is ${status}`,
      endpoint ? '' : `the platform returned no endpoint; see ${gantryCommand`apps get ${app}`}`,
      style.dim(`dashboard: ${gantryCommand`open ${app}`}`),
    ]
      .filter(Boolean)
      .join('\n');
}
