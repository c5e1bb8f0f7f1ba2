import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, nonEmptyReply, objectOf, replyObject } from './lists.ts';
import {
  described,
  optionalBoolean,
  optionalEnum,
  optionalNumber,
  optionalText,
  queryNumber,
  textOrEmpty,
} from './scalars.ts';

/**
 * One line that an app printed (docs/platform.md#logs). `timestamp` stays text: it is finer than milliseconds, and it
 * identifies a line that has no `logId`.
 */
export const AppLogLine = objectOf({
  logLine: described(textOrEmpty, 'text of the line'),
  timestamp: described(textOrEmpty, 'RFC 3339, UTC'),
  appId: described(optionalText, 'app id'),
  projectId: described(optionalText, 'project'),
  runId: described(optionalText, 'run id'),
  containerId: described(optionalText, 'container id'),
  containerName: described(optionalText, 'full name of the container'),
  logId: described(optionalText, 'line id'),
  lineNumber: described(optionalNumber, 'number of the line in its container'),
  stream: described(optionalEnum('stdout', 'stderr'), 'stdout or stderr'),
});
export type AppLogLine = v.InferOutput<typeof AppLogLine>;

/** The reply's `nextPageToken` is sent back as `nextToken` (docs/platform.md#logs). */
const AppLogsQuery = v.object({
  container: v.optional(v.string()),
  afterDate: v.optional(v.string()),
  beforeDate: v.optional(v.string()),
  pageSize: v.optional(queryNumber(1)),
  nextToken: v.optional(v.string()),
  direction: v.optional(v.picklist(['forward', 'backward'])),
  search: v.optional(v.string()),
  stream: v.optional(v.picklist(['stdout', 'stderr'])),
  runId: v.optional(v.string()),
});
export type AppLogsQuery = v.InferOutput<typeof AppLogsQuery>;

/** Get a page of an app's log (docs/platform.md#logs); the platform sends null when it is empty. */
export const getAppLogs = endpoint('GET /v2/projects/{project}/apps/{app}/logs', {
  query: AppLogsQuery,
  reply: v.nullish(
    replyObject({ logs: listOf(AppLogLine, 'logLine'), nextPageToken: optionalText, hasMore: optionalBoolean }),
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
  build_id: optionalText,
  log_id: optionalText,
  app_id: optionalText,
  container_id: optionalText,
  k8s_namespace: optionalText,
  stream: optionalText,
  region: optionalText,
  log_line_number: assumed(optionalNumber),
  stage: optionalText,
});
export type BuildLogFrame = v.InferOutput<typeof BuildLogFrame>;

/** A frame of the app log socket, as JSON. The socket stays open. */
export const AppLogFrame = nonEmptyReply({
  log: textOrEmpty,
  timestamp: textOrEmpty,
  app_id: optionalText,
  run_id: optionalText,
  container_name: optionalText,
  container_id: assumed(optionalText),
  log_id: assumed(optionalText),
  stream: assumed(optionalText),
});
export type AppLogFrame = v.InferOutput<typeof AppLogFrame>;
