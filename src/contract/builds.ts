import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { list, object, replyObject } from './lists.ts';
import { enumOrEmpty, optionalEnum, optionalText, optionalTime, textOrEmpty } from './scalars.ts';

const succeededStatuses = ['success', 'ready'] as const;
const failedStatuses = ['failure', 'build_failure', 'init_failure', 'init_timeout', 'cancelled'] as const;

const statuses = ['pending', 'building', 'initializing', ...succeededStatuses, ...failedStatuses] as const;

/**
 * Where a build stands (wire §0). Every word we do not know is "in progress", unless its ending says that something
 * went wrong: a newer server may have more states than we do. Capitals make no difference.
 */
export function buildPhase(status: string): 'in progress' | 'succeeded' | 'failed' {
  const word = status.toLowerCase();
  if ((succeededStatuses as readonly string[]).includes(word)) return 'succeeded';
  if ((failedStatuses as readonly string[]).includes(word) || /_(failure|timeout|error)$/.test(word)) return 'failed';
  return 'in progress';
}

/** One build (wire §1b). `initError` says in the user's words why the app did not start. */
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

/** Answer of zip contents (spec 2.13). The inner shape is not documented: shown as it comes (wire §0). */
export const ZipContents = replyObject({ id: optionalText, zipFiles: v.optional(v.unknown()) });
export type ZipContents = v.InferOutput<typeof ZipContents>;

/** List an app's builds (wire §1b; the reply's shape is not documented). */
export const listBuilds = endpoint('GET /v2/projects/{project}/apps/{app}/builds', {
  reply: assumed(list(Build, 'id', 'status')),
});

/** One build's state (wire §1b): the only source of a verdict. */
export const getBuild = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}', {
  reply: replyObject(fields, 'status'),
});

/** All log lines of a build so far (wire §1b). */
export const getBuildLogs = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/logs', {
  reply: replyObject({ logs: list(BuildLogLine, 'log'), status: optionalEnum(...statuses) }),
});

/** The files in a build's archive (spec 4.8). */
export const getBuildZipContents = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/zip-contents', {
  reply: ZipContents,
});

/** Cancel a build; the answer is plain text (spec 4.9). */
export const cancelBuild = endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' });
