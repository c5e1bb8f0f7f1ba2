import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Renderer } from '../../kernel/output/render.ts';
import type { Command } from '../command.ts';
import { markDryRun } from './run-state.ts';

export type Finish = (document: unknown) => unknown;

/** Prints each yielded value as an event, and the returned value as the result. */
export async function showEvents(value: unknown, { data }: Pick<Command, 'data'>, renderer: Renderer, finish: Finish) {
  const result = isStream(value)
    ? await forEachValue(value, (event) => renderer.line({ type: 'event', ...(data(event) as object) }))
    : value instanceof RawOutput
      ? await value.options.jsonValue?.()
      : data(value);
  await renderer.line({ type: 'result', ...((await finish(result)) as object) });
}

/** Returns the result of a stream, undefined for one value. */
export async function showValue(
  value: unknown,
  command: Command,
  options: { dryRun?: true },
  renderer: Renderer,
  finish: Finish | undefined,
) {
  const { data, view, raw, json, live } = command;
  const isRaw = raw(options);
  if (isStream(value)) {
    const toLine = lineOf(command);
    const show = (item: unknown) =>
      live
        ? renderer.frame(toLine(item), view(item, options))
        : renderer.item(toLine(item), view(item, options), isRaw);
    return forEachValue(value, show);
  }
  // What emulator exec prints is that of its command.
  if (finish && !json) return undefined;
  // A dry run that found nothing to change.
  const document = command.dryRun && options.dryRun ? markDryRun(data(value)) : data(value);
  await renderer.value(finish ? await finish(document) : document, view(value, options), isRaw);
  return undefined;
}

/** A command whose result is a document may stream events before it. */
function lineOf({ data, json }: Command): Command['data'] {
  return json?.form === 'stream' ? data : (item: unknown) => ({ type: 'event', ...(data(item) as object) });
}

/** Shows each value of an iterable and returns what the iterable returns, which `for await` discards. */
async function forEachValue(values: AsyncIterable<unknown>, showOne: (value: unknown) => Promise<void>) {
  let returned: unknown;
  const keepReturned = async function* () {
    returned = yield* values;
  };
  for await (const value of keepReturned()) await showOne(value);
  return returned;
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
