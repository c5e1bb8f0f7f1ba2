import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { list, object, replyObject } from './lists.ts';
import { enumOrEmpty, optionalEnum, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

const succeededStatuses = ['success', 'ready'] as const;
const failedStatuses = ['failure', 'build_failure', 'init_failure', 'init_timeout', 'cancelled'] as const;

const statuses = ['pending', 'building', 'initializing', ...succeededStatuses, ...failedStatuses] as const;

/**
 * The phase of a build status, in any case. Unknown statuses are "in progress" unless they end like a failure: a newer
 * server may have more of them.
 */
export function buildPhase(status: string): 'in progress' | 'succeeded' | 'failed' {
  const word = status.toLowerCase();
  if ((succeededStatuses as readonly string[]).includes(word)) return 'succeeded';
  if ((failedStatuses as readonly string[]).includes(word) || /_(failure|timeout|error)$/.test(word)) return 'failed';
  return 'in progress';
}

/** One build. `initError` says why the app did not start. */
const fields = {
  id: textOrEmpty,
  status: enumOrEmpty(...statuses),
  createdAt: optionalTime,
  updatedAt: optionalTime,
  initError: optionalText,
};
export const Build = object(fields);
export type Build = v.InferOutput<typeof Build>;

export const BuildLogLine = object({ id: optionalText, createdAt: optionalTime, log: textOrEmpty });
export type BuildLogLine = v.InferOutput<typeof BuildLogLine>;

/** Reply of zip contents (spec 2.13). The fields of `zipFiles` are not documented. */
export const ZipContents = replyObject({ id: optionalText, zipFiles: v.optional(v.unknown()) });
export type ZipContents = v.InferOutput<typeof ZipContents>;

/** Lists an app's builds (docs/platform.md: Builds). The reply is not documented. */
export const listBuilds = endpoint('GET /v2/projects/{project}/apps/{app}/builds', {
  reply: assumed(list(Build, 'id', 'status')),
});

/** Reads the status of a build, which alone decides whether it succeeded (docs/platform.md: Builds). */
export const getBuild = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}', {
  reply: replyObject(fields, 'status'),
});

/** Reads all log lines of a build so far (docs/platform.md: Logs). */
export const getBuildLogs = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/logs', {
  reply: replyObject({ logs: list(BuildLogLine, 'log'), status: optionalEnum(...statuses) }),
});

/** Lists the files in a build's archive (spec 4.8). */
export const getBuildZipContents = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/zip-contents', {
  reply: ZipContents,
});

/** Cancels a build; the reply is plain text (spec 4.9). */
export const cancelBuild = endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' });
