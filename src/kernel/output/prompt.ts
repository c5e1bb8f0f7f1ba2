import type { Duplex } from 'node:stream';
import { CommandLine, flagWords } from '../command-line.ts';
import { type ErrorFacts, InputNeededError, InterruptedError, UsageError } from '../errors.ts';
import { defined } from '../json-text.ts';
import type { KeyInput } from './key-presses.ts';
import type { Page } from './page.ts';
import type { Progress } from './progress.ts';
import { sanitize } from './sanitize.ts';
import { wrapText } from './wrap-text.ts';

/** Questions to the user. `flag` is what to pass instead if prompting is not possible: InputNeededError names it. */
export type Prompt = ReturnType<typeof createPrompt>;

interface PromptOptions {
  /** The streams are getters: read only when there is a question. */
  io: { stdin: NodeJS.ReadableStream & { isTTY?: boolean }; stderr: NodeJS.WritableStream };
  signal: AbortSignal;
  /** False with `--no-input`. */
  allowed: boolean;
  /** The environment variable that says that nobody answers. */
  unattendedBy: string | undefined;
  yes: boolean;
  /** Nothing is changed, so nothing is confirmed. */
  dryRun: boolean;
  page: Page;
  giveWay: Progress['giveWay'];
}

interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

export function createPrompt({ io, signal, yes, dryRun, page, giveWay, ...options }: PromptOptions) {
  const safe = (text: string) => sanitize(text, page);
  // Wrapped here: the library breaks lines inside of words.
  const message = (question: string) => wrapText(safe(question), page.columns - decorationWidth).join('\n');
  const isTerminal = () => options.allowed && page.terminal && io.stdin.isTTY === true;
  const canAsk = () => options.unattendedBy === undefined && isTerminal();
  /** Asks, and gives up at Ctrl-C, Ctrl-D and Esc, which the library does not know. */
  const answer = async <T>(ask: (streams: PromptStreams) => Promise<T>): Promise<T> => {
    const canceled = new AbortController();
    const onKey = (_: unknown, key?: { name?: string; ctrl?: boolean }) => {
      if (key?.name === 'escape' || (key?.ctrl && key.name === 'd')) canceled.abort();
    };
    io.stdin.on('keypress', onKey);
    try {
      const until = AbortSignal.any([signal, canceled.signal]);
      return await ask({ input: io.stdin, output: io.stderr, signal: until });
    } catch (error) {
      signal.throwIfAborted();
      if (canceled.signal.aborted) throw new InterruptedError('canceled; nothing changed');
      // During a prompt the terminal is in raw mode: Ctrl-C reaches the library instead of our signal handler.
      if (error instanceof Error && error.name === 'ExitPromptError') throw new InterruptedError();
      throw error;
    } finally {
      io.stdin.off('keypress', onKey);
    }
  };
  const loadPrompts = (
    needed: string,
    flag: string,
    { retryWith, why }: Pick<ErrorFacts, 'retryWith' | 'why'> = {},
  ) => {
    if (canAsk()) return import('./questions.ts');
    const unasked = isTerminal() ? `nobody is asked while ${options.unattendedBy} is set` : undefined;
    throw new InputNeededError(needed, { why: why ?? unasked, fix: `pass ${flag}`, ...defined({ retryWith }) });
  };
  const notEnough = yes ? '--yes is not enough for what cannot be undone' : undefined;
  return {
    /** Whether stdin and stderr are terminals, at which somebody answers. */
    get isPossible() {
      return canAsk();
    },
    isConfirmed: yes || dryRun,
    /** Returns for "yes" and with `--yes`. Throws InterruptedError for "no", so that it does not look like success. */
    async confirm(question: string, { byDefault = false } = {}) {
      if (yes || dryRun) return;
      const { confirm } = await loadPrompts(`confirmation required: ${question}`, '--yes', { retryWith: ['--yes'] });
      const isConfirmed = await answer((streams) =>
        confirm({ message: message(question), default: byDefault }, streams),
      );
      if (!isConfirmed) throw new InterruptedError('canceled; nothing changed');
    },
    /** For what cannot be undone: the name must be typed, or passed by `--confirm` (`given`). `--yes` is not enough. */
    async confirmByName(question: string, name: string, given: string | undefined, others: readonly string[] = []) {
      if (dryRun) return;
      const retryWith = flagWords('--confirm', name);
      const fix = new CommandLine(retryWith).toString();
      const isNamed = (word: string | undefined) => [name, ...others].some((each) => each === word);
      if (isNamed(given)) return;
      if (given !== undefined) {
        throw new UsageError(`--confirm ${given} does not match ${name}; nothing changed`, {
          fix: 'check which one is meant, and confirm that one',
        });
      }
      const { input } = await loadPrompts(`confirmation required: ${question}`, fix, { retryWith, why: notEnough });
      const text = message(`${question} ${typedNameOf(name, fix, yes)}`);
      const typed = await answer((streams) => input({ message: text }, streams));
      if (!isNamed(typed)) throw new InterruptedError('the name does not match; nothing changed');
    },
    async ask(question: string, { flag, byDefault }: { flag: string; byDefault: string }) {
      const { input } = await loadPrompts(`input required: ${question}`, flag);
      return answer((streams) => input({ message: message(question), default: byDefault }, streams));
    },
    async choose(question: string, { flag, from }: { flag: string; from: readonly string[] }) {
      const { select } = await loadPrompts(`input required: ${question}`, flag);
      const choices = from.map((value) => ({ name: safe(value), value }));
      return answer((streams) => select({ message: message(question), choices }, streams));
    },
    /** Keys are not shown. Undefined if there is no terminal to type at. */
    async listenForKeys(listener: (key: string) => void) {
      if (!canAsk()) return undefined;
      const { interrupt, listenForKeys } = await import('./key-presses.ts');
      const keys = listenForKeys(io.stdin as KeyInput, listener);
      if (!keys) return undefined;
      const terminal = { input: io.stdin, output: io.stderr, clean: safe, onInterrupt: interrupt, giveWay };
      /** Lets a program have the terminal, in lines, until it ends the stream: keys are what is typed to it. */
      const lend = async (stream: Duplex) => {
        const { lendTerminal } = await import('./lend-terminal.ts');
        await keys.whileAway(() => lendTerminal(stream, terminal));
      };
      return { stop: keys.stop, lend };
    },
    /** Each character is shown as `*`. */
    async secret(question: string, { flag, retryWith }: { flag: string; retryWith?: readonly string[] }) {
      const { password } = await loadPrompts(`input required: ${question}`, flag, defined({ retryWith }));
      const asking = { message: message(question), mask: '*', toggleMask: false };
      return answer((streams) => password(asking, streams));
    },
  };
}

/** Who passed `--yes` learns what would have been enough. */
function typedNameOf(name: string, enough: string, yes: boolean): string {
  return `${yes ? `--yes is not enough (${enough} is). ` : ''}Type ${name} to confirm:`;
}

/** The width of `? ` before and ` (y/N)` after a question, in columns. */
const decorationWidth = 8;
