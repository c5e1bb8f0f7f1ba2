import type { Context } from '../../context.ts';
import { type App, type AppScaling, getApp, scaleApp } from '../../contract/apps.ts';
import { toAppName } from '../../contract/endpoint.ts';
import { FailedError, UsageError } from '../../errors.ts';
import { waitForChange } from '../waiting/index.ts';

export interface ScalingChanges {
  app: string;
  changes: { setting: string; from: number | null; to: number }[];
}

type Wanted = { [Setting in keyof AppScaling]: number | undefined };

/**
 * Changes a running app's scaling. Reads the app first: the answer has the previous values, nothing is sent when
 * nothing changes, and a minimum above the maximum is an error. Throws UsageError, NotFoundError.
 */
export async function changeScaling(context: Context, app: string, wanted: Wanted): Promise<ScalingChanges> {
  const { api, project, progress } = context;
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
      why: `${toAppName(project, app)} has ${before.minReplicaCount} to ${before.maxReplicaCount} now`,
      fix: 'give both --min-replicas and --max-replicas',
    });
  }
  const changes = asked
    .map(([setting, to]) => ({ setting, from: (before[setting] as number | null | undefined) ?? null, to }))
    .filter(({ from, to }) => from !== to);
  if (changes.length === 0) progress.note('it is so already');
  else {
    await api(scaleApp, { project, app, body: Object.fromEntries(changes.map(({ setting, to }) => [setting, to])) });
    await expectShown(context, app, changes);
    progress.note('the next deploy sets again what cerebrium.toml says');
  }
  return { app: toAppName(project, app), changes };
}

/** Throws FailedError if the app is still shown with other settings. Settings that are not shown cannot be checked. */
async function expectShown(
  { api, project, progress, delay }: Context,
  app: string,
  changes: ScalingChanges['changes'],
): Promise<void> {
  const differing = (shown: App) =>
    changes.filter(({ setting, to }) => typeof shown[setting] === 'number' && shown[setting] !== to);
  const shown = await waitForChange(
    () => api(getApp, { project, app }),
    (seen) => differing(seen).length === 0,
    delay,
  );
  const [first] = differing(shown);
  if (first) {
    const { setting, from, to } = first;
    const now = shown[setting] === from ? `still ${from}` : `${shown[setting]}`;
    throw new FailedError(`${setting} of ${toAppName(project, app)} is ${now}, not ${to}`, {
      why: 'the platform confirmed the change, but does not show it',
      fix: `gantry apps get ${toAppName(project, app)}`,
      details: {
        app: toAppName(project, app),
        asked: Object.fromEntries(changes.map(({ setting, to }) => [setting, to])),
      },
    });
  }
  const hidden = changes.filter(({ setting }) => typeof shown[setting] !== 'number').map(({ setting }) => setting);
  if (hidden.length > 0) progress.note(`the platform does not show ${hidden.join(', ')}: not confirmed`);
}
