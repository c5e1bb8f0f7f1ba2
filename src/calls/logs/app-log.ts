import * as v from 'valibot';
import { GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { toAppId } from '../../platform/contract/endpoint.ts';
import { AppLogFrame, type AppLogsQuery, appLogSocket, getAppLogs } from '../../platform/contract/logs.ts';
import { jsonText } from '../../platform/contract/scalars.ts';
import { appFrameLine, appLine, eachLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';

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
    isFiltered: [container, runId, stream, search].some((value) => value !== undefined),
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
        if (isSizeRefused || !(error instanceof GantryError) || error.facts.status !== 400) throw error;
        const smaller = await read({ ...query, pageSize: undefined });
        isSizeRefused = true;
        return smaller;
      });
      const hasMore = reply?.hasMore ?? Boolean(reply?.nextPageToken);
      return {
        lines: (reply?.logs ?? []).map(appLine),
        next: hasMore ? (reply?.nextPageToken ?? undefined) : undefined,
        isTruncated: hasMore && !reply?.nextPageToken,
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

const AppLogMessage = v.pipe(jsonText, AppLogFrame);

export function toTimestamp(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
