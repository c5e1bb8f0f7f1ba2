import { writeSync } from 'node:fs';
import { helpText } from './cli/program/help.ts';
import { preparedHelp } from './cli/program/prepared-help.ts';
import type { RunState } from './cli/program/run-state.ts';
import { after } from './kernel/clock.ts';
import { annotationsRoot } from './kernel/environment.ts';
import { exitCodes, exitNameFor, GantryError, InterruptedError } from './kernel/errors.ts';
import { KnownSecrets } from './kernel/output/known-secrets.ts';
import type { ColorChoice } from './kernel/output/page.ts';
import { type Io, isCharacterDevice, processIo } from './kernel/process.ts';
import { version } from './kernel/version.ts';

export type { Io };
export { processIo };

/**
 * Handles `--version` and `--help` without a parser. Returns the exit code, or undefined for everything else. Writes
 * synchronously: opening process.stdout costs more than everything else here.
 */
export function answerWithoutParser(argv: string[]): number | undefined {
  const text = preparedText(argv);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
    return exitCodes.ok.code;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // EAGAIN: the pipe is full. EPIPE: the reader closed it.
    if (code === 'EAGAIN') processIo().stdout.write(bytes.subarray(written));
    if (code === 'EAGAIN' || code === 'EPIPE') return exitCodes.ok.code;
    processIo().stderr.write(`error: cannot write to stdout: ${message.replace(/^\w+: |, \w+$/g, '')}\n`);
    return exitCodes.failed.code;
  }
}

/** Runs a command line and returns the exit code. Handles signals, and shows every error that reaches it. */
export async function main(argv: string[], io: Io): Promise<number> {
  // The shell waits for completions: they need no parser and no signal handler, and never fail.
  if (argv[0] === 'complete') return (await import('./cli/completion/complete.ts')).complete(argv.slice(1), io);
  const controller = new AbortController();
  const interruption: RunState['interruption'] = {};
  const secrets = new KnownSecrets();
  const state: RunState = { argv, signal: controller.signal, interruption, secrets, warned: [] };
  const stopListening = io.onSignal((signal) => {
    if (controller.signal.aborted) return io.quit(exitCodes[exitNameFor(signal)].code);
    const { message = 'stopping' } = interruption;
    const { announce = (text: string) => io.stderr.write(`${text}\n`) } = state;
    const canPress = signal === 'SIGINT' && io.stderr.isTTY && !argv.some((word) => /^(-q|--quiet)$/.test(word));
    // The terminal has echoed ^C on the line.
    announce(message && `\n${message}${canPress ? ' (press Ctrl-C again to quit immediately)' : ''}`);
    controller.abort(new InterruptedError('interrupted', signal));
  });
  const code = await runAndReport(argv, io, state).finally(stopListening);
  // A DNS lookup, for example, cannot be aborted and would keep the process alive.
  if (controller.signal.aborted) after(drainTimeoutMs, () => io.quit(code), { background: true });
  return code;
}

/** Time for pending output after Ctrl-C. */
const drainTimeoutMs = 3_000;

async function runAndReport(argv: string[], io: Io, state: RunState): Promise<number> {
  const { interruption, signal } = state;
  try {
    return await settled(runLoaded(argv, io, state), io);
  } catch (thrown) {
    const error = signal.aborted && !(thrown instanceof GantryError) ? signal.reason : thrown;
    if (error instanceof InterruptedError && interruption.message === '') return exitCodes[error.exit].code;
    return await reportFailure(error, io, state);
  }
}

async function runLoaded(argv: string[], io: Io, state: RunState): Promise<number> {
  const { runProgram } = await import('./cli/program/run-program.ts');
  return runProgram([...(io.implied ?? []), ...argv], io, state);
}

/** A command that waits for what can no longer come has failed: without this, its process would end as if it had succeeded. */
function settled(running: Promise<number>, io: Io): Promise<number> {
  let stop = () => {};
  const idle = new Promise<never>((_, reject) => {
    stop = io.onIdle(() => reject(new Error('the command ended without a result')));
  });
  return Promise.race([running, idle]).finally(stop);
}

/** The sources of help are written at build time (build/texts.js); without a build there are none. */
function preparedText(argv: string[]): string | undefined {
  const words = argv.slice(0, -1);
  const last = argv.at(-1);
  if (words.length === 0 && (last === '--version' || last === '-V')) return `${version}\n`;
  if ((last !== '--help' && last !== '-h') || !words.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const source = preparedHelp(words.join(' '));
  if (!source) return undefined;
  return helpText(source, isTerminal() ? processIo().stdout.columns : undefined);
}

/** Loading node:tty takes milliseconds of each start. */
function isTerminal(): boolean {
  return isCharacterDevice(1) && process.getBuiltinModule('node:tty').isatty(1);
}

/** Shows an error as text on stderr, and with `--json` as a document on stdout. Returns the exit code. */
async function reportFailure(thrown: unknown, io: Io, state: RunState): Promise<number> {
  const { argv, isJson, isJsonLines, secrets } = state;
  const { StdoutClosedError, createRenderer } = await import('./kernel/output/render.ts');
  if (thrown instanceof StdoutClosedError) return exitCodes.ok.code;
  const [{ annotatedProblems, workflowAnnotation, failureJson, failureText }, { toGantryError }, { createPage }] =
    await Promise.all([
      import('./kernel/output/failure.ts'),
      import('./kernel/output/system-error.ts'),
      import('./kernel/output/page.ts'),
    ]);
  const error = toGantryError(thrown);
  await (await import('./cli/program/complete-fix.ts')).completeFix(error, state, io.isForModel);
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const page = createPage(io.stderr, io.env, colorFlag(flags), io.now(), secrets);
  io.stderr.write(`${failureText(error, page, flags.includes('--debug'))}\n`);
  const workspace = annotationsRoot(io.env, io.cwd);
  if (workspace !== undefined) {
    const roots = { cwd: state.cwd ?? io.cwd, workspace };
    for (const problem of annotatedProblems(failureJson(error, secrets))) {
      io.stderr.write(`${workflowAnnotation(problem, roots, secrets)}\n`);
    }
  }
  const json = io.isForModel || isJson || flags.some((flag) => /^--(json|jq)(=|$)/.test(flag));
  const events = flags.includes('--events');
  if (json || events) {
    const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'never', io.now(), secrets), true);
    const document = failureJson(error, secrets, state.warned);
    const lines = events || isJsonLines;
    const printed = lines ? renderer.line({ type: 'error', ...document }) : renderer.value(document, () => '');
    await printed.catch(() => {});
  }
  return error.exitCode;
}

/** Reads the last `--color` without the parser, which may be what failed. */
function colorFlag(flags: string[]): ColorChoice {
  const typed = flags.join('\n').matchAll(/(?<=^|\n)--color[=\n](always|never|auto)(?=\n|$)/g);
  return ([...typed].at(-1)?.[1] as ColorChoice | undefined) ?? 'auto';
}
