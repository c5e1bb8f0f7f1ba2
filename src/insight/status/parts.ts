import { AuthError, type ExitName, GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, noStep } from '../../platform/waiting/index.ts';

/** Why parts of a status are not known, by the name of the part. */
export type Unknown = Record<string, string>;

/** Reads parts of a status, each of which may fail without the others. The platform is not asked twice if it is down. */
export class Parts {
  readonly unknown: Unknown = {};
  readonly #exits = new Map<string, ExitName>();

  constructor(private readonly signal: AbortSignal) {}

  /** Null if the part cannot be had: `unknown` says why. A login that is missing or refused is missing for all parts. */
  async read<T>(name: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (this.signal.aborted || error instanceof AuthError || !(error instanceof GantryError)) throw error;
      this.unknown[name] = error.message;
      this.#exits.set(name, error.exit);
      return null;
    }
  }

  /** How a command ends that asked for this part above all: with the code of its error, if it is not known. */
  exitOf(name: string): ExitName {
    return this.#exits.get(name) ?? 'ok';
  }

  /** Says that other parts are not known for the reason of this one. */
  missing(names: readonly string[], like: string): void {
    for (const name of names) this.unknown[name] = this.unknown[like] ?? '';
  }
}

/** The same context without steps and notes: the status is all that is shown. */
export function silent(context: Context): Context {
  const progress = { ...context.progress, step: () => noStep, note() {}, footnote() {}, warn() {} };
  return contextWith(context, { progress });
}
