import { exitCodes } from '../../kernel/errors.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { JsonChoice, Renderer } from '../../kernel/output/render.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import type { Command, NextCommand } from '../command.ts';
import { takesNext } from '../result-schema.ts';
import { DryRunEnd, dryRunView, markDryRun } from './dry-run.ts';
import type { RunState } from './run-state.ts';
import { showRaw } from './show-raw.ts';
import { type Finish, isStream, showEvents, showValue } from './show-result.ts';

/** Shows what a command returned, or where a dry run of it ended. Returns the exit code. */
export async function showOutcome(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, state, json }: { inputs: unknown[]; state: RunState; json: JsonChoice },
  value: unknown,
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean; dryRun?: true };
  if (value instanceof DryRunEnd) {
    const result = markDryRun(value.result);
    const usual = (document: unknown) => withUsualNext(document, command, state, inputs);
    if (options.events) await showEvents(result, { data: (document) => document }, renderer, usual);
    else await renderer.value(json === false ? result : await usual(result), dryRunView(value));
    return exitCodes.ok.code;
  }
  const exit = command.exit(value, options);
  if (isEmptyList(value) && command.empty && context.unread.isEmpty) context.progress.note(command.empty);
  const next = value instanceof RawOutput || isStream(value) ? [] : command.next(value, options, inputs);
  const finish: Finish = (document) =>
    next.length > 0 ? withNext(document, next, context) : withUsualNext(document, command, state, inputs);
  if (options.events) await showEvents(value, command, renderer, finish);
  else if (value instanceof RawOutput) await showRaw(value, renderer, json, finish);
  else if (value !== undefined) {
    state.isJsonLines ||= json !== false && isStream(value);
    const result = await showValue(value, command, options, renderer, json === false ? undefined : finish);
    const [first] = next;
    if (first) {
      // What is held back for a pager comes before it.
      await renderer.end();
      context.progress.note(({ style, inPlace }) => style.dim(`${first.when}: ${inPlace(first.line)}`));
    }
    const last = Array.isArray(json) ? result : await finish(result ?? {});
    if (state.isJsonLines) await renderer.line({ type: 'result', ...(last as object) });
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

function withNext(document: unknown, next: readonly NextCommand[], { inPlace }: Context): unknown {
  return { ...(document as object), next: next.map(({ line, when }) => ({ argv: inPlace(line).argv, when })) };
}

/** A list has no place for more than its entries, and what the platform sent as it is gets nothing of ours. */
async function withUsualNext(
  document: unknown,
  { json }: Command,
  { called, argv, unasked = [] }: RunState,
  inputs: readonly unknown[],
): Promise<unknown> {
  if (!called || !json || !takesNext(json) || !document || Array.isArray(document)) return document;
  const { usualNextOf } = await import('./next-commands.ts');
  const next = usualNextOf(called, inputs, document, argv, unasked);
  return next.length === 0 ? document : { ...document, next };
}

function isEmptyList(value: unknown): boolean {
  return (Array.isArray(value) || value instanceof PackedList) && value.length === 0;
}
