import { buildPhase } from '../contract/builds.ts';
import type { Deployment } from '../operations/deploy/index.ts';
import type { View } from '../output/page.ts';

/** What is deployed now, and how to call it. */
export function deploymentView({ app, build, status, runtime, endpoint, dashboard, changed }: Deployment): View {
  const calls: Record<string, string> = {
    cortex: `call a function of main.py: POST ${endpoint}/<function>`,
    custom: `call your server: ${endpoint}/<path>`,
  };
  return ({ style }) =>
    [
      !changed
        ? `${style.bold(`${app} is unchanged`)} since build ${build}: nothing to deploy`
        : buildPhase(status) === 'succeeded'
          ? `${style.bold(`${app} is live`)}, build ${build}`
          : `build ${build} is ${status}`,
      endpoint
        ? (calls[runtime] ?? `call it: ${endpoint}`)
        : `the platform returned no endpoint; see gantry apps get ${app}`,
      dashboard && style.dim(`dashboard ${dashboard}`),
    ]
      .filter(Boolean)
      .join('\n');
}
