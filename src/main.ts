import { readFileSync } from 'node:fs';
import { annotates } from './config/environment.ts';
import type { Io } from './context.ts';
import { exitCodes, GantryError, InterruptedError, ProjectError } from './errors.ts';
import { version } from './version.ts';

export { processIo } from './process.ts';
export type { Io };

/** argv and the process to an exit code: the only catch, the only signal handler. */
export async function main(argv: string[], io: Io): Promise<number> {
  const ready = argv.length === 1 ? readyAnswer(argv[0]) : undefined;
  if (ready !== undefined) {
    io.stdout.write(ready);
    return exitCodes.ok.code;
  }
  const controller = new AbortController();
  const interruption: { says?: string } = {};
  const stopListening = io.onSignal((signal) => {
    if (controller.signal.aborted) return io.quit(exitCodes.interrupted.code);
    io.stderr.write(`\n${interruption.says ?? 'stopping'} (Ctrl-C again: quit at once)\n`);
    controller.abort(new InterruptedError('interrupted', signal));
  });
  try {
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv, io, { signal: controller.signal, interruption });
  } catch (thrown) {
    const error = controller.signal.aborted && !(thrown instanceof GantryError) ? controller.signal.reason : thrown;
    return await fail(error, argv, io);
  } finally {
    stopListening();
  }
}

/** Answers that need no parser. The help text is made at build time (build.js); from the sources it is made live. */
function readyAnswer(word: string | undefined): string | undefined {
  if (word === '--version' || word === '-V') return `${version}\n`;
  if (word !== '--help' && word !== '-h') return undefined;
  try {
    return readFileSync(new URL('./help.txt', import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

/** Shows a failure: text on stderr, and with `--json` one document on stdout. */
async function fail(error: unknown, argv: string[], io: Io): Promise<number> {
  const { ReaderGone, createRenderer } = await import('./output/render.ts');
  if (error instanceof ReaderGone) return exitCodes.ok.code;
  const [{ annotation, failureJson, failureText }, { shown }, { pageOf }] = await Promise.all([
    import('./output/failure.ts'),
    import('./output/clean.ts'),
    import('./output/page.ts'),
  ]);
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const color = flags.includes('--color=never') ? 'never' : flags.includes('--color=always') ? 'always' : 'auto';
  const page = pageOf(io.stderr, io.env, color, io.now());
  io.stderr.write(`${shown(failureText(error, page, flags.includes('--debug')), page)}\n`);
  if (error instanceof ProjectError && annotates(io.env)) {
    for (const problem of error.problems) io.stderr.write(`${annotation(problem)}\n`);
  }
  const json = flags.some((flag) => flag === '--json' || flag.startsWith('--json='));
  const events = flags.includes('--events');
  if (json || events) {
    const renderer = createRenderer(io.stdout, pageOf(io.stdout, io.env, 'never', io.now()), true);
    const document = failureJson(error);
    await (events ? renderer.line({ type: 'error', ...document }) : renderer.value(document, () => '')).catch(() => {});
  }
  return exitCodes[error instanceof GantryError ? error.exit : 'bug'].code;
}
