import { type ExplainedFailure, explainedFields, explainFailure } from '../../insight/explain.ts';
import type { CommandLine } from '../../kernel/command-line.ts';
import { problemText } from '../../kernel/output/failure.ts';
import { ago, shortBuild } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { wrapped } from '../../kernel/output/table.ts';
import { defineCommand } from '../command.ts';
import { optionalAppArgument } from '../flags/app.ts';
import { document } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    optionalAppArgument(command, { unless: 'file' })
      .argument('[id]', 'build or run id (default: the latest failure)')
      .option('--file <log>', 'explain a saved log; - is stdin'),
  run: (context, app, id, { file, configFile }) => explainFailure(context, { app, id, file, configFile }),
  view: explanationView,
  data: ({ command: _, ...explained }) => explained,
  next: ({ command, laterSucceeded }) =>
    command && !laterSucceeded ? [{ line: command, when: purposeOf(command) }] : [],
  effect: 'reads',
  json: document(explainedFields),
  details: [
    'Compares the log, the status and cerebrium.toml with known causes. If none matches, it shows the end of the log, and exits with 0 all the same.',
  ],
  examples: [
    'explain',
    'explain web',
    'explain web b-1234',
    'explain --file build.log',
    'explain web --json=cause,fix',
  ],
});

/** As errors are shown: the cause, where it is, the line that proves it, and how to fix it. */
function explanationView(explained: ExplainedFailure): View {
  const { cause, title, evidence, fix, location, log = [], laterSucceeded } = explained;
  if (cause === null) return wrapped(title);
  const why = evidence
    ? `${evidence.line === null ? evidence.source : `line ${evidence.line} of the log`}: ${evidence.text}`
    : log.length > 0 && ['from the log:', ...log].join('\n');
  const problem = {
    message: `${title}${laterSucceeded ? '; later calls succeeded' : ''}`,
    ...(location && { location }),
    ...(why && { why }),
    ...(fix && { fix }),
  };
  return (page) => `${problemText({ severity: 'error', ...problem }, page, 'cause')}${workOf(explained)(page)}`;
}

/** What failed, and when; empty for a saved log. */
function workOf({ build, run, at }: ExplainedFailure): (page: Page) => string {
  const work = build === null ? run && `run ${run}` : `build ${shortBuild(build)}`;
  return (page) => (work ? `\n  ${[work, ago(at)(page)].filter(Boolean).join(', ')}` : '');
}

function purposeOf({ argv }: CommandLine): string {
  if (argv[1] === 'logs') return 'to see the whole log';
  const needed = argv.includes('--from-env')
    ? argv
        .slice(
          3,
          argv.findIndex((word) => word.startsWith('--')),
        )
        .join(', ')
    : '';
  return needed === '' ? 'to fix it' : `to fix it, with ${needed} in the environment`;
}
