import * as v from 'valibot';
import type { Context } from '../../context.ts';
import { toAppId } from '../../contract/endpoint.ts';
import { AppLogFrame, type AppLogsQuery, appLogSocket, getAppLogs } from '../../contract/logs.ts';
import { jsonText } from '../../contract/scalars.ts';
import { appFrameLine, appLine } from './log-line.ts';
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
  return {
    isFiltered: [container, runId, stream, search].some((value) => value !== undefined),
    pollMs: [2_000, 5_000],
    async readPage({ direction, after, before, next, size }) {
      const query = {
        ...filter,
        direction,
        pageSize: size,
        nextToken: next,
        afterDate: toTimestamp(after),
        beforeDate: toTimestamp(before),
      };
      const reply = await api(getAppLogs, { project, app, query: query as AppLogsQuery });
      const hasMore = reply?.hasMore ?? Boolean(reply?.nextPageToken);
      return {
        lines: (reply?.logs ?? []).map(appLine),
        next: hasMore ? (reply?.nextPageToken ?? undefined) : undefined,
        isTruncated: hasMore && !reply?.nextPageToken,
      };
    },
    ...(!stream && !search
      ? {
          openLive: (after) =>
            openLog(appLogSocket, {
              projectID: project,
              appID: toAppId(project, app),
              containerID: container,
              runID: runId,
              after: toTimestamp(after),
            }),
        }
      : {}),
    parseFrame(text) {
      const frame = v.safeParse(AppLogMessage, text);
      return frame.success ? [appFrameLine(frame.output)] : undefined;
    },
  };
}

const AppLogMessage = v.pipe(jsonText, AppLogFrame);

export function toTimestamp(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
