import type { Command, NextCommand } from '../command.ts';
import { type Environment, isCi, readVariable } from '../config/environment.ts';
import type { Context, GlobalFlags, InterruptNotice } from '../context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { createPage, type Page } from '../output/page.ts';
import { withEventLines } from '../output/progress.ts';
import { RawOutput } from '../output/raw-output.ts';
import { checkFields, createRenderer, type JsonChoice, type Renderer } from '../output/render.ts';
import { PackedList } from '../packed-list.ts';
import type { Io } from '../process.ts';
import { fieldsOf, isOpen } from '../result-schema.ts';
import { createContext } from './create-context.ts';
import { DryRunEnd, dryRunView, markDryRun } from './dry-run.ts';

/** What `main` and the running command share. */
export interface RunState {
  signal: AbortSignal;
  interruption: InterruptNotice;
  /** Prints what happens after Ctrl-C, once a command runs. */
  announce?: (text: string) => void;
  /** Values to redact. */
  secrets: KnownSecrets;
  /** The command line in gantry's words, if it was that of another client, and a warning about it. */
  argv?: string[];
  warning?: string | undefined;
  /** The folder that the command works in. */
  cwd?: string;
  /** Set while the result is printed as JSON lines: a failure is then one line, too. */
  isJsonLines?: boolean;
}

