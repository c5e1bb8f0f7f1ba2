import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { openEnum, timestamp } from './scalars.ts';

const goodEnds = ['success', 'ready'] as const;
const badEnds = ['failure', 'build_failure', 'init_failure', 'init_timeout', 'cancelled'] as const;

export const BuildStatus = openEnum('pending', 'building', 'initializing', ...goodEnds, ...badEnds);

/**
 * Where a build stands (wire §0). Every word we do not know is "in progress", unless its ending says that something
 * went wrong: a newer server may have more states than we do.
 */
export function buildPhase(status: string): 'in progress' | 'succeeded' | 'failed' {
  if ((goodEnds as readonly string[]).includes(status)) return 'succeeded';
  if ((badEnds as readonly string[]).includes(status) || /_(failure|timeout|error)$/.test(status)) return 'failed';
  return 'in progress';
}

/** One build (wire §1b). `initError` says in the user's words why the app did not start. */
export const Build = v.looseObject({
  id: v.string(),
  status: BuildStatus,
  createdAt: v.optional(timestamp),
  updatedAt: v.optional(timestamp),
  initError: v.optional(v.nullable(v.string())),
});
export type Build = v.InferOutput<typeof Build>;

export const BuildLogLine = v.looseObject({
  id: v.optional(v.string()),
  createdAt: v.optional(timestamp),
  log: v.string(),
});
export type BuildLogLine = v.InferOutput<typeof BuildLogLine>;

/** Answer of zip contents (spec 2.13). The inner shape is not documented: shown as it comes (wire §0). */
export const ZipContents = v.looseObject({ id: v.optional(v.string()), zipFiles: v.unknown() });
export type ZipContents = v.InferOutput<typeof ZipContents>;

/** List an app's builds (wire §1b; the reply's shape is not documented). */
export const listBuilds = endpoint('GET /v2/projects/{project}/apps/{app}/builds', {
  reply: assumed(v.array(Build)),
});

/** One build's state (wire §1b): the only source of a verdict. */
export const getBuild = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}', { reply: Build });

/** All log lines of a build so far (wire §1b). */
export const getBuildLogs = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/logs', {
  reply: v.looseObject({ logs: v.nullable(v.array(BuildLogLine)), status: v.optional(BuildStatus) }),
});

/** The files in a build's archive (spec 4.8). */
export const getBuildZipContents = endpoint('GET /v2/projects/{project}/apps/{app}/builds/{build}/zip-contents', {
  reply: ZipContents,
});

/** Cancel a build; the answer is plain text (spec 4.9). */
export const cancelBuild = endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' });
