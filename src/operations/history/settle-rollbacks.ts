import type { Context } from '../../context.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import type { AppHistory } from './app-history.ts';
import { recordEvent } from './history.ts';

/**
 * Writes down the end of rollbacks that nobody saw, by the list of builds: one whose build has succeeded has served, or was
 * overtaken by what serves by now. That of the live build stays open: the command that began it says that it is done.
 */
export async function settleRollbacks(
  context: Context,
  app: string,
  { builds, history, live }: { builds: readonly Build[]; history: AppHistory; live: string | undefined },
): Promise<AppHistory> {
  let settled = history;
  for (const { id, status, updatedAt } of builds) {
    const open = id === live ? undefined : history.openRollback(id);
    if (!open || buildPhase(status) !== 'succeeded') continue;
    const { from, to, as, reason } = open;
    // When it went live, not now: what was found since is later.
    const at = new Date(Math.max(Date.parse(open.at), Date.parse(updatedAt ?? '') || 0)).toISOString();
    settled = settled.with(
      await recordEvent(context, app, 'rolled-back', { from, to, as, reason, isNoticed: true }, at),
    );
  }
  return settled;
}
