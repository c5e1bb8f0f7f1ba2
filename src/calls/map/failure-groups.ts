import { cutText } from '../../kernel/output/format.ts';
import type { MapError } from './result-line.ts';

/** Failures with one cause. */
export interface FailureGroup {
  /** The cause that a rule knows (docs/failures.md), or the name of an exit code. */
  cause: string;
  title: string;
  /** How many inputs. */
  inputs: number;
  /** The first input that was found to fail so. */
  index: number;
}

/** More messages than this are counted as one group, so that a million different ones need no memory. */
const maxMessages = 1_000;
const shownCharacters = 160;

/** Groups failures by their cause, as `gantry explain` finds it, or else by their message without its numbers. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();
  /** Of messages that were seen: rules are slow. */
  readonly #groupOf = new Map<string, FailureGroup>();

  private constructor(private readonly explain: typeof import('../../causes/index.ts').explainLog) {}

  static async create(): Promise<FailureGroups> {
    return new FailureGroups((await import('../../causes/index.ts')).explainLog);
  }

  add(index: number, error: MapError): void {
    const key = `${error.code} ${error.statusCode ?? ''} ${withoutNumbers(error.message)}`;
    const group = this.#groupOf.get(key) ?? this.#newGroup(key, index, error);
    group.inputs++;
  }

  /** The largest first. */
  get all(): FailureGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.inputs - one.inputs);
  }

  #newGroup(key: string, index: number, { code, message, statusCode }: MapError): FailureGroup {
    // The status that an app chose says nothing about its replica.
    const status = code === 'app-error' ? undefined : statusCode;
    const explained = this.explain('', { source: 'run', reason: message, statusCode: status });
    const isOther = !explained && this.#groupOf.size >= maxMessages;
    const cause = explained?.cause ?? code;
    const title = isOther ? 'other messages' : (explained?.title ?? shorten(message));
    const name = explained || isOther ? `${cause} ${title}` : key;
    const group = this.#groups.get(name) ?? { cause, title, inputs: 0, index };
    this.#groups.set(name, group);
    if (this.#groupOf.size < 2 * maxMessages) this.#groupOf.set(key, group);
    return group;
  }
}

/** `index 17 is out of bounds` and `index 18 is out of bounds` are one message; so are those with different ids. */
function withoutNumbers(message: string): string {
  return message.replace(/\b[\da-f]{8}-[\da-f-]{27}\b|\d+/gi, '0').slice(0, 400);
}

function shorten(message: string): string {
  return cutText(message.trim().split('\n', 1)[0] ?? '', shownCharacters);
}
