import { gantryCommand } from '../../kernel/command-line.ts';
import { type Environment, isCi, readVariable } from '../../kernel/environment.ts';
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
import type { OutputFlag } from '../flags/values.ts';
import { fieldNamesOf, fieldsOf, isOpen, type ResultSchema, takesFields } from '../result-schema.ts';
import { approveTarget } from './approve-target.ts';
import { createContext } from './create-context.ts';
import { findLocalTarget, withVariables } from './local-target.ts';
import { DryRunEnd, markDryRun, type RunState } from './run-state.ts';
import { placeBeside } from './same-place.ts';
import { type Finish, isStream, showEvents, showValue } from './show-result.ts';

export async function executeCommand(command: Command, flags: GlobalFlags, inputs: unknown[], io: Io, state: RunState) {
  const json = parseJsonFlag(flags.json ?? (flags.jq === undefined ? undefined : ''));
  const form = command.formOf(inputs.at(-1), inputs) ?? command.json;
  const fields = form ? Object.keys(fieldsOf(form)) : [];
  if (Array.isArray(json) && form && !isOpen(form)) checkFields(json, fields);
  state.isJsonLines = json !== false && command.json?.form === 'stream';
  const filter = await loadFilter(flags, inputs, state);
  state.isFiltered = filter !== undefined && !fields.includes('type');
  try {
    return await executeFiltered(command, { flags, inputs, json, form, fields, filter }, io, state);
  } finally {
    await filter?.close();
  }
}

async function loadFilter({ jq }: GlobalFlags, inputs: unknown[], { signal }: RunState) {
  if (jq === undefined) return undefined;
  const { compileJq } = await import('../../kernel/output/jq.ts');
  const { timeout } = inputs.at(-1) as { timeout?: number };
  return compileJq(jq, signal, timeout);
}

interface CommandCall {
  flags: GlobalFlags;
  inputs: unknown[];
  json: JsonChoice;
  form: ResultSchema | undefined;
  fields: string[];
  filter: JqFilter | undefined;
}

async function executeFiltered(
  command: Command,
  { flags, inputs, json, form, fields, filter }: CommandCall,
  given: Io,
  state: RunState,
): Promise<number> {
  const { signal, interruption, secrets } = state;
  state.isReading = command.onlyReads(...inputs);
  const options = inputs.at(-1) as Record<string, unknown> & { events?: boolean; follow?: boolean; live?: boolean };
  const local = await findLocalTarget(command, flags, given, signal, (cwd) => command.beforeStart(cwd, ...inputs));
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
    declared: (value) => (form && state.isReading ? fieldNamesOf(form, value) : fields),
    verbatim: command.verbatim(options),
    filter,
    pager:
      json === false && mayPage(command, flags, options, page, io.env) ? await loadPager(io, interruption) : undefined,
  });
  state.announce = context.progress.request;
  if (state.warning) context.progress.warn(state.warning);
  // Events are redacted even if the command's result is verbatim.
  const events = createRenderer(io.stdout, page, json, { filter });
  // EPIPE surfaces when the result is written.
  if (options.events || (state.isJsonLines && !state.isFiltered))
    context.progress = withEventLines(context.progress, (event) => events.line(event).catch(() => {}));
  const placed = placedArgument(state);
  try {
    await checkOutputs(context, state, options);
    const placedInputs = placed ? await placed.argument.resolve(context, inputs, placed.line) : inputs;
    const resolved = await withAppHere(command, context, placedInputs);
    const code = await runAndShow(command, context, renderer, { inputs: resolved, state, json }).catch(
      async (error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
        throw placed
          ? await placed.argument.explain(context, error, resolved, inputs, placed.line)
          : await explainFlagged(context, error, inputs, state);
      },
    );
    context.progress.finish();
    return code;
  } finally {
    await renderer.end();
    for (const work of context.atEnd) if (!context.signal.aborted) await work(context);
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
}

/** A command that has done its work must not end with a file that cannot be written. */
async function checkOutputs(context: Context, { called }: RunState, options: Record<string, unknown>): Promise<void> {
  for (const option of called?.options ?? []) {
    const { writes } = (option.parseArg ?? {}) as Partial<OutputFlag>;
    const file = options[option.attributeName()];
    if (writes === undefined || typeof file !== 'string' || file === '-') continue;
    (await import('../../storage/output-files.ts')).checkOutput(context, file, writes);
  }
}

/** `--app .` is the app of this folder, as `.` is where the app is an argument. */
async function withAppHere({ effect }: Command, context: Context, inputs: unknown[]): Promise<unknown[]> {
  if ((inputs.at(-1) as { app?: unknown }).app !== '.') return inputs;
  const { readNamedAppHere } = await import('../../deploys/apps.ts');
  const app = await readNamedAppHere(context, effect === 'destroys');
  return [...inputs.slice(0, -1), { ...(inputs.at(-1) as object), app }];
}

/** An app that `--app` names may be missing, too. */
async function explainFlagged(context: Context, error: NotFoundError, inputs: unknown[], state: RunState) {
  const { app } = inputs.at(-1) as { app?: unknown };
  if (typeof app !== 'string' || app === '.') return error;
  const [{ explainMissingApp }, { withOperand }] = await Promise.all([
    import('../../deploys/apps.ts'),
    import('./typed-command.ts'),
  ]);
  const withApp = async (name: string) =>
    state.isReading ? withOperand(state.argv, name, app) : gantryCommand`apps list`;
  return explainMissingApp(context, error, { app, isHere: false, withApp });
}

