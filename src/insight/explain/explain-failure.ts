import { describeUnknown, type Evidence, explainLog, locateFix, readConfig } from '../../causes/index.ts';
import { CommandLine } from '../../kernel/command-line.ts';
import type { FileLocation } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { findSubject, type Subject, type SubjectOptions } from './subject.ts';

/** A failure, and what is known of its cause. */
export interface ExplainedFailure extends Omit<Subject, 'facts' | 'readLog' | 'logCommand'> {
  /** Null if nothing failed, `unknown` if no rule knows it. */
  cause: string | null;
  title: string;
  evidence: Evidence | null;
  fix: string | null;
  /** The setting to change. */
  location: FileLocation | null;
  /** The lines of the log that show most, if the cause is unknown. */
  log: string[];
  /** The command that helps. */
  command?: CommandLine;
}

export interface ExplainOptions extends SubjectOptions {
  /** The config file of the app, relative to the working directory. */
  configFile: string;
}

/** Explains why a build or a run failed, or what a log shows. */
export async function explainFailure(context: Context, options: ExplainOptions): Promise<ExplainedFailure> {
  const config = await readConfig(context, options.configFile);
  const { facts, readLog, logCommand, ...subject } = await findSubject(context, options);
  if (subject.failed === false) return { ...subject, ...nothing, title: nothingFailed(subject) };
  const log = await readLog();
  // The app in this folder may be another one.
  const own = subject.app === null || subject.app === config?.name ? config : undefined;
  const found = explainLog(log, { ...facts, config: own });
  if (!found) {
    const unknown = describeUnknown(log, facts);
    // Of a sick build it is known what was seen, if not why.
    const title = subject.status === 'sick' ? `${facts.reason}; ${unknown.title}` : unknown.title;
    return {
      ...subject,
      ...nothing,
      ...unknown,
      cause: 'unknown',
      title,
      ...(logCommand && log !== '' && { command: logCommand }),
    };
  }
  const { setting: _, step: __, next, ...explanation } = found;
  const location = await locateFix(found, own, options.configFile);
  const command = next && new CommandLine(['gantry', ...next]);
  return { ...subject, ...explanation, location: location ?? null, log: [], ...(command && { command }) };
}

const nothing = { cause: null, evidence: null, fix: null, location: null, log: [] };

function nothingFailed({ app, build, run, status }: Pick<Subject, 'app' | 'build' | 'run' | 'status'>): string {
  if (build !== null) return `build ${shortBuild(build)} of ${app} has not failed: ${status}`;
  if (run !== null) return `run ${run} of ${app} has not failed: ${status}`;
  return `no build or run of ${app} has failed`;
}
