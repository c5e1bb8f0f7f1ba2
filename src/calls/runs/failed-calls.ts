import { join } from 'node:path';
import * as v from 'valibot';
import { makePrivateFolder, readRegular, writeFileAtomic } from '../../kernel/disk/index.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { redactValue } from '../../kernel/output/redacted-json.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';

const FailedCalls = v.array(v.object({ run: v.string(), text: v.string(), at: v.optional(v.number()) }));

/** How many calls of one app are kept. */
export const maxFailedCalls = 50;

/** The run of a call that failed, and what was answered. */
type FailedCall = readonly [run: string | null | undefined, text: string | undefined];

/**
 * Writes down what an app answered to calls that failed: the platform keeps the status of a run, but not its response,
 * and a call that a function refuses leaves no log. Best effort.
 */
export async function recordFailedCalls(context: Context, app: string, calls: readonly FailedCall[]): Promise<void> {
  const at = context.now();
  const failed = calls.flatMap(([run, text = '']) =>
    run ? { run, text: redactValue(text, context.secrets), at } : [],
  );
  if (failed.length === 0) return;
  try {
    const { root, file } = placeOf(context, app);
    const runs = new Set(failed.map(({ run }) => run));
    const others = (await readAll(file)).filter(({ run }) => !runs.has(run));
    makePrivateFolder(root);
    const kept = [...others, ...failed].slice(-maxFailedCalls);
    await writeFileAtomic(file, stringifyJson(kept), { mode: 0o600 });
  } catch (error) {
    context.trace(`cannot write down the response of ${app}: ${(error as Error).message}`);
  }
}

/** What an app answered to a call from this machine that failed; undefined if that is not known. */
export async function readFailedCall(context: StateContext, app: string, run: string): Promise<string | undefined> {
  const calls = await readAll(placeOf(context, app).file);
  return calls.find((call) => call.run === run)?.text || undefined;
}

/** Forgets the calls of a deleted app: another app may get its name. */
export async function forgetFailedCalls(context: StateContext, app: string): Promise<void> {
  const { file } = placeOf(context, app);
  if ((await readAll(file)).length > 0) await writeFileAtomic(file, '[]', { mode: 0o600 });
}

/** What is younger, in ms, may not be listed yet. */
export const recentMs = 60_000;

type StateContext = Pick<Context, 'settings' | 'project'>;

/** The run of the last call that failed; undefined if that was longer ago than `recentMs`. */
export async function lastFailedRun(
  context: StateContext & Pick<Context, 'now'>,
  app: string,
): Promise<string | undefined> {
  const { run, at = 0 } = (await readAll(placeOf(context, app).file)).at(-1) ?? {};
  return context.now() - at <= recentMs ? run : undefined;
}

function placeOf({ settings, project }: StateContext, app: string) {
  const root = join(settings.folders.state, 'refused-calls');
  return { root, file: join(root, `${stateKey(platformOf(settings), project, app)}.json`) };
}

async function readAll(file: string): Promise<v.InferOutput<typeof FailedCalls>> {
  const text = await readRegular(file).then(String, () => '');
  const parsed = v.safeParse(FailedCalls, tryParseJson(text));
  return parsed.success ? parsed.output : [];
}
