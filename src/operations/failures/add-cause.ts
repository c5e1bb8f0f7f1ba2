import { relative } from 'node:path';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { GantryError } from '../../errors.ts';
import type { AppConfig } from '../../project/config.ts';
import { locateSetting } from '../../project/setting-location.ts';
import { explainLog } from './explain-log.ts';
import type { FailureFacts } from './facts.ts';

/**
 * Adds the cause of a failed build or run to the details of its error, and says it in one line. Does nothing if the
 * cause is unknown, and for other errors. Makes no request, and never throws: the failure itself is the result.
 */
export async function addCause(
  { progress, cwd }: Pick<Context, 'progress' | 'cwd'>,
  error: unknown,
  config: AppConfig,
): Promise<void> {
  try {
    if (!(error instanceof GantryError) || !error.facts.log) return;
    const { app, build, run, status, reason, exitCode } = (error.facts.details ?? {}) as FailureDetails;
    if (/^cancell?ed$/i.test(status ?? '')) return;
    const source = build === undefined ? 'run' : 'build';
    const facts: FailureFacts = {
      source,
      config,
      status,
      reason: reason ?? undefined,
      exitCode: exitCode ?? undefined,
    };
    const found = explainLog(error.facts.log.join('\n'), facts);
    const id = build ?? run;
    if (!found || app === undefined || id === undefined) return;
    const { setting, next: _, ...explanation } = found;
    const location = setting && (await locateSetting(config, relative(cwd, config.file), setting));
    error.facts.details = { ...error.facts.details, explanation: { ...explanation, location: location || null } };
    progress.note(`cause: ${found.title}; to see more: ${gantryCommand`explain ${app} ${id}`}`);
  } catch (failed) {
    progress.warn(`cannot explain the failure: ${(failed as Error).message}`);
  }
}

interface FailureDetails {
  app?: string;
  build?: string;
  run?: string;
  status?: string;
  reason?: string | null;
  exitCode?: number | null;
}
