import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { described, enumOrEmpty, maybe, optionalEnum, textOrEmpty } from './scalars.ts';

const succeededStatuses = ['success', 'ready'] as const;
const failedStatuses = ['failure', 'build_failure', 'init_failure', 'init_timeout', 'cancelled'] as const;

/**
 * The statuses with which the official client stops waiting (docs/platform.md#builds). For any other it waits until its own
 * limit, so the emulator ends builds with these.
 */
export type EndedBuildStatus = (typeof succeededStatuses | typeof failedStatuses)[number];

const statuses = ['pending', 'building', 'initializing', ...succeededStatuses, ...failedStatuses] as const;

/**
 * Maps a build's status to a phase (docs/platform.md#builds). An unknown status means "in progress", unless it ends in
 * a word for failure: a newer server may have more statuses. Ignores case, and how `cancelled` is spelled.
 */
export function buildPhase(status: string): 'in progress' | 'succeeded' | 'failed' {
  const word = status.toLowerCase().replace(/^canceled$/, 'cancelled');
  if ([...succeededStatuses, 'succeeded'].includes(word)) return 'succeeded';
  if ((failedStatuses as readonly string[]).includes(word) || /_(failure|timeout|error)$/.test(word)) return 'failed';
  return 'in progress';
}

/** What a user canceled has not failed. */
export function buildHasFailed(status: string): boolean {
  return buildPhase(status) === 'failed' && !isCanceled(status);
}

/** Whether a build that failed was built, but did not start. */
export const hasNotStarted = (status: string): boolean => /^init_/i.test(status);

/** Whether a build or a run is canceled, in either spelling. */
export function isCanceled(status: string): boolean {
  return /^cancell?ed$/i.test(status);
}

/** What gantry itself calls the status of a build: each end has one name, other statuses keep the platform's. */
export function ownStatus(status: string): string {
  if (isCanceled(status)) return 'canceled';
  return buildPhase(status) === 'succeeded' ? 'succeeded' : status;
}

/** One build (docs/platform.md#builds). `initError` tells the user why the app did not start. */
const fields = {
  id: described(textOrEmpty, 'build id'),
  /** Only from the emulator, for what it cannot run: nothing is known of the app, and what calls get. */
  notStarted: v.optional(objectOf({ reason: textOrEmpty, calls: enumOrEmpty('refused', 'simulated') })),
  /** Only from the emulator: what is not as on the platform. */
  differences: v.optional(v.array(textOrEmpty)),
  status: described(enumOrEmpty(...statuses), 'build status; platform value, passed through'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  updatedAt: described(maybe.time, 'RFC 3339, UTC'),
  initError: described(maybe.text, 'why the app did not start'),
};
export const Build = objectOf(fields);
export type Build = v.InferOutput<typeof Build>;

export const BuildLogLine = objectOf({
  id: described(maybe.text, 'line id'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  log: described(textOrEmpty, 'text of a line of a build'),
});
export type BuildLogLine = v.InferOutput<typeof BuildLogLine>;

/** Answer of zip contents (spec 2.13). The inner shape is not documented, so it is passed on unchanged. */
export const ZipContents = replyObject({ id: maybe.text, zipFiles: v.optional(v.unknown()) });

/** List an app's builds (docs/platform.md#builds). The shape of the reply is not documented. */
export const listBuilds = endpoint('GET /v2/projects/{project}/apps/{app}/builds', {
  reply: assumed(listOf(Build, 'id', 'status')),
});

/** Get one build (docs/platform.md#builds). Its status is the only source of the result. */
export const getBuild = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}', {
  reply: replyObject(fields, 'status'),
});

/** Get all log lines of a build so far (docs/platform.md#builds). */
export const getBuildLogs = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/logs', {
  reply: replyObject({ logs: listOf(BuildLogLine, 'log'), status: optionalEnum(...statuses) }),
});

/** Lists the files in a build's archive (spec 4.8). */
export const getBuildZipContents = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/zip-contents', {
  reply: ZipContents,
});

/** Cancels a build; the reply is plain text (spec 4.9). */
export const cancelBuild = endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' });
