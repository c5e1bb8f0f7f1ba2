import { InputNeededError, InterruptedError, UsageError } from '../errors.ts';
import type { KeyInput } from './keys.ts';
import type { Page } from './page.ts';
import { sanitize } from './sanitize.ts';
import { wrapText } from './wrap-text.ts';

/** Questions to the user. `flag` is what to pass instead if prompting is not possible: InputNeededError names it. */
export interface Prompt {
  /** Whether stdin is a terminal and `--no-input` is not set. */
  readonly isPossible: boolean;
  /** Whether `confirm` asks nothing, because of `--yes` or a dry run. */
  readonly isConfirmed: boolean;
  /** Returns for "yes" and with `--yes`. Throws InterruptedError for "no", so that it does not look like success. */
  confirm(question: string, options?: { byDefault?: boolean }): Promise<void>;
  /** For what cannot be undone: the name must be typed, or passed by `--confirm` (`given`). `--yes` is not enough. */
  confirmByName(question: string, name: string, given: string | undefined): Promise<void>;
  /** Asks for a line of text. `check` returns true or an error message. */
  ask(
    question: string,
    options: { flag: string; byDefault?: string; check?: (answer: string) => true | string },
  ): Promise<string>;
  choose(question: string, options: { flag: string; from: readonly string[]; byDefault?: string }): Promise<string>;
  /**
   * Calls the listener for each key that is pressed, without showing the key, until the returned function is called.
   * Undefined if there is no terminal to type at.
   */
  listenForKeys(listener: (key: string) => void): Promise<(() => void) | undefined>;
  /** Asks for a secret; each character is shown as `*`. */
  secret(question: string, options: { flag: string }): Promise<string>;
}

interface PromptOptions {
  /** The streams are getters: read only when there is a question. */
  io: { stdin: NodeJS.ReadableStream & { isTTY?: boolean }; stderr: NodeJS.WritableStream };
  signal: AbortSignal;
  /** False with `--no-input`. */
  allowed: boolean;
  yes: boolean;
  /** Nothing is changed, so nothing is confirmed. */
  dryRun: boolean;
  page: Page;
}

export function createPrompt({ io, signal, allowed, yes, dryRun, page }: PromptOptions): Prompt {
  const safe = (text: string) => sanitize(text, page);
  // Wrapped here: the library breaks lines inside of words.
  const message = (question: string) => wrapText(safe(question), page.columns - decorationWidth).join('\n');
  const canAsk = () => allowed && io.stdin.isTTY === true;
  const streams = () => ({ input: io.stdin, output: io.stderr, signal });
  const loadPrompts = (problem: string, question: string, flag: string, retryWith?: readonly string[]) => {
    if (!canAsk()) {
      throw new InputNeededError(`${problem}: ${question}`, { fix: `pass ${flag}`, ...(retryWith && { retryWith }) });
    }
    return import('./questions.ts');
  };
  const confirmation = 'confirmation required';
  const missingInput = 'input required';
  return {
    get isPossible() {
      return canAsk();
    },
    isConfirmed: yes || dryRun,
    async confirm(question, { byDefault = false } = {}) {
      if (yes || dryRun) return;
      const { confirm } = await loadPrompts(confirmation, question, '--yes', ['--yes']);
      const isConfirmed = await awaitAnswer(
        confirm({ message: message(question), default: byDefault }, streams()),
        signal,
      );
      if (!isConfirmed) throw new InterruptedError('canceled; nothing changed');
    },
    async confirmByName(question, name, given) {
      if (dryRun) return;
      if (given === undefined) {
        const retryWith = ['--confirm', name];
        const { input } = await loadPrompts(confirmation, question, `--confirm ${name}`, retryWith);
        const typed = await awaitAnswer(
          input({ message: message(`${question} Type ${name} to confirm:`) }, streams()),
          signal,
        );
        if (typed !== name) throw new InterruptedError('the name does not match; nothing changed');
      } else if (given !== name) {
        throw new UsageError(`--confirm ${given} does not match ${name}; nothing changed`, {
          fix: `--confirm ${name}`,
        });
      }
    },
    async ask(question, { flag, byDefault, check }) {
      const { input } = await loadPrompts(missingInput, question, flag);
      const fallback = byDefault === undefined ? {} : { default: byDefault };
      return awaitAnswer(
        input({ message: message(question), ...fallback, ...(check ? { validate: check } : {}) }, streams()),
        signal,
      );
    },
    async choose(question, { flag, from, byDefault }) {
      const { select } = await loadPrompts(missingInput, question, flag);
      const choices = from.map((value) => ({ name: safe(value), value }));
      const fallback = byDefault === undefined ? {} : { default: byDefault };
      return awaitAnswer(select({ message: message(question), choices, ...fallback }, streams()), signal);
    },
    async listenForKeys(listener) {
      if (!canAsk() || !page.terminal) return undefined;
      const { listenForKeys } = await import('./keys.ts');
      return listenForKeys(io.stdin as KeyInput, listener);
    },
    async secret(question, { flag }) {
      const { password } = await loadPrompts(missingInput, question, flag);
      return awaitAnswer(password({ message: message(question), mask: '*', toggleMask: false }, streams()), signal);
    },
  };
}

/** Of `? ` before and ` (y/N)` after a question, in columns. */
const decorationWidth = 8;

/** During a prompt the terminal is in raw mode: Ctrl-C reaches the library instead of our signal handler. */
async function awaitAnswer<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name)) throw new InterruptedError();
    throw error;
  }
}
