import * as v from 'valibot';
import type { Context } from '../../context.ts';
import { buildPhase, getBuildLogs } from '../../contract/builds.ts';
import { BuildLogFrame, buildLogSocket } from '../../contract/logs.ts';
import { jsonText } from '../../contract/scalars.ts';
import { buildFrameLine, buildLine, type LogSource, toTimestamp } from '../logs/index.ts';
import { fetchBuild } from './fetch-build.ts';

/** The log of a build. Its history is one page, and it ends with the build. */
export function buildLogSource(
  { api, project, openLog }: Pick<Context, 'api' | 'project' | 'openLog'>,
  app: string,
  build: string,
  search?: string,
): LogSource {
  return {
    isFiltered: search !== undefined,
    pollMs: [500, 1_000],
    async readPage({ after = 0, before = Number.POSITIVE_INFINITY }) {
      const reply = await api(getBuildLogs, { project, app, build });
      const status = reply.status ?? (await fetchBuild(api, { project, app, build })).status;
      const lines = (reply.logs ?? [])
        .map(buildLine)
        .filter(({ at, timestamp, text }) => (!timestamp || (at >= after && at < before)) && matches(text, search));
      return { lines, hasEnded: buildPhase(status) !== 'in progress' };
    },
    openLive: (after) => openLog(buildLogSocket, { projectID: project, buildID: build, after: toTimestamp(after) }),
    parseFrame(text) {
      const frame = v.safeParse(BuildLogMessage, text);
      if (!frame.success) return undefined;
      return matches(frame.output.log, search) ? [buildFrameLine(frame.output)] : [];
    },
  };
}

const BuildLogMessage = v.pipe(jsonText, BuildLogFrame);

function matches(text: string, search: string | undefined): boolean {
  return search === undefined || text.includes(search);
}
