import { InputNeededError, InterruptedError, UsageError } from '../errors.ts';
import type { Page } from './page.ts';
import { sanitize } from './sanitize.ts';

/** Questions to the user. Each names the flag that answers it, for when there is no terminal. */
export interface Prompt {
  /** Whether anybody is there to answer. */
  readonly isPossible: boolean;
  /** Returns for yes. "No" is an InterruptedError: it must not look like success. `--yes` answers it. */
  confirm(question: string, options?: { byDefault?: boolean }): Promise<void>;
  /**
   * For what cannot be undone: the user types the name, here or as the value of `--confirm` (`given`). `--yes` is not
   * enough.
   */
  confirmByName(what: string, name: string, given: string | undefined): Promise<void>;
  /** A line of text. `check` returns what is wrong with it, or true. */
  ask(
    question: string,
    options: { flag: string; byDefault?: string; check?: (answer: string) => true | string },
  ): Promise<string>;
  choose(question: string, options: { flag: string; from: readonly string[]; byDefault?: string }): Promise<string>;
  /** What nobody may read over a shoulder: a `*` is shown for each character, and nothing reveals them. */
  secret(question: string, options: { flag: string }): Promise<string>;
}

interface PromptOptions {
  /** Looked at only when there is something to ask. */
  io: { stdin: NodeJS.ReadableStream & { isTTY?: boolean }; stderr: NodeJS.WritableStream };
  signal: AbortSignal;
  /** `--no-input` forbids questions. */
  allowed: boolean;
  /** `--yes`. */
  yes: boolean;
  /** Questions name what the platform has. */
  page: Page;
}

export function createPrompt({ io, signal, allowed, yes, page }: PromptOptions): Prompt {
  const safe = (text: string) => sanitize(text, page);
  const canAsk = () => allowed && io.stdin.isTTY === true;
  const streams = () => ({ input: io.stdin, output: io.stderr, signal });
  const need = (question: string, flag: string) => {
    if (!canAsk()) throw new InputNeededError(`this needs an answer: ${question}`, { fix: `answer it with ${flag}` });
    return import('@inquirer/prompts');
  };
  return {
    get isPossible() {
      return canAsk();
    },
    async confirm(question, { byDefault = false } = {}) {
      if (yes) return;
      const { confirm } = await need(question, '--yes');
      const agreed = await awaitAnswer(confirm({ message: safe(question), default: byDefault }, streams()), signal);
      if (!agreed) throw new InterruptedError('you said no: nothing was done');
    },
    async confirmByName(what, name, given) {
      if (given === undefined) {
        const { input } = await need(what, `--confirm ${name}`);
        const typed = await awaitAnswer(input({ message: safe(`${what} Type ${name} to go on:`) }, streams()), signal);
        if (typed !== name) throw new InterruptedError('that is not its name: nothing was done');
      } else if (given !== name) {
        throw new UsageError(`--confirm ${given} does not name ${name}: nothing was done`, {
          fix: `--confirm ${name}`,
        });
      }
    },
    async ask(question, { flag, byDefault, check }) {
      const { input } = await need(question, flag);
      const fallback = byDefault === undefined ? {} : { default: byDefault };
      return awaitAnswer(
        input({ message: safe(question), ...fallback, ...(check ? { validate: check } : {}) }, streams()),
        signal,
      );
    },
    async choose(question, { flag, from, byDefault }) {
      const { select } = await need(question, flag);
      const choices = from.map((value) => ({ name: safe(value), value }));
      const fallback = byDefault === undefined ? {} : { default: byDefault };
      return awaitAnswer(select({ message: safe(question), choices, ...fallback }, streams()), signal);
    },
    async secret(question, { flag }) {
      const { password } = await need(question, flag);
      return awaitAnswer(password({ message: safe(question), mask: '*', toggleMask: false }, streams()), signal);
    },
  };
}

/** While a question is open the terminal is in raw mode: Ctrl-C reaches the library, not us. */
async function awaitAnswer<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name)) throw new InterruptedError();
    throw error;
  }
}
