import * as v from 'valibot';
import { isReplyWith, UsageError } from '../../kernel/errors.ts';
import type { LogSocket } from '../../platform/api/log-socket.ts';
import type { Context } from '../../platform/context.ts';
import { buildPhase, getBuildLogs } from '../../platform/contract/builds.ts';
import { listContainers } from '../../platform/contract/containers.ts';
import { toAppId } from '../../platform/contract/endpoint.ts';
import {
  AppLogFrame,
  type AppLogsQuery,
  appLogSocket,
  BuildLogFrame,
  buildLogSocket,
  getAppLogs,
} from '../../platform/contract/logs.ts';
import { jsonText } from '../../platform/contract/scalars.ts';
import { ifTold } from '../../platform/waiting/index.ts';
import { keepFound } from './keep-found.ts';
import { appFrameLine, appLine, buildFrameLine, buildLine, eachLine, type LogLine } from './log-line.ts';

/** A log that can be read in pages and followed. Times in ms since 1970. */
export interface LogSource {
  /** Whether a filter excludes some of its lines. */
  isFiltered: boolean;
  readPage(query: LogPageQuery): Promise<LogPage>;
  /** Opens the live log; absent if that does not support the filter. */
  openLive?: (after: number | undefined, until: AbortSignal) => Promise<LogSocket>;
  /** The platform closes the live log after its last line. */
  liveEnds?: boolean;
  /** Parses a message of the live log: a line, or none if it does not match the filter. Undefined if it is invalid. */
  parseFrame(text: string): LogLine[] | undefined;
  /** Minimum and maximum pause between two polls, in ms. */
  pollMs: [min: number, max: number];
}

export interface LogPageQuery {
  direction: 'forward' | 'backward';
  after?: number | undefined;
  before?: number | undefined;
  next?: string | undefined;
  size: number;
}

export interface LogPage {
  /** Each is one line, the oldest first. */
  lines: LogLine[];
  next?: string | undefined;
  /** There is more, but no token to request it. */
  isTruncated?: boolean;
  /** The work has ended: its last lines may be late. */
  hasEnded?: boolean;
}

/** Which lines to return, under the platform's names. */
export type AppLogFilter = Pick<AppLogsQuery, 'container' | 'stream' | 'search' | 'runId'>;

/**
 * The log of an app. The live log cannot filter by stream or text, so with these filters the log is polled. Both name a
 * container by its full name.
 */
export function appLogSource(
  { api, project, openLog }: Pick<Context, 'api' | 'project' | 'openLog'>,
  app: string,
  filter: AppLogFilter,
): LogSource {
  const { container, runId, stream, search } = filter;
  let isSizeRefused = false;
  return {
    isFiltered: [container, stream, search].some((value) => value !== undefined),
    pollMs: runId === undefined ? [2_000, 5_000] : [1_000, 1_000],
    async readPage({ direction, after, before, next, size }) {
      const query = {
        ...filter,
        direction,
        ...(!isSizeRefused && { pageSize: size }),
        nextToken: next,
        afterDate: toTimestamp(after),
        beforeDate: toTimestamp(before),
      };
      const read = (chosen: object) => api(getAppLogs, { project, app, query: chosen as AppLogsQuery });
      const reply = await read(query).catch(async (error: unknown) => {
        // No document says how large a page may be.
        if (isSizeRefused || !isReplyWith(error, [400])) throw error;
        const smaller = await read({ ...query, pageSize: undefined });
        isSizeRefused = true;
        return smaller;
      });
      const { logs, nextPageToken, hasMore = Boolean(nextPageToken) } = reply;
      const lines = logs.map(appLine);
      return {
        lines: (direction === 'backward' ? oldestFirst(lines) : lines).flatMap(eachLine),
        next: hasMore ? nextPageToken : undefined,
        isTruncated: hasMore && !nextPageToken,
      };
    },
    ...(!stream && !search
      ? {
          openLive: (after, until) => {
            const query = {
              projectID: project,
              appID: toAppId(project, app),
              containerID: container,
              runID: runId,
              after: toTimestamp(after),
            };
            return openLog(appLogSocket, query, until);
          },
        }
      : {}),
    parseFrame(text) {
      const frame = v.safeParse(AppLogMessage, text);
      return frame.success ? eachLine(appFrameLine(frame.output)) : undefined;
    },
  };
}

/** A page that is read backward starts with the latest line, unless its times show otherwise. */
function oldestFirst(lines: LogLine[]): LogLine[] {
  const first = lines[0]?.at ?? 0;
  const last = lines.at(-1)?.at ?? 0;
  return first < last ? lines : lines.toReversed();
}

const AppLogMessage = v.pipe(jsonText, AppLogFrame);

function toTimestamp(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

interface BuildLogOptions {
  search?: string | undefined;
  /** Reads the build's status where a page of the log has none. */
  readStatus?: () => Promise<string>;
}

/** The log of a build. Its history is one page, and its live log is closed after the last line. */
export function buildLogSource(
  { api, project, openLog }: Pick<Context, 'api' | 'project' | 'openLog'>,
  app: string,
  build: string,
  { search, readStatus }: BuildLogOptions = {},
): LogSource {
  const matches = (text: string) => search === undefined || text.includes(search);
  return {
    isFiltered: search !== undefined,
    pollMs: [500, 1_000],
    liveEnds: true,
    async readPage({ after = 0, before = Number.POSITIVE_INFINITY }) {
      const reply = await api(getBuildLogs, { project, app, build });
      const status = reply.status || (await readStatus?.()) || '';
      const lines = reply.logs.map(buildLine).filter(({ at, timestamp }) => !timestamp || (at >= after && at < before));
      return {
        lines: (await keepFound(lines, ({ text }) => matches(text))).flatMap(eachLine),
        hasEnded: buildPhase(status) !== 'in progress',
      };
    },
    openLive: (after, until) =>
      openLog(buildLogSocket, { projectID: project, buildID: build, after: toTimestamp(after) }, until),
    parseFrame(text) {
      const frame = v.safeParse(BuildLogMessage, text);
      if (!frame.success) return undefined;
      return matches(frame.output.log) ? eachLine(buildFrameLine(frame.output)) : [];
    },
  };
}

const BuildLogMessage = v.pipe(jsonText, BuildLogFrame);

/**
 * The full name of a container that was named by a part of it, which the platform does not accept. The name as it was
 * given if no container has it: containers that ended long ago are not listed, but have log lines. Throws UsageError if
 * several do.
 */
export async function findContainer(
  { api, project, signal }: Pick<Context, 'api' | 'project' | 'signal'>,
  app: string,
  given: string,
): Promise<string> {
  if (given.startsWith(`${toAppId(project, app)}-`)) return given;
  // The log itself can be read without.
  const containers = await ifTold({ signal }, api(listContainers, { project, app }));
  const names = [...new Set(containers?.map(({ containerId }) => containerId))];
  const matches = [
    names.filter((name) => name === given),
    names.filter((name) => name.endsWith(given)),
    names.filter((name) => name.includes(given)),
  ].find((text) => text.length > 0);
  if (!matches || matches.length === 1) return matches?.[0] ?? given;
  throw new UsageError(`"${given}" names ${matches.length} containers`, {
    why: `these match: ${matches.join(', ')}; type more of the name`,
  });
}
