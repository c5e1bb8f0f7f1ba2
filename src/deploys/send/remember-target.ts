import { isDeepStrictEqual } from 'node:util';
import { readFolderTarget, rememberFolderTarget } from '../../platform/config/folder-target.ts';
import type { Context } from '../../platform/context.ts';
import type { Deployment } from './deploy-options.ts';

/** Remembers for this folder where its app went. Best effort: a deploy does not fail because of it. */
export async function rememberTarget(
  context: Context,
  { app, changed }: Pick<Deployment, 'app' | 'changed'>,
): Promise<void> {
  const { settings, target, cwd, now, trace } = context;
  const { project, platform, address } = target;
  try {
    const { deployedAt: _, ...last } = readFolderTarget(settings.folders, cwd) ?? { deployedAt: '' };
    const current = { app, project: project.value ?? '', platform: platform.value, address, flags: flagsFor(context) };
    // Nothing was deployed, and writing takes longer than all that found it out.
    if (!changed && isDeepStrictEqual(last, current)) return;
    await rememberFolderTarget(settings.folders, cwd, { ...current, deployedAt: new Date(now()).toISOString() });
  } catch (error) {
    trace(`cannot remember where ${app} went: ${(error as Error).message}`);
  }
}

/** What leads to this target from any shell; nothing does if the environment has the address of the platform. */
function flagsFor({ settings: { profile }, target: { platform, project }, flags }: Context): string[] {
  if (flags.local) return flags.local.flags;
  if (platform.origin.startsWith('environment')) return [];
  const named = profile.value === 'default' ? [] : ['--profile', profile.value];
  return [...named, '-p', project.value ?? ''];
}
