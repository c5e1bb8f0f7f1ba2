import type { Context } from '../context.ts';
import { type AppScaling, getApp, scaleApp } from '../contract/apps.ts';
import { appName } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';

export interface Scaled {
  app: string;
  changes: { setting: string; from: number | null; to: number }[];
}

type Wanted = { [Setting in keyof AppScaling]: number | undefined };

/**
 * Changes a running app's scaling (wire §1b). Reads first: the answer tells what was, nothing is sent when all is so
 * already, and a lower limit above the upper one is refused here. Throws UsageError, NotFoundError.
 */
export async function scale({ api, project, progress }: Context, app: string, wanted: Wanted): Promise<Scaled> {
  const asked = Object.entries(wanted).filter(
    (entry): entry is [keyof Wanted & string, number] => entry[1] !== undefined,
  );
  if (asked.length === 0) {
    throw new UsageError('nothing to change', { fix: 'gantry apps scale --help lists what can be changed' });
  }
  const before = await api(getApp, { project, app });
  const after = { ...before, ...Object.fromEntries(asked) };
  const [least, most] = [after.minReplicaCount, after.maxReplicaCount];
  if (typeof least === 'number' && typeof most === 'number' && least > most) {
    throw new UsageError(`at least ${least} replicas and at most ${most} cannot be`, {
      why: `${appName(project, app)} has ${before.minReplicaCount} to ${before.maxReplicaCount} now`,
      fix: 'give both --min-replicas and --max-replicas',
    });
  }
  const changes = asked
    .map(([setting, to]) => ({ setting, from: (before[setting] as number | null | undefined) ?? null, to }))
    .filter(({ from, to }) => from !== to);
  if (changes.length === 0) progress.note('it is so already');
  else {
    await api(scaleApp, { project, app, body: Object.fromEntries(changes.map(({ setting, to }) => [setting, to])) });
    progress.note('the next deploy sets again what cerebrium.toml says');
  }
  return { app: appName(project, app), changes };
}
