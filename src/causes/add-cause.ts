import { relative } from 'node:path';
import type { AppConfig } from '../app/config.ts';
import { CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { type FileLocation, GantryError } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';
import { isCanceled } from '../platform/contract/builds.ts';
import { locateFix } from './dockerfile-fix.ts';
import { explainLog } from './explain-log.ts';
import type { Explanation } from './explanation.ts';
import { readConfig } from './read-config.ts';
import type { FailureFacts } from './rule.ts';

/**
 * Adds the cause of a failed build, run or replica to its error, and makes the command that explains it the fix. Does nothing
 * if the cause is unknown, and for other errors. Makes no request, and never throws: the failure itself is the result.
 * Without a `config`, that of this folder is used if it is the app's.
 */
export async function addCause(context: CauseContext, error: unknown, config?: AppConfig): Promise<void> {
  const { progress, signal, cwd } = context;
  try {
    if (signal.aborted || !(error instanceof GantryError) || !error.facts.log) return;
    const { app, build, run, container, status, reason, programExitCode, statusCode } = (error.facts.details ??
      {}) as FailureDetails;
    if (isCanceled(status ?? '')) return;
    const inFolder = config ?? (await readConfig(context));
    const own = config || inFolder?.name === app ? inFolder : undefined;
    const source = run === undefined && container === undefined ? 'build' : 'run';
    const facts: FailureFacts = {
      source,
      config: own,
      status,
      reason: reason ?? undefined,
      exitCode: programExitCode ?? undefined,
      statusCode: statusCode ?? undefined,
    };
    const found = explainLog(error.facts.log.join('\n'), facts);
    const id = build ?? run;
    if (!found || app === undefined) return;
    // That a replica ended is what the error says already.
    if (container !== undefined && found.cause === 'app-exited') return;
    const { setting: _, step: __, next, ...explanation } = found;
    const location = own && (await locateFix(found, own, relative(cwd, own.file)));
    error.facts.details = { ...error.facts.details, explanation: { ...explanation, location: location || null } };
    // The build of a replica has not failed: there is nothing to explain about it.
    if (container !== undefined) {
      progress.note(`cause: ${found.title}; ${found.fix}`);
      return;
    }
    // The image of a run has no log that could be explained later.
    if (id === undefined) {
      Object.assign(error.facts, { why: found.title, location, fix: found.fix });
      return;
    }
    error.facts.fix = gantryCommand`explain ${app} ${id}`;
    const command = new CommandLine(['gantry', ...(next ?? [])]);
    if (found.fix === `${command}`) error.facts.next = command;
    error.facts.explained = { title: found.title, place: placeOf(found, location), fix: found.fix };
    // What is known says more than the end of the log, which `explain` shows.
    const { why } = error.facts;
    if (why?.includes('\n') || why === found.evidence.text) delete error.facts.why;
  } catch (failed) {
    progress.warn(`cannot explain the failure: ${(failed as Error).message}`);
  }
}

/** The line of a file to change, or else what shows the cause. */
function placeOf({ evidence: { source, line, text } }: Explanation, at: FileLocation | undefined): string {
  if (at) return `${at.file}:${at.line}:${at.column}: ${at.text.trim()}`;
  return `${source === 'log' ? `line ${line} of the log` : `the ${source}`}: ${text}`;
}

type CauseContext = Pick<Context, 'progress' | 'signal' | 'cwd'>;

interface FailureDetails {
  app?: string;
  build?: string;
  run?: string;
  /** Of an app that is not healthy: the replica, if the problem has one. */
  container?: string | null;
  status?: string;
  reason?: string | null;
  programExitCode?: number | null;
  statusCode?: number | null;
}