/** Runs a command and shows its result. Returns the exit code. */
export async function executeCommand(
  command: Command,
  flags: GlobalFlags,
  inputs: unknown[],
  io: Io,
  state: RunState,
): Promise<number> {
  const { signal, interruption, secrets } = state;
  const json = parseJsonFlag(flags.json ?? (flags.jq === undefined ? undefined : ''));
  const fields = command.json ? Object.keys(fieldsOf(command.json)) : [];
  if (Array.isArray(json) && command.json && !isOpen(command.json)) checkFields(json, fields);
  state.isJsonLines = json !== false && command.json?.form === 'stream';
  const options = inputs.at(-1) as { events?: boolean };
  const filter = flags.jq === undefined ? undefined : await (await import('../output/jq.ts')).compileJq(flags.jq);
  const context = createContext(io, flags, signal, interruption, secrets);
  state.cwd = context.cwd;
  const page = createPage(io.stdout, io.env, flags.color, io.now(), secrets);
  const renderer = createRenderer(io.stdout, page, json, {
    declared: fields,
    verbatim: command.verbatim(options),
    filter,
    pager: json === false && mayPage(command, flags, page, io.env) ? await loadPager(io, interruption) : undefined,
  });
  state.announce = context.progress.request;
  if (state.warning) context.progress.warn(state.warning);
  // Events are redacted even if the command's result is verbatim.
  const events = createRenderer(io.stdout, page, json, { filter });
  // EPIPE surfaces when the result is written.
  if (options.events || state.isJsonLines)
    context.progress = withEventLines(context.progress, (event) => events.line(event).catch(() => {}));
  try {
    const code = await runAndShow(command, context, renderer, { inputs, state, json });
    context.progress.finish();
    return code;
  } finally {
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
}

/** Where nobody asks for more than to read: what a command has changed must not wait for a key. */
function mayPage({ effect }: Command, { pager }: GlobalFlags, { terminal }: Page, env: Environment): boolean {
  return effect === 'reads' && pager && terminal && readVariable(env, 'TERM') !== 'dumb' && !isCi(env);
}

async function loadPager(io: Io, interruption: InterruptNotice) {
  const { createPager } = await import('../output/pager.ts');
  const run: Io['page'] = (pager, text) => {
    // Ctrl-C is for the pager; everything else is done.
    interruption.message = '';
    return io.page(pager, text);
  };
  return createPager({ stdout: io.stdout, env: io.env, run });
}

function parseJsonFlag(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}

async function runAndShow(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, state, json }: { inputs: unknown[]; state: RunState; json: JsonChoice },
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean; dryRun?: true };
  const value = await runToEnd(command, context, inputs);
  if (value instanceof DryRunEnd) {
    await renderer.value(markDryRun(value.result), dryRunView(value));
    return exitCodes.ok.code;
  }
  const exit = command.exit(value, options);
  if (isEmptyList(value) && command.empty) context.progress.note(command.empty);
  const next = value instanceof RawOutput || isStream(value) ? [] : command.next(value, options);
  if (options.events) await showEvents(withNext(value, next), renderer);
  else if (value instanceof RawOutput) await showRaw(value, renderer, json);
  else if (value !== undefined) {
    state.isJsonLines ||= json !== false && isStream(value);
    const result = await show(value, command, options, renderer, { next, json });
    const [first] = next;
    if (first) context.progress.note(({ style }) => style.dim(`${first.when}: ${first.line}`));
    if (state.isJsonLines) await renderer.line({ type: 'result', ...(result as object) });
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

/** Returns the result, or where a dry run ended. */
async function runToEnd(command: Command, context: Context, inputs: unknown[]): Promise<unknown> {
  try {
    const value = await command.run(context, ...inputs);
    return value;
  } catch (error) {
    if (error instanceof DryRunEnd) return error;
    throw error;
  }
}

/** Prints each yielded value as an event, and the returned value as the result. */
async function showEvents(value: unknown, renderer: Renderer): Promise<void> {
  const result = isStream(value)
    ? await forEachValue(value, (event) => renderer.line({ type: 'event', ...(event as object) }))
    : value instanceof RawOutput
      ? await value.options.jsonValue?.()
      : value;
  await renderer.line({ type: 'result', ...(result as object) });
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

/** Returns the result of a stream, undefined for one value. */
async function show(
  value: unknown,
  command: Command,
  options: { dryRun?: true },
  renderer: Renderer,
  { next, json }: { next: readonly NextCommand[]; json: JsonChoice },
) {
  const { data, view, raw, json: schema } = command;
  const isRaw = raw(options);
  if (isStream(value)) {
    // A command whose result is a document may stream events before it.
    const toLine = schema?.form === 'stream' ? data : (item: unknown) => ({ type: 'event', ...(data(item) as object) });
    return forEachValue(value, (item) => renderer.item(toLine(item), view(item, options), isRaw));
  }
  if (value instanceof PackedList && json === false && !renderer.page.terminal) {
    for (const batch of value.batches()) await renderer.item(undefined, view(batch, options), isRaw);
    return undefined;
  }
  // A dry run that found nothing to change.
  const document = command.dryRun && options.dryRun ? markDryRun(data(value)) : withNext(data(value), next);
  await renderer.value(document, view(value, options), isRaw);
  return undefined;
}

function withNext(result: unknown, next: readonly NextCommand[]): unknown {
  if (next.length === 0) return result;
  return { ...(result as object), next: next.map(({ line, when }) => ({ argv: line.argv, when })) };
}

async function showRaw({ writeTo, options }: RawOutput<unknown>, renderer: Renderer, json: JsonChoice): Promise<void> {
  const { jsonValue, untrusted, terminalFix = 'redirect to a file, or pass --raw', cancel, onWritten } = options;
  const { page } = renderer;
  if (json !== false) {
    if (jsonValue) return renderer.value(await jsonValue(), () => '');
    throw new UsageError('--json is not supported here', { why: 'the output is raw bytes' });
  }
  if (untrusted === 'bytes' && page.terminal) {
    await cancel?.();
    throw new UsageError('the output is binary and cannot be shown on a terminal', { fix: terminalFix });
  }
  if (untrusted === 'text' && (page.terminal || page.githubActions)) await showUntrustedText(writeTo, renderer);
  else await writeTo((bytes) => renderer.bytes(bytes));
  onWritten?.();
}

/** Sanitizes chunk by chunk. On a terminal, ends with a newline, so that the prompt starts on its own line. */
async function showUntrustedText(writeTo: RawOutput<unknown>['writeTo'], { page, text }: Renderer): Promise<void> {
  const { createStreamSanitizer } = await import('../output/sanitize-stream.ts');
  const sanitizer = createStreamSanitizer(page);
  let last = '\n';
  const write = async (sanitized: string) => {
    if (sanitized === '') return;
    await text(sanitized);
    last = sanitized.slice(-1);
  };
  try {
    await writeTo((bytes) => write(sanitizer.push(bytes)));
  } finally {
    await write(sanitizer.end());
    if (page.terminal && last !== '\n') await text('\n');
  }
}

function isEmptyList(value: unknown): boolean {
  return (Array.isArray(value) || value instanceof PackedList) && value.length === 0;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
