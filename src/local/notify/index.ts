import { isCi } from '../../kernel/environment.ts';
import { failureJson } from '../../kernel/output/failure.ts';
import { redactValue } from '../../kernel/output/redacted-json.ts';
import type { Context } from '../../platform/context.ts';

/** Who waits for longer may look away. In ms. */
const bellAfterMs = 10_000;
/** How long a command of the user may run: no longer than `--timeout` has left, but for a grace. In ms. */
const maxMs = 30_000;
const graceMs = 2_000;

/**
 * Tells those who do not watch how work has ended: a command of the user gets the document that `--json` prints, and a
 * terminal rings.
 */
export async function announceEnd<T extends object>(
  context: Context,
  command: string | undefined,
  documentOf: (result: T) => object,
  work: () => Promise<T>,
): Promise<T> {
  const { elapsed, end, env, progress, secrets } = context;
  const started = elapsed();
  const announce = async (document: object) => {
    if (elapsed() - started > bellAfterMs && !isCi(env)) progress.bell();
    if (command === undefined) return;
    const { runNotifyCommand } = await import('./notify-command.ts');
    const leftMs = end.at === undefined ? maxMs : end.at - elapsed();
    await runNotifyCommand(
      context,
      command,
      redactValue(document, secrets),
      Math.max(graceMs, Math.min(maxMs, leftMs)),
    );
  };
  const result = await work().catch(async (error: unknown) => {
    await announce(failureJson(error, secrets));
    throw error;
  });
  await announce(documentOf(result));
  return result;
}
