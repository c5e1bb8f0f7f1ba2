import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { writesAnnotations } from './config/environment.ts';
import { exitCodes, exitNameFor, GantryError, InterruptedError, ProjectError } from './errors.ts';
import { KnownSecrets } from './output/known-secrets.ts';
import type { ColorChoice } from './output/page.ts';
import { type Io, processIo } from './process.ts';
import { type HelpSource, helpText } from './program/help.ts';
import type { RunState } from './program/run-program.ts';
import { version } from './version.ts';

export type { Io };
export { processIo };

/**
 * Answers what needs no parser and returns the exit code, or undefined. Writes synchronously: opening process.stdout costs
 * more than everything else here.
 */
export function answerWithoutParser(argv: string[]): number | undefined {
  const text = readyAnswer(argv);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
    return exitCodes.ok.code;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // A pipe that is full takes the rest later, and whoever closed it wants no more.
    if (code === 'EAGAIN') processIo().stdout.write(bytes.subarray(written));
    if (code === 'EAGAIN' || code === 'EPIPE') return exitCodes.ok.code;
    processIo().stderr.write(`error: cannot write to stdout: ${message.replace(/^\w+: |, \w+$/g, '')}\n`);
    return exitCodes.failed.code;
  }
}

/** argv and the process to an exit code: the only catch, the only signal handler. */
export async function main(argv: string[], io: Io): Promise<number> {
  // A shell waits for this one: it has no use for a parser, a signal handler or an error.
  if (argv[0] === 'complete') return (await import('./completion/complete.ts')).complete(argv.slice(1), io);
  const controller = new AbortController();
  const interruption: RunState['interruption'] = {};
  const secrets = new KnownSecrets();
  const running: RunState = { signal: controller.signal, interruption, secrets };
  const stopListening = io.onSignal((signal) => {
    if (controller.signal.aborted) return io.quit(exitCodes[exitNameFor(signal)].code);
    const { says = 'stopping' } = interruption;
    const { announce = (text: string) => io.stderr.write(`${text}\n`) } = running;
    // The terminal has echoed ^C on the line.
    announce(says ? `\n${says} (Ctrl-C again: quit at once)` : '');
    controller.abort(new InterruptedError('interrupted', signal));
  });
  const code = await outcome(argv, io, running, controller.signal).finally(stopListening);
  // What cannot be cut off, such as the lookup of a host name, would keep the process alive.
  if (controller.signal.aborted) setTimeout(() => io.quit(code), drainMs).unref();
  return code;
}

/** After Ctrl-C: for output that is still to be read, in milliseconds. */
const drainMs = 3_000;

async function outcome(argv: string[], io: Io, running: RunState, signal: AbortSignal): Promise<number> {
  const { interruption } = running;
  try {
    const { runProgram } = await import('./program/run-program.ts');
    return await runProgram(argv, io, running);
  } catch (thrown) {
    const error = signal.aborted && !(thrown instanceof GantryError) ? signal.reason : thrown;
    if (error instanceof InterruptedError && interruption.says === '') return exitCodes[error.exit].code;
    return await fail(error, argv, io, running);
  }
}

/** Answers that need no parser. What help is made from is written at build time (build/texts.js). */
function readyAnswer(argv: string[]): string | undefined {
  const words = argv.slice(0, -1);
  const last = argv.at(-1);
  if (words.length === 0 && (last === '--version' || last === '-V')) return `${version}\n`;
  if ((last !== '--help' && last !== '-h') || !words.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const source = readHelpSource(words.join(' '));
  if (!source) return undefined;
  return helpText(source, isatty(1) ? processIo().stdout.columns : undefined);
}

function readHelpSource(command: string): HelpSource | undefined {
  try {
    return JSON.parse(readFileSync(join(import.meta.dirname, 'help', `${command}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Shows a failure: text on stderr, and with `--json` one document on stdout. */
async function fail(thrown: unknown, argv: string[], io: Io, { isJsonLines, secrets }: RunState): Promise<number> {
  const { StdoutClosedError, createRenderer } = await import('./output/render.ts');
  if (thrown instanceof StdoutClosedError) return exitCodes.ok.code;
  const [{ workflowAnnotation, failureJson, failureText }, { toSystemError }, { createPage }] = await Promise.all([
    import('./output/failure.ts'),
    import('./output/system-error.ts'),
    import('./output/page.ts'),
  ]);
  const error = toSystemError(thrown) ?? thrown;
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const page = createPage(io.stderr, io.env, colorAsked(flags), io.now(), secrets);
  io.stderr.write(`${failureText(error, page, flags.includes('--debug'))}\n`);
  if (error instanceof ProjectError && writesAnnotations(io.env)) {
    for (const problem of error.problems) io.stderr.write(`${workflowAnnotation(problem, secrets)}\n`);
  }
  const json = flags.some((flag) => flag === '--json' || flag.startsWith('--json='));
  const events = flags.includes('--events');
  if (json || events) {
    const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'never', io.now(), secrets), true);
    const document = failureJson(error, secrets);
    if (events) await renderer.line({ type: 'error', ...document }).catch(() => {});
    else await (isJsonLines ? renderer.line(document) : renderer.value(document, () => '')).catch(() => {});
  }
  return error instanceof GantryError ? error.exitCode : exitCodes.bug.code;
}

/** The command line may be what failed, so the flag is looked for by hand: `--color=never` or `--color never`. */
function colorAsked(flags: string[]): ColorChoice {
  const [, choice] = /(?:^|\n)--color[=\n](always|never)(?:\n|$)/.exec(flags.join('\n')) ?? [];
  return (choice as ColorChoice | undefined) ?? 'auto';
}
