import { gantryCommand } from '../../kernel/command-line.ts';
import { FailedError, UsageError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, scaleApp } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { waitForChange } from '../../platform/waiting/index.ts';
import { recordEvent, recordLook } from '../history/index.ts';

export interface ScalingChanges {
  app: string;
  /** Whether anything changed. */
  changed: boolean;
  settings: { setting: string; from: number | null; to: number }[];
}

/** Keys of cerebrium.toml, by the names of the platform. */
const keys = {
  minReplicaCount: 'scaling.min_replicas',
  maxReplicaCount: 'scaling.max_replicas',
  cooldownPeriodSeconds: 'scaling.cooldown',
  responseGracePeriodSeconds: 'scaling.response_grace_period',
} as const;

interface Change {
  field: keyof typeof keys;
  setting: string;
  from: number | null;
  to: number;
}

type NewScaling = { [Field in keyof typeof keys]: number | undefined };

/**
 * Changes the scaling of a deployed app. Reads the app first, to return the old values and to send only real changes.
 * Throws UsageError, NotFoundError.
 */
export async function changeScaling(context: Context, app: string, scaling: NewScaling): Promise<ScalingChanges> {
  const { api, project, progress, willChange } = context;
  const requested = Object.entries(scaling).filter(
    (entry): entry is [keyof typeof keys, number] => entry[1] !== undefined,
  );
  if (requested.length === 0) {
    throw new UsageError('nothing to change', { fix: gantryCommand`apps scale --help` });
  }
  const before = await fetchApp(api, { project, app });
  await recordLook(context, shortAppName(project, app), before);
  const after = { ...before, ...Object.fromEntries(requested) };
  const [min, max] = [after.minReplicaCount, after.maxReplicaCount];
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw new UsageError(`the minimum of ${count(min, 'replica')} exceeds the maximum of ${max}`, {
      why: `${shortAppName(project, app)} has ${before.minReplicaCount} to ${before.maxReplicaCount} now`,
      fix: 'pass both --min-replicas and --max-replicas',
    });
  }
  const changes = requested
    .map(
      ([field, to]): Change => ({
        field,
        setting: keys[field],
        from: (before[field] as number | null | undefined) ?? null,
        to,
      }),
    )
    .filter(({ from, to }) => from !== to);
  const result = {
    app: shortAppName(project, app),
    changed: changes.length > 0,
    settings: changes.map(({ setting, from, to }) => ({ setting, from, to })),
  };
  if (changes.length === 0) progress.note('nothing to change');
  else {
    willChange(
      changes.map(({ setting, from, to }) => `change ${setting} of ${result.app} from ${from ?? 'unknown'} to ${to}`),
      result,
    );
    await api(scaleApp, { project, app, body: Object.fromEntries(changes.map(({ field, to }) => [field, to])) });
    await verifyChanges(context, app, changes);
    await recordEvent(context, result.app, 'scaled', {
      before: Object.fromEntries(changes.map(({ field, from }) => [field, from])),
      after: Object.fromEntries(changes.map(({ field, to }) => [field, to])),
    });
    progress.note('the next deploy resets these settings to those of cerebrium.toml');
  }
  return result;
}

/** Throws FailedError if the platform still shows other values. Settings that it does not show cannot be verified. */
async function verifyChanges(
  { api, project, progress, delay }: Context,
  app: string,
  changes: Change[],
): Promise<void> {
  const differing = (shown: App) =>
    changes.filter(({ field, to }) => typeof shown[field] === 'number' && shown[field] !== to);
  const shown = await waitForChange(
    () => fetchApp(api, { project, app }),
    (state) => differing(state).length === 0,
    delay,
  );
  const [first] = differing(shown);
  if (first) {
    const { field, setting, from, to } = first;
    const now = shown[field] === from ? `still ${from}` : `${shown[field]}`;
    throw new FailedError(`${setting} of ${shortAppName(project, app)} is ${now}, not ${to}`, {
      why: 'the platform confirmed the change, but does not show it',
      fix: gantryCommand`apps get ${shortAppName(project, app)}`,
      details: {
        app: shortAppName(project, app),
        asked: Object.fromEntries(changes.map(({ setting, to }) => [setting, to])),
      },
    });
  }
  const hidden = changes.filter(({ field }) => typeof shown[field] !== 'number').map(({ setting }) => setting);
  if (hidden.length > 0) progress.note(`not verified: the platform does not show ${hidden.join(', ')}`);
}
