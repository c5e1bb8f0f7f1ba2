import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { list, nonEmptyReply, object, replyObject } from './lists.ts';
import { optionalBoolean, optionalEnum, optionalNumber, optionalText, queryNumber, textOrEmpty } from './scalars.ts';

/**
 * One line that an app printed (wire §1b). `timestamp` is kept as it came: it is finer than milliseconds, and where
 * there is no `logId` it tells one line from the next.
 */
export const AppLogLine = object({
  logLine: textOrEmpty,
  timestamp: textOrEmpty,
  appId: optionalText,
  projectId: optionalText,
  runId: optionalText,
  containerId: optionalText,
  containerName: optionalText,
  logId: optionalText,
  lineNumber: optionalNumber,
  stream: optionalEnum('stdout', 'stderr'),
});
export type AppLogLine = v.InferOutput<typeof AppLogLine>;

/** What comes back as `nextPageToken` is asked for as `nextToken` (wire §1b). */
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

/** A page of what an app printed; null when it has printed nothing (wire §1b). */
export const getAppLogs = endpoint('GET /v2/projects/{project}/apps/{app}/logs', {
  query: AppLogsQuery,
  reply: v.nullish(
    replyObject({ logs: list(AppLogLine, 'logLine'), nextPageToken: optionalText, hasMore: optionalBoolean }),
  ),
  mayBeEmpty: true,
});

/**
 * The two log sockets, below the address of the logs (wire §1b). The query says whose log: `projectID`, `token`, and
 * `buildID` or `appID`; what is absent or empty of `runID`, `containerID` and `after` (a time in RFC 3339) does not narrow.
 */
export const buildLogSocket = '/ws-build-logs';
export const appLogSocket = '/ws-logs';

/** A line of a build, as its socket sends it: one JSON text a frame. The server closes with 1000 at the end. */
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

/** A line of an app, as its socket sends it. The socket stays open. */
export const AppLogFrame = nonEmptyReply({
  log: textOrEmpty,
  timestamp: textOrEmpty,
  app_id: optionalText,
  run_id: optionalText,
  container_name: optionalText,
});
export type AppLogFrame = v.InferOutput<typeof AppLogFrame>;
