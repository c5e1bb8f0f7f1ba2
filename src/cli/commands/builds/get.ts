import { type BuildFile, fetchBuild, parseZipContents, resolveBuild } from '../../../deploys/builds/index.ts';
import { findCommit } from '../../../deploys/commit-of-build.ts';
import { type BuildCommit, readHistory } from '../../../deploys/history/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { ago, shortBuild, sizeCell } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { keyValueTable, table } from '../../../kernel/output/table.ts';
import { type Build, buildHasFailed, getBuildZipContents, ownStatus } from '../../../platform/contract/builds.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { anything, document, passThrough, text } from '../../result-schema.ts';
import { buildFields, commitText } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

const filesFields = passThrough({
  id: text('build id'),
  zipFiles: anything('with --files: the files; platform value, passed through'),
});

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[build]', 'build id (default: latest)')
      .option('--files', 'list the files of its archive instead'),
  run: async (context, app, requested, { files, configFile }): Promise<BuildDetails | ArchiveFiles> => {
    const { api, project, progress } = context;
    const id = await resolveBuild(context, app, requested);
    if (files) {
      const reply = await api(getBuildZipContents, { project, app, build: id });
      if (parseZipContents(reply.zipFiles).length === 0)
        progress.note(`no files in the archive of build ${shortBuild(id)}`);
      return { ...reply, zipFiles: reply.zipFiles ?? null };
    }
    const [build, history] = await Promise.all([
      fetchBuild(api, { project, app, build: id }),
      readHistory(context, app),
    ]);
    const commit = await findCommit(context, { app, configFile }, build.id, history);
    return { ...build, status: ownStatus(build.status), ...commit, found: history.markOf(build.id) ?? null };
  },
  view: (details) => {
    if (!isBuild(details)) return filesView(parseZipContents(details.zipFiles));
    return keyValueTable([
      ['build', details.id],
      ['status', statusCell(details.status)],
      ['health', details.found],
      ['commit', commitText(details)],
      ['reason', details.initError],
      ['created', ago(details.createdAt)],
      ['updated', ago(details.updatedAt)],
    ]);
  },
  next: (details, _, [app]) =>
    isBuild(details) && buildHasFailed(details.status)
      ? [{ line: gantryCommand`explain ${String(app)} ${details.id}`, when: 'to see why it failed' }]
      : [],
  json: document(buildFields, filesFields),
  formOf: ({ files }) => document(files ? filesFields : buildFields),
  effect: 'reads',
  examples: ['builds get web', 'builds get web --json=status', 'builds get web --files'],
});

type BuildDetails = Build & BuildCommit & { found: string | null };
type ArchiveFiles = { zipFiles: unknown };

function isBuild(details: BuildDetails | ArchiveFiles): details is BuildDetails {
  return !('zipFiles' in details);
}

function filesView(files: readonly BuildFile[]): View {
  return table(files, ['FILE'], {
    FILE: ({ path }) => path,
    SIZE: ({ size }) => sizeCell(size),
    MORE: ({ more }) => more,
  });
}
