import * as v from 'valibot';
import type { Context } from '../../platform/context.ts';
import { buildPhase, getBuildLogs } from '../../platform/contract/builds.ts';
import { BuildLogFrame, buildLogSocket } from '../../platform/contract/logs.ts';
import { jsonText } from '../../platform/contract/scalars.ts';
import { toTimestamp } from './app-log.ts';
import { buildFrameLine, buildLine, eachLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';

interface BuildLogOptions {
  /** Only lines with this text. */
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
      const lines = (reply.logs ?? [])
        .map(buildLine)
        .filter(({ at, timestamp, text }) => (!timestamp || (at >= after && at < before)) && matches(text));
      return { lines, hasEnded: buildPhase(status) !== 'in progress' };
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
