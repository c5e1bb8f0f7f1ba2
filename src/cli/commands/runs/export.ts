import type { FileHandle } from 'node:fs/promises';
import { exportRuns, type RunFormat, type RunRange, runFormats } from '../../../insight/run-mirror/index.ts';
import { writeAtomically } from '../../../kernel/disk/index.ts';
import { UsageError } from '../../../kernel/errors.ts';
import { RawOutput } from '../../../kernel/output/raw-output.ts';
import type { Context } from '../../../platform/context.ts';
import { fetchApp } from '../../../platform/replies/index.ts';
import { tryRequest } from '../../../platform/waiting/index.ts';
import { writeOutput } from '../../../storage/output-files.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { lastDay, rangeFlags } from '../../flags/list.ts';
import { outputFlag } from '../../flags/values.ts';
import { document, integer, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    rangeFlags(appArgument(command))
      .addOption(command.createOption('--format <format>', 'format of a line').choices(runFormats).default('jsonl'))
      .option('-o, --output <file>', 'file to write (default: stdout)', outputFlag('runs')),
  run: async (context, app, { since, until, format, output }) => {
    // Which runs are kept as final depends on the platform's clock, which the first reply shows.
    await tryRequest(context, (api) => fetchApp(api, { project: context.project, app }));
    const range = { app, ...lastDay({ since, until }, context.platformNow()) };
    if (output !== undefined && output !== '-') return exportToFile(context, range, format, output);
    const options = { untrusted: 'text', jsonValue } as const;
    return new RawOutput((write) => exportRuns(context, range, format, write).then(() => {}), options);
  },
  view: ({ file }) => file,
  effect: 'reads',
  json: document({
    app: text('app'),
    file: text('file that was written'),
    runs: integer('number of runs'),
    bytes: integer('size of the file'),
  }),
  details: [
    'Each line is a run, oldest first: id, createdAt, functionName, status, statusCode, runtimeMs, coldstartTimeMs, totalQueueTimeMs, totalResponseTimeMs, podName, build and kind (call or job). What the platform does not say is null, or empty in CSV.',
    'Runs are kept on this machine (gantry doctor --cache runs), so that only new ones are read the next time.',
  ],
  examples: [
    'runs export web --since 30d > runs.jsonl',
    'runs export web --since 7d --format csv -o runs.csv',
    'runs export web --since 7d | jq -s "map(.runtimeMs) | add"',
  ],
});

async function jsonValue(): Promise<never> {
  throw new UsageError('--json and --jq need -o FILE', { why: 'stdout has the runs themselves, as lines' });
}

async function exportToFile(context: Context, range: RunRange, format: RunFormat, output: string) {
  let bytes = 0;
  const { signal } = context;
  const write = (handle: FileHandle) =>
    exportRuns(context, range, format, (chunk) => {
      bytes += chunk.length;
      return handle.appendFile(chunk);
    });
  const runs = await writeOutput(context, output, (file) => writeAtomically(file, write, { signal }));
  return { app: range.app, file: output, runs, bytes };
}
