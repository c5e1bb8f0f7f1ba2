import type { Option } from '@commander-js/extra-typings';
import type { FlagRules } from '../command.ts';

/**
 * A flag that has no effect without one of these, by their attribute names: without one, the command line is refused, and
 * the help says "with --dry-run". What excludes each other is declared with `conflicts` of the flag.
 */
export function requiring<Flag extends Pick<Option, 'conflicts'>>(flag: Flag, ...partners: string[]): Flag {
  return Object.assign(flag, { requires: partners } satisfies Partial<FlagRules>);
}

/** A flag that few need: the reference and the completion have it, `--help` has not. */
export function seldom<Flag extends object>(flag: Flag): Flag {
  return Object.assign(flag, { isSeldom: true } satisfies Partial<FlagRules>);
}
