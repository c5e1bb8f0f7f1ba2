import { relative } from 'node:path';
import type { AppConfig } from '../app/config.ts';
import { readConfig } from '../app/config.ts';
import { CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { type ErrorFacts, type FileLocation, GantryError } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';
import { isCanceled } from '../platform/contract/builds.ts';
import { asSeen, type SeenInFiles } from './as-seen.ts';
import { explainLog } from './explain-log.ts';
import type { Explanation } from './explanation.ts';
import { locateCause } from './locate-cause.ts';
import type { FailureFacts } from './rule.ts';

/**
 * Adds the cause of a failed build, run or replica to its error, and makes the command that explains it the fix. Does nothing
 * if the cause is unknown, and for other errors. Makes no request, and never throws: the failure itself is the result.
 * Without a `config`, that of this folder is used if it is the app's. `seen`: what the files show.
 */
export async function addCause(
  context: CauseContext,
  error: unknown,
  config?: AppConfig,
  inFiles?: SeenInFiles,
): Promise<void> {
  try {
    if (!context.signal.aborted && error instanceof GantryError) await tell(context, error.facts, config, inFiles);
  } catch (failed) {
    context.progress.warn(`cannot explain the failure: ${(failed as Error).message}`);
  }
}

/** Tells the cause, and the place of its fix in the app. */
async function tell(
  context: CauseContext,
  facts: ErrorFacts,
  config?: AppConfig,
  inFiles: SeenInFiles = { problems: [], names: new Map() },
): Promise<void> {
  const details = (facts.details ?? {}) as FailureDetails;
  const { app, container, status } = details;
  if (!facts.log || app === undefined || isCanceled(status ?? '')) return;
  const appConfig = config ?? (await configOf(context, app));
  const text = facts.log.join('\n');
  const explanation = explainLog(text, { ...factsOf(details, appConfig), sent: facts.sent });
  // That a replica ended is what the error says already.
  if (!explanation || (container !== undefined && explanation.cause === 'app-exited')) return;
  const shownAs = appConfig ? relative(context.cwd, appConfig.file) : '';
  const { location, ...better } = asSeen(explanation, text, inFiles) ?? {};
  const place = location ?? (await locateCause(context, text, explanation, appConfig, shownAs));
  tellCause(context, facts, details, { ...explanation, ...better }, place);
}

/** The app of this folder, if it is the one. */
async function configOf(context: CauseContext, app: string): Promise<AppConfig | undefined> {
  const { config, ignored } = await readConfig(context);
  if (ignored) context.progress.warn(ignored);
  return config?.name === app ? config : undefined;
}

function factsOf(
  { run, container, status, reason, programExitCode, statusCode }: FailureDetails,
  config: AppConfig | undefined,
): FailureFacts {
  return {
    source: run === undefined && container === undefined ? 'build' : 'run',
    config,
    status,
    reason: reason ?? undefined,
    exitCode: programExitCode ?? undefined,
    statusCode: statusCode ?? undefined,
  };
}

function tellCause(
  { progress }: CauseContext,
  facts: ErrorFacts,
  { app = '', build, run, container }: FailureDetails,
  explanation: Explanation,
  location: FileLocation | undefined,
): void {
  const { setting: _, step: __, isGeneral: ___, next, ...shown } = explanation;
  const { title, fix, evidence } = explanation;
  facts.details = { ...facts.details, explanation: { ...shown, location: location || null } };
  const id = build ?? run;
  // The build of a replica has not failed: there is nothing to explain about it.
  if (container !== undefined) progress.note(`cause: ${title}; ${fix}`);
  // The image of a run has no log that could be explained later.
  else if (id === undefined) Object.assign(facts, { why: title, location, fix });
  if (container !== undefined || id === undefined) return;
  facts.fix = gantryCommand`explain ${app} ${id}`;
  const command = new CommandLine(['gantry', ...(next ?? [])]);
  if (fix === `${command}`) facts.next = command;
  facts.explained = { title, place: placeOf(explanation, location), fix };
  // What is known says more than the end of the log, which `explain` shows.
  if (facts.why?.includes('\n') || facts.why === evidence.text) delete facts.why;
}

/** The line of a file to change, or else what shows the cause. */
function placeOf({ evidence: { source, line, text } }: Explanation, at: FileLocation | undefined): string {
  if (at) return `${at.file}:${at.line}:${at.column}: ${at.text.trim()}`;
  return `${source === 'log' ? `line ${line} of the log` : `the ${source}`}: ${text}`;
}

type CauseContext = Pick<Context, 'progress' | 'signal' | 'cwd' | 'env'>;

interface FailureDetails {
  app?: string;
  build?: string;
  run?: string;
  /** The replica of an app that is not healthy, if the problem has one. */
  container?: string | null;
  status?: string;
  reason?: string | null;
  programExitCode?: number | null;
  statusCode?: number | null;
}
