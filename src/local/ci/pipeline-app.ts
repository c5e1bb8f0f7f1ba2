import { realpathSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readConfig } from '../../app/config.ts';
import type { Context } from '../../platform/context.ts';

/** What a pipeline has to know of the app that it deploys. */
export interface PipelineApp {
  /** The root of the repository, where the pipeline and its package belong. */
  root: string;
  /** The folder of the app, from the root. */
  folder: string;
  /** What is deployed. */
  branch: string;
  /** Its name confirms that its previews may be deleted. */
  repository: string;
  /** What the new build must show, as flags of `deploy`; none if no call of it is known that must succeed. */
  verification: readonly string[];
}

export async function readPipelineApp(context: Context, folder: string): Promise<PipelineApp> {
  // Most uses of init write no pipeline.
  const { currentBranch, readRefs, readRepository } = await import('../../deploys/git/index.ts');
  const cwd = realpathSync(context.cwd);
  const { root, name: repository } = (await readRepository(context)) ?? { root: cwd, name: basename(cwd) };
  const refs = await readRefs(context);
  const branch = refs.defaultBranch?.name ?? (await currentBranch(context, refs)) ?? 'main';
  const place = relative(root, join(cwd, folder)).replaceAll('\\', '/') || '.';
  return { root, folder: place, branch, repository, verification: await findVerification(context, join(cwd, folder)) };
}

/** A build that nobody calls may have no replica: then a watch would see nothing, and fail. */
async function findVerification({ progress }: Context, root: string): Promise<readonly string[]> {
  const { config, ignored } = await readConfig({ cwd: root });
  if (ignored) progress.warn(ignored);
  // The app of the template.
  if (!config) return watched(['--smoke', 'run']);
  const { runtime, custom, scaling } = config;
  const health = custom?.healthcheck_endpoint ?? custom?.readycheck_endpoint;
  if (health) return watched(['--smoke', health]);
  const call = runtime === 'cortex' ? await (await import('../../app/sample-call.ts')).sampleCallOf(root) : undefined;
  // Made-up arguments may be refused by a healthy app.
  if (call && Object.keys(call.parameters).length === 0) return watched(['--smoke', call.function]);
  return (scaling.min_replicas ?? 0) > 0 ? watched([]) : [];
}

function watched(smoke: readonly string[]): readonly string[] {
  return [...smoke, '--watch', '2m', '--or-rollback'];
}

export const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** Where a person sets what a pipeline needs. */
export const variablesIn: Record<CiSystem, string> = {
  github: 'Settings > Secrets and variables > Actions',
  gitlab: 'Settings > CI/CD > Variables',
};

/** What a pipeline needs that is not in it. */
export function toSetIn(system: CiSystem) {
  const section = variablesIn[system];
  return [
    { name: 'GANTRY_TOKEN', kind: 'secret' as const, value: 'the token of a service account', section },
    { name: 'GANTRY_PROJECT', kind: 'variable' as const, value: 'the id of your project', section },
  ];
}
