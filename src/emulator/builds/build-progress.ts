import type { BuildRecord } from '../state/records.ts';

/** A build at a point in time. */
export interface BuildProgress {
  status: string;
  /** Why it failed. */
  reason: string | undefined;
  /** Milliseconds since 1970, like all times here. */
  changedAt: number;
  lines: { at: number; text: string }[];
}

/** Plays a build's script up to now: each scene lasts `pace`, with its lines spread evenly over it. */
export function getBuildProgress(build: BuildRecord, now: number): BuildProgress {
  const { startedAt, cancelledAt, pace, script } = build;
  const pending = { status: 'pending', reason: undefined, changedAt: build.createdAt, lines: [] };
  if (startedAt === undefined) return cancelledAt === undefined ? pending : cancelled(pending, cancelledAt);

  const until = Math.min(now, cancelledAt ?? now);
  const endsAt = startedAt + script.scenes.length * pace;
  const scenes = script.scenes
    .map((scene, index) => ({ ...scene, at: startedAt + index * pace }))
    .filter((scene) => scene.at <= until);
  const lines = scenes
    .flatMap(({ at, lines }) =>
      lines.map((text, index) => ({ at: at + Math.floor((pace * index) / lines.length), text })),
    )
    .filter((line) => line.at <= until);
  const current = scenes.at(-1);
  const progress = { ...pending, status: current?.status ?? 'pending', changedAt: current?.at ?? startedAt, lines };

  if (cancelledAt !== undefined) return cancelled(progress, cancelledAt);
  if (!script.end || now < endsAt) return progress;
  return { ...progress, ...script.end, changedAt: endsAt };
}

function cancelled(progress: BuildProgress, at: number): BuildProgress {
  const lines = [...progress.lines, { at, text: 'Build cancelled' }];
  return { ...progress, status: 'cancelled', changedAt: at, lines };
}
