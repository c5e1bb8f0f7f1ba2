import type { Command as Commander } from 'commander';
import { gantryCommand } from '../../kernel/command-line.ts';
import { isCi, readVariable } from '../../kernel/environment.ts';
import { AuthError, exitCodes, NotFoundError, UsageError } from '../../kernel/errors.ts';
import type { JqFilter } from '../../kernel/output/jq.ts';
import { createPage, type Page } from '../../kernel/output/page.ts';
import { withEventLines } from '../../kernel/output/progress.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import {
  checkFields,
  createRenderer,
  type JsonChoice,
  type Renderer,
  StdoutError,
} from '../../kernel/output/render.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import type { Io } from '../../kernel/process.ts';
import { checkProfile } from '../../platform/config/profiles.ts';
import type { Context, GlobalFlags, InterruptNotice } from '../../platform/context.ts';
import type { Command, NextCommand, PlacedArgument, TypedLine } from '../command.ts';
import { flaggedApp } from '../flags/app.ts';
import type { outputFlag } from '../flags/values.ts';
import { fieldNamesOf, fieldsOf, isOpen, type ResultSchema, takesFields } from '../result-schema.ts';
import { approveTarget } from './approve-target.ts';
import { createContext } from './create-context.ts';
import { findLocalTarget, withVariables } from './local-target.ts';
import { DryRunEnd, markDryRun, type RunState } from './run-state.ts';
import { placeBeside } from './same-place.ts';

/** What was parsed of a command line. The last of the inputs are its flags. */
interface Parsed {
  command: Command;
  called: Commander;
  flags: GlobalFlags;
  inputs: unknown[];
}

/** Flags of single commands that decide how their results are shown. */
interface ShowingFlags {
  events?: boolean;
  follow?: boolean;
  live?: boolean;
  dryRun?: true;
  timeout?: number;
}

/** A command line that runs: what all of its steps need. */
interface CommandRun extends Pick<Parsed, 'command' | 'called' | 'inputs'> {
  options: ShowingFlags;
  state: RunState;
  json: JsonChoice;
  context: Context;
  renderer: Renderer;
  next: readonly NextCommand[];
}

export async function executeCommand(parsed: Parsed, io: Io, state: RunState): Promise<number> {
  const { command, flags, inputs } = parsed;
  const options = inputs.at(-1) as ShowingFlags;
  const json = parseJsonFlag(flags.json ?? (flags.jq === undefined ? undefined : ''));
  state.isJson = json !== false;
  const { form, fields } = printedForm(command, inputs);
  if (Array.isArray(json) && form && !isOpen(form)) checkFields(json, fields);
  state.isJsonLines = state.isJson && command.json?.form === 'stream';
  const filter = await loadFilter(flags, options, state);
  state.isFiltered = filter !== undefined && !fields.includes('type');
  try {
    return await executeFiltered({ ...parsed, options, json, form, filter }, io, state);
  } finally {
    await filter?.close();
  }
}

function printedForm(command: Command, inputs: readonly unknown[]) {
  const form = command.formOf(inputs.at(-1), inputs) ?? command.json;
  return { form, fields: form ? Object.keys(fieldsOf(form)) : [] };
}

async function loadFilter({ jq }: GlobalFlags, { timeout }: ShowingFlags, { signal }: RunState) {
  if (jq === undefined) return undefined;
  const { compileJq } = await import('../../kernel/output/jq.ts');
  return compileJq(jq, signal, timeout);
}

interface FilteredCall extends Parsed, Pick<CommandRun, 'options' | 'json'> {
  form: ResultSchema | undefined;
  filter: JqFilter | undefined;
}

