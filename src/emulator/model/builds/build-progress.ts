import type { BuildRecord, BuildScene, NotStarted } from '../state/records.ts';

/** A build at a point in time. */
export interface BuildProgress {
  status: string;
  reason: string | undefined;
  notStarted?: NotStarted;
  differences?: string[];
  /** Milliseconds since 1970, like all times here. */
  changedAt: number;
  lines: BuildLine[];
}

interface BuildLine {
  at: number;
  text: string;
}

/**
 * Plays a build's script up to now: each scene lasts `pace`, with its lines spread evenly over it, and at least until
 * the work that the emulator does in it has ended.
 */
export function getBuildProgress(build: BuildRecord, now: number): BuildProgress {
  const { startedAt, cancelledAt, pace, script } = build;
  const pending = { status: 'pending', reason: undefined, changedAt: build.createdAt, lines: [] };
  if (startedAt === undefined) return cancelledAt === undefined ? pending : cancelled(pending, cancelledAt);

  const until = Math.min(now, cancelledAt ?? now);
  const scenes = scheduleScenes(script.scenes, startedAt, pace);
  const begun = scenes.filter(({ at }) => at <= until);
  const lines = begun.flatMap(({ lines }) => lines).filter(({ at }) => at <= until);
  const current = begun.at(-1);
  const progress = { ...pending, status: current?.status ?? 'pending', changedAt: current?.at ?? startedAt, lines };

  if (cancelledAt !== undefined) return cancelled(progress, cancelledAt);
  const endsAt = scenes.at(-1)?.endsAt ?? startedAt;
  if (!script.end || now < endsAt) return progress;
  return { ...progress, ...script.end, changedAt: endsAt };
}

interface ScheduledScene {
  status: BuildScene['status'];
  at: number;
  endsAt: number;
  lines: BuildLine[];
}

/** Scenes after unfinished work are never reached. */
function scheduleScenes(scenes: readonly BuildScene[], startedAt: number, pace: number): ScheduledScene[] {
  let next = startedAt;
  return scenes.map(({ status, lines, work }) => {
    const at = next;
    const scripted = lines.map((text, index) => ({ at: at + Math.floor((pace * index) / lines.length), text }));
    const last = scripted.at(-1)?.at ?? at;
    const printed = (work?.lines ?? []).map((line) => ({ ...line, at: Math.max(line.at, last) }));
    next = Math.max(at + pace, work ? (work.endedAt ?? Number.POSITIVE_INFINITY) : at);
    return { status, at, endsAt: next, lines: [...scripted, ...printed] };
  });
}

function cancelled(progress: BuildProgress, at: number): BuildProgress {
  const lines = [...progress.lines, { at, text: 'Build cancelled' }];
  return { ...progress, status: 'cancelled', changedAt: at, lines };
}
