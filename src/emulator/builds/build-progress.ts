import type { BuildRecord } from '../state/records.ts';

/** A build as the clock has it. */
export interface BuildProgress {
  status: string;
  /** Why it failed, in the user's words. */
  reason: string | undefined;
  /** Milliseconds since 1970, as all times here. */
  changedAt: number;
  lines: { at: number; text: string }[];
}

/** Reads a build's script up to where the clock stands: each scene lasts `pace`, its lines spread evenly over it. */
export function getBuildProgress(build: BuildRecord, now: number): BuildProgress {
  const { startedAt, cancelledAt, pace, script } = build;
  const waiting = { status: 'pending', reason: undefined, changedAt: build.createdAt, lines: [] };
  if (startedAt === undefined) return cancelledAt === undefined ? waiting : cancelled(waiting, cancelledAt);

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
  const reading = { ...waiting, status: current?.status ?? 'pending', changedAt: current?.at ?? startedAt, lines };

  if (cancelledAt !== undefined) return cancelled(reading, cancelledAt);
  if (!script.end || now < endsAt) return reading;
  return { ...reading, ...script.end, changedAt: endsAt };
}

function cancelled(reading: BuildProgress, at: number): BuildProgress {
  const lines = [...reading.lines, { at, text: 'Build cancelled' }];
  return { ...reading, status: 'cancelled', changedAt: at, lines };
}