async function executeFiltered(call: FilteredCall, given: Io, state: RunState): Promise<number> {
  const { command, called, flags, inputs, options, json, form, filter } = call;
  const { interruption, secrets } = state;
  state.isReading = command.onlyReads(...inputs);
  const local = await findLocalTarget(command, flags, given, (cwd) => command.beforeStart(cwd, ...inputs));
  const io = withVariables(given, local);
  const inPlace = placeBeside(state.argv);
  const context = createContext(io, flags, { ...state, inPlace, ofProfile: command.ofProfile }, local);
  if (flags.profile !== undefined && !command.ofProfile) checkProfile(context.settings);
  state.cwd = context.cwd;
  const page = {
    ...createPage(io.stdout, io.env, flags.color, io.now(), secrets),
    inPlace,
    // Ages are those of what the platform returned.
    get now() {
      return context.platformNow();
    },
  };
  const renderer = createRenderer(io.stdout, page, json, {
    // What has changed something is never refused afterwards.
    declared: (value) => (form ? fieldNamesOf(form, state.isReading ? value : undefined) : []),
    verbatim: command.verbatim(options),
    filter,
    pager: mayPage(call, page, io) ? await loadPager(io, interruption) : undefined,
  });
  state.announce = context.progress.request;
  if (state.warning) context.progress.warn(state.warning);
  // Events are redacted even if the command's result is verbatim.
  const events = createRenderer(io.stdout, page, json, { filter });
  // EPIPE surfaces when the result is written.
  if (options.events || (state.isJsonLines && !state.isFiltered))
    context.progress = withEventLines(context.progress, (event) => events.line(event).catch(() => {}));
  const { argument, line } = placedArgument(call, state);
  try {
    await checkOutputs(context, called);
    const placed = await argument.resolve(context, inputs, line);
    const placedFlags = placed.at(-1) as ShowingFlags;
    const run = { command, called, inputs: placed, options: placedFlags, state, json, context, renderer, next: [] };
    const code = await runAndShow(run).catch(async (error: unknown) => {
      throw error instanceof NotFoundError ? await argument.explain(context, error, placed, inputs, line) : error;
    });
    context.progress.finish();
    return code;
  } finally {
    await renderer.end();
    for (const work of context.atEnd) if (!context.signal.aborted) await work(context);
    // A dry run leaves nothing that runs.
    if (local?.isStarted && flags.dryRun)
      await (await import('../../local/emulator/index.ts')).endFolderEmulator(context);
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
}

/** A command that has done its work must not end with a file that cannot be written. */
async function checkOutputs(context: Context, called: Commander): Promise<void> {
  for (const option of called.options) {
    const { writes } = (option.parseArg ?? {}) as Partial<ReturnType<typeof outputFlag>>;
    const file: unknown = called.getOptionValue(option.attributeName());
    if (writes === undefined || typeof file !== 'string' || file === '-') continue;
    (await import('../../storage/output-files.ts')).checkOutput(context, file, writes);
  }
}

/** What names the app, whose value depends on where the command runs, and what it needs of the command line. */
function placedArgument({ called, command }: Parsed, { argv, isReading = false }: RunState) {
  const parser = called.registeredArguments[0]?.parseArg as Partial<PlacedArgument> | undefined;
  const withApp: TypedLine['withApp'] = async (app, word) =>
    (await import('./typed-command.ts')).withOperand(argv, app, word);
  const line: TypedLine = { command: called, isReading, destroys: command.effect === 'destroys', withApp };
  return { argument: parser?.resolve ? (parser as PlacedArgument) : flaggedApp, line };
}

/** Where nobody asks for more than to read: what a command has changed must not wait for a key, nor what it waits for. */
function mayPage({ command, flags, options, json }: FilteredCall, { terminal }: Page, { env }: Io): boolean {
  const isLasting = options.follow || options.live;
  const canPage = flags.pager && terminal && readVariable(env, 'TERM') !== 'dumb' && !isCi(env);
  return json === false && command.effect === 'reads' && canPage && !isLasting;
}

async function loadPager(io: Io, interruption: InterruptNotice) {
  const { createPagedOutput } = await import('../../kernel/output/pager.ts');
  const start: Io['startPager'] = (pager) => {
    // Ctrl-C is for the pager.
    interruption.message = '';
    return io.startPager(pager);
  };
  return (write: (text: string) => Promise<void>) =>
    createPagedOutput({ stdout: io.stdout, env: io.env, start, write });
}

export function parseJsonFlag(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}

async function runAndShow(run: CommandRun): Promise<number> {
  const value = await runToEnd(run);
  try {
    return await showOutcome(run, value);
  } catch (error) {
    if (error instanceof StdoutError && !(value instanceof DryRunEnd) && !run.command.onlyReads(...run.inputs)) {
      error.facts.why = 'the command has done its work, which stays';
      error.facts.fix = gantryCommand`status`;
    }
    throw error;
  }
}

async function runToEnd({ command, context, inputs, state }: CommandRun): Promise<unknown> {
  await approveTarget(command, context, inputs, state.argv);
  await checkRegion(command, context);
  let value: unknown;
  try {
    value = await command.run(context, ...inputs);
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error;
    value = error;
  }
  // A stream asks for what it has while it is shown.
  if (!command.local && hasEnd(value)) await checkProject(context, value instanceof DryRunEnd);
  return value;
}

/** A misspelled region may be a new one: it is said before what the platform makes of it. */
async function checkRegion({ local }: Command, context: Context): Promise<void> {
  const region = context.flags.region ?? (local ? undefined : readVariable(context.env, 'GANTRY_REGION'));
  if (region) (await import('../flags/region.ts')).checkTypedRegion(context, region);
}

/** Where nothing was seen of the project, or would only be changed there, it may not exist. Throws NotFoundError, AuthError. */
async function checkProject({ api, target, projects }: Context, isDryRun: boolean): Promise<void> {
  const { value: project } = target.project;
  if (project === undefined || (projects.get(project) ?? !isDryRun)) return;
  const { listApps } = await import('../../platform/contract/apps.ts');
  await api(listApps, { project }).catch((error: unknown) => {
    if (error instanceof NotFoundError || error instanceof AuthError) throw error;
  });
}

async function showOutcome(run: CommandRun, value: unknown): Promise<number> {
  const { command, inputs, options } = run;
  if (value instanceof DryRunEnd) {
    await showDryRun(run, value);
    return exitCodes.ok.code;
  }
  const exit = value instanceof RawOutput ? 'ok' : command.exit(value, options);
  noteEmpty(run, value);
  run.next = hasEnd(value) ? command.next(value, options, inputs) : [];
  if (options.events) await showEvents(run, value);
  else if (value instanceof RawOutput) await showRaw(run, value);
  else if (value !== undefined) await showPlain(run, value);
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

async function showPlain(run: CommandRun, value: unknown): Promise<void> {
  const { state, json, context, renderer, next } = run;
  state.isJsonLines ||= json !== false && isStream(value);
  const result = await showValue(run, value);
  await noteNext(next, context, renderer);
  if (state.isJsonLines && !state.isFiltered) await showLast(run, result ?? {});
}

async function showDryRun(run: CommandRun, { result, changes }: DryRunEnd): Promise<void> {
  const document = markDryRun(result);
  if (run.options.events) await showLast(run, document);
  else
    await run.renderer.value(await finished(run, document), () =>
      changes.map((change) => `would ${change}`).join('\n'),
    );
}

/** Prints each yielded value as an event, and the returned value as the result. */
async function showEvents(run: CommandRun, value: unknown): Promise<void> {
  if (isStream(value)) return showLast(run, await showValue(run, value));
  return showLast(run, value instanceof RawOutput ? await value.options.jsonValue?.() : run.command.data(value));
}

/** The last line of a stream. The fields that were chosen are all that is printed of it. */
async function showLast(run: CommandRun, result: unknown): Promise<void> {
  const last = Array.isArray(run.json) && !run.options.events ? result : await finished(run, result);
  await run.renderer.line({ type: 'result', ...(last as object) });
}

/** Prints one value, or each of a stream. Returns the result of a stream. */
async function showValue(run: CommandRun, value: unknown): Promise<unknown> {
  const { command, options, renderer, json } = run;
  const { data, view } = command;
  if (isStream(value)) return forEachValue(value, (item) => showItem(run, item));
  // What emulator exec prints is that of its command.
  if (json !== false && !command.json) return undefined;
  // A dry run that found nothing to change.
  const document = command.dryRun && options.dryRun ? markDryRun(data(value)) : data(value);
  await renderer.value(await finished(run, document), view(value, options), command.raw(options));
  return undefined;
}

/** A command whose result is a document may stream events before it. */
function showItem({ command, options, renderer }: CommandRun, item: unknown): Promise<void> {
  const document = command.data(item);
  const line = command.json?.form === 'stream' ? document : { type: 'event', ...(document as object) };
  if (options.events) return renderer.line(line);
  const view = command.view(item, options);
  return command.live ? renderer.frame(line, view) : renderer.item(line, view, command.raw(options));
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

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Whether all of a result is there, so that what follows it is known. */
function hasEnd(value: unknown): boolean {
  return !(value instanceof RawOutput || isStream(value));
}

/** The first, with others for the same end. */
async function noteNext(next: readonly NextCommand[], { progress }: Context, renderer: Renderer): Promise<void> {
  const same = next.filter(({ when }) => when === next[0]?.when);
  if (same.length === 0) return;
  // What is held back for a pager comes before it.
  await renderer.end();
  for (const { when, line } of same.slice(0, maxNoted))
    progress.note(({ style, inPlace }) => style.dim(`${when}: ${inPlace(line)}`));
  if (same.length > maxNoted) progress.note(`and ${same.length - maxNoted} more`);
}

const maxNoted = 3;

/** A document with what usually follows, and the warnings, for those who read no stderr. */
async function finished(run: CommandRun, document: unknown): Promise<unknown> {
  const { command, called, context, options, json, next: own } = run;
  const isRead = json !== false || options.events;
  if (!isRead || !isExtensible(document, command.json)) return document;
  const { inPlace, isForModel } = context;
  const { argv, warned: warnings } = run.state;
  const { answered, isCallable, usualNextOf } = await import('./next-commands.ts');
  const next = own.map(({ line, when }) => ({ argv: answered(inPlace(line).argv), when }));
  const commands = next.length > 0 ? next : usualNextOf(called, document, argv);
  const callable = isForModel ? await Promise.all(commands.map((each) => isCallable(each.argv))) : [];
  const usual = commands.filter((_, at) => callable[at] !== false);
  return {
    ...document,
    ...(usual.length > 0 && { next: usual }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** A list has no place for more than its entries, and what the platform sent as it is gets nothing of ours. */
function isExtensible(document: unknown, json: ResultSchema | undefined): document is object {
  return json !== undefined && takesFields(json) && Boolean(document) && !Array.isArray(document);
}

function noteEmpty({ command: { empty }, options, context: { unread, progress } }: CommandRun, value: unknown): void {
  if (!(Array.isArray(value) || value instanceof PackedList) || value.length > 0) return;
  if (empty && unread.warnings().length === 0) progress.note(typeof empty === 'function' ? empty(options) : empty);
}

/** Writes bytes to stdout as they come, sanitized if they are text that somebody else wrote. */
async function showRaw(run: CommandRun, { writeTo, options }: RawOutput<unknown>): Promise<void> {
  const { renderer } = run;
  const { jsonValue, untrusted, terminalFix = 'redirect to a file, or pass --raw' } = options;
  const { page } = renderer;
  if (run.json !== false) {
    if (jsonValue) return renderer.value(await finished(run, await jsonValue()), () => '');
    throw new UsageError('--json is not supported here', { why: 'the output is raw bytes' });
  }
  if (untrusted === 'bytes' && page.terminal) {
    await options.cancel?.();
    throw new UsageError('the output is binary and cannot be shown on a terminal', { fix: terminalFix });
  }
  if (untrusted === 'text' && (page.terminal || page.githubActions)) await showUntrustedText(writeTo, renderer);
  else await writeTo((bytes) => renderer.bytes(bytes));
  options.onWritten?.();
}

/** Sanitizes chunk by chunk. On a terminal, ends with a newline, so that the prompt starts on its own line. */
async function showUntrustedText(writeTo: RawOutput<unknown>['writeTo'], { page, text }: Renderer) {
  const { createStreamSanitizer } = await import('../../kernel/output/sanitize-stream.ts');
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