/** The first argument, if its value depends on where the command runs, and what it needs of the command line. */
function placedArgument({
  called,
  argv,
  isReading = false,
}: RunState): { argument: PlacedArgument; line: TypedLine } | undefined {
  const parser = called?.registeredArguments[0]?.parseArg as Partial<PlacedArgument> | undefined;
  if (!called || !parser?.resolve) return undefined;
  const withApp: TypedLine['withApp'] = async (app, word) =>
    (await import('./typed-command.ts')).withOperand(argv, app, word);
  return { argument: parser as PlacedArgument, line: { command: called, isReading, withApp } };
}

/** Where nobody asks for more than to read: what a command has changed must not wait for a key, nor what it waits for. */
function mayPage(
  { effect }: Command,
  { pager }: GlobalFlags,
  { follow, live }: { follow?: boolean; live?: boolean },
  { terminal }: Page,
  env: Environment,
): boolean {
  return (
    effect === 'reads' && pager && !follow && !live && terminal && readVariable(env, 'TERM') !== 'dumb' && !isCi(env)
  );
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

async function runAndShow(
  command: Command,
  context: Context,
  renderer: Renderer,
  run: { inputs: unknown[]; state: RunState; json: JsonChoice },
): Promise<number> {
  const value = await runToEnd(command, context, run.inputs, run.state);
  try {
    return await showOutcome(command, context, renderer, run, value);
  } catch (error) {
    if (error instanceof StdoutError && !(value instanceof DryRunEnd) && !command.onlyReads(...run.inputs)) {
      error.facts.why = 'the command has done its work, which stays';
      error.facts.fix = gantryCommand`status`;
    }
    throw error;
  }
}

async function runToEnd(command: Command, context: Context, inputs: unknown[], { argv }: RunState): Promise<unknown> {
  await approveTarget(command, context, inputs, argv);
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

async function showOutcome(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, state, json }: { inputs: unknown[]; state: RunState; json: JsonChoice },
  value: unknown,
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean; dryRun?: true };
  const finishWith = (next: readonly NextCommand[]) => finishing(command, context, state, next);
  if (value instanceof DryRunEnd) {
    await showDryRun(value, renderer, options.events ? 'events' : json, finishWith([]));
    return exitCodes.ok.code;
  }
  const exit = command.exit(value, options);
  noteEmpty(value, command, options, context);
  const next = hasEnd(value) ? command.next(value, options, inputs) : [];
  const finish = finishWith(next);
  if (options.events) await showEvents(value, command, renderer, finish);
  else if (value instanceof RawOutput) await showRaw(value, renderer, json, finish);
  else if (value !== undefined) {
    state.isJsonLines ||= json !== false && isStream(value);
    const result = await showValue(value, command, options, renderer, json === false ? undefined : finish);
    await noteNext(next, context, renderer);
    await endLines(state, result, json, renderer, finish);
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

async function showDryRun(end: DryRunEnd, renderer: Renderer, json: JsonChoice | 'events', usual: Finish) {
  const result = markDryRun(end.result);
  if (json === 'events') await showEvents(result, { data: (document) => document }, renderer, usual);
  else {
    const view = () => end.changes.map((change) => `would ${change}`).join('\n');
    await renderer.value(json === false ? result : await usual(result), view);
  }
}

/** Whether all of a result is there, so that what follows it is known. */
function hasEnd(value: unknown): boolean {
  return !(value instanceof RawOutput || isStream(value));
}

async function endLines(
  { isJsonLines, isFiltered }: RunState,
  result: unknown,
  json: JsonChoice,
  renderer: Renderer,
  finish: Finish,
): Promise<void> {
  if (!isJsonLines || isFiltered) return;
  const last = Array.isArray(json) ? result : await finish(result ?? {});
  await renderer.line({ type: 'result', ...(last as object) });
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

/** Adds what usually follows, and the warnings, for those who read no stderr. */
function finishing(
  { json }: Command,
  { inPlace, isForModel }: Context,
  { called, argv, warned: warnings }: RunState,
  own: readonly NextCommand[],
): Finish {
  return async (document) => {
    if (!called || !isExtensible(document, json)) return document;
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
  };
}

/** A list has no place for more than its entries, and what the platform sent as it is gets nothing of ours. */
function isExtensible(document: unknown, json: ResultSchema | undefined): document is object {
  return json !== undefined && takesFields(json) && Boolean(document) && !Array.isArray(document);
}

function noteEmpty(value: unknown, { empty }: Command, options: object, { unread, progress }: Context): void {
  if (!(Array.isArray(value) || value instanceof PackedList) || value.length > 0) return;
  if (empty && unread.warnings().length === 0) progress.note(typeof empty === 'function' ? empty(options) : empty);
}

/** Writes bytes to stdout as they come, sanitized if they are text that somebody else wrote. */
async function showRaw({ writeTo, options }: RawOutput<unknown>, renderer: Renderer, json: JsonChoice, finish: Finish) {
  const { jsonValue, untrusted, terminalFix = 'redirect to a file, or pass --raw' } = options;
  const { page } = renderer;
  if (json !== false) {
    if (jsonValue) return renderer.value(await finish(await jsonValue()), () => '');
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
