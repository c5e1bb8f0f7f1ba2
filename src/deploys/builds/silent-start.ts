import { relative } from 'node:path';
import type { AppConfig } from '../../app/config.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { ownStatus } from '../../platform/contract/builds.ts';

/** How long the log of a start says nothing more before what it has shown is explained, in ms. */
export const silentMs = 30_000;

/** Causes of a start that nothing ends but its time limit: the app runs, and the platform does not reach it. */
const unreached = new Set(['wrong-port', 'bound-to-localhost', 'not-listening', 'health-check-failed']);

/**
 * Warns of what keeps an app from getting ready, once its log shows that and then goes silent. It is no verdict: the app may
 * still listen elsewhere. Call it at each poll of the build.
 */
export function explainSilence(context: Context, { app, config }: { app: string; config?: AppConfig | undefined }) {
  const { cwd, elapsed, env, progress, signal } = context;
  const started = elapsed();
  let last: { line: string | undefined; since: number; isExplained: boolean } | undefined;
  return async (status: string, log: readonly string[]): Promise<void> => {
    const line = log.at(-1);
    if (last?.line !== line) last = { line, since: elapsed(), isExplained: false };
    if (!last || last.isExplained || elapsed() - last.since < silentMs) return;
    last.isExplained = true;
    const { explainLog, locateCause } = await import('../../causes/index.ts');
    const text = log.join('\n');
    const found = explainLog(text, { source: 'build', config, status: ownStatus(status) });
    if (!found || !unreached.has(found.cause)) return;
    const { cause, title, fix } = found;
    const location = await locateCause(
      { cwd, env, signal },
      text,
      found,
      config,
      config ? relative(cwd, config.file) : '',
    );
    const message = `${app} is not ready after ${duration(elapsed() - started)}: ${title}`;
    progress.warn({ severity: 'warning', cause, message, location, why: found.evidence?.text, fix });
  };
}
