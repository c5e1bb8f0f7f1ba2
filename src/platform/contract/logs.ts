import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, nonEmptyReply, objectOf, replyObject } from './lists.ts';
import { described, maybe, optionalEnum, queryNumber, textOrEmpty } from './scalars.ts';

/**
 * One line that an app printed (docs/platform.md#logs). `timestamp` stays text: it is finer than milliseconds, and it
 * identifies a line that has no `logId`.
 */
export const AppLogLine = objectOf({
  logLine: described(textOrEmpty, 'text of the line'),
  timestamp: described(textOrEmpty, 'RFC 3339, UTC'),
  appId: described(maybe.text, 'app id'),
  projectId: described(maybe.text, 'project'),
  runId: described(maybe.text, 'run id'),
  containerId: described(maybe.text, 'container id'),
  containerName: described(maybe.text, 'full name of the container'),
  logId: described(maybe.text, 'line id'),
  lineNumber: described(maybe.number, 'number of the line in its container'),
  stream: described(optionalEnum('stdout', 'stderr'), 'stdout or stderr'),
});
export type AppLogLine = v.InferOutput<typeof AppLogLine>;

/** The reply's `nextPageToken` is sent back as `nextToken` (docs/platform.md#logs). */
const AppLogsQuery = v.object({
  container: v.optional(v.string()),
  afterDate: v.optional(v.string()),
  beforeDate: v.optional(v.string()),
  nextToken: v.optional(v.string()),
  search: v.optional(v.string()),
  runId: v.optional(v.string()),
  pageSize: v.optional(queryNumber(1)),
  direction: v.optional(v.picklist(['forward', 'backward'])),
  stream: v.optional(v.picklist(['stdout', 'stderr'])),
});
export type AppLogsQuery = v.InferOutput<typeof AppLogsQuery>;

/** Get a page of an app's log (docs/platform.md#logs); the platform sends null when it is empty. */
export const getAppLogs = endpoint('GET /v2/projects/{project}/apps/{app}/logs', {
  query: AppLogsQuery,
  reply: v.nullish(
    replyObject({ logs: listOf(AppLogLine, 'logLine'), nextPageToken: maybe.text, hasMore: maybe.boolean }),
    () => ({}),
  ),
  mayBeEmpty: true,
});

/**
 * The two log sockets, below the address of the logs (docs/platform.md#logs). The query has `projectID`, `token`, and
 * `buildID` or `appID`; `runID`, `containerID` and `after` (a time in RFC 3339) filter only when they are not empty.
 */
export const buildLogSocket = '/ws-build-logs';
export const appLogSocket = '/ws-logs';

/** A frame of the build log socket, as JSON. The server closes with code 1000 at the end. */
export const BuildLogFrame = nonEmptyReply({
  log: textOrEmpty,
  timestamp: textOrEmpty,
  build_id: maybe.text,
  log_id: maybe.text,
  app_id: maybe.text,
  container_id: maybe.text,
  k8s_namespace: maybe.text,
  stream: maybe.text,
  region: maybe.text,
  stage: maybe.text,
  log_line_number: assumed(maybe.number),
});
export type BuildLogFrame = v.InferOutput<typeof BuildLogFrame>;

/** A frame of the app log socket, as JSON. The socket stays open. */
export const AppLogFrame = nonEmptyReply({
  log: textOrEmpty,
  timestamp: textOrEmpty,
  app_id: maybe.text,
  run_id: maybe.text,
  container_name: maybe.text,
  container_id: assumed(maybe.text),
  log_id: assumed(maybe.text),
  stream: assumed(maybe.text),
});
export type AppLogFrame = v.InferOutput<typeof AppLogFrame>;
