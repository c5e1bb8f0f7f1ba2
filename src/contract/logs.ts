import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { openEnum, queryNumber } from './scalars.ts';

const text = v.optional(v.nullable(v.string()));

/**
 * One line that an app printed (wire §1b). `timestamp` is kept as it came: it is finer than milliseconds, and where
 * there is no `logId` it tells one line from the next.
 */
export const AppLogLine = v.looseObject({
  logLine: v.string(),
  timestamp: v.string(),
  appId: text,
  projectId: text,
  runId: text,
  containerId: text,
  containerName: text,
  logId: text,
  lineNumber: v.optional(v.nullable(v.number())),
  stream: v.optional(v.nullable(openEnum('stdout', 'stderr'))),
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
  reply: v.nullable(
    v.looseObject({
      logs: v.nullable(v.array(AppLogLine)),
      nextPageToken: text,
      hasMore: v.optional(v.nullable(v.boolean())),
    }),
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
export const BuildLogFrame = v.looseObject({
  log: v.string(),
  timestamp: v.string(),
  build_id: text,
  log_id: text,
  app_id: text,
  container_id: text,
  k8s_namespace: text,
  stream: text,
  region: text,
  log_line_number: assumed(v.optional(v.nullable(v.number()))),
  stage: text,
});
export type BuildLogFrame = v.InferOutput<typeof BuildLogFrame>;

/** A line of an app, as its socket sends it. The socket stays open. */
export const AppLogFrame = v.looseObject({
  log: v.string(),
  timestamp: v.string(),
  app_id: text,
  run_id: text,
  container_name: text,
});
export type AppLogFrame = v.InferOutput<typeof AppLogFrame>;
