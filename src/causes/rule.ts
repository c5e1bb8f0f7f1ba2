import type { AppConfig } from '../app/config.ts';
import { groupsOf } from '../kernel/groups.ts';
import { once } from '../kernel/once.ts';
import type { Explanation } from './explanation.ts';

/** What the named groups of a sign captured. */
export type Captured = Readonly<Record<string, string>>;

/**
 * A known cause of failures. Rules are data: what a line of the log looks like, and what is said about it. In texts,
 * `{name}` stands for what the group `name` of the sign has captured.
 */
export interface FailureRule {
  /** Programs compare it: it never changes its meaning. */
  cause: string;
  /** What is said where files show the cause, if its first rule says another thing. */
  inFiles?: true;
  /** Lines that show the cause; none if only the files show it. A pattern must take linear time for any line. */
  signs: readonly RegExp[];
  /** A cause has a higher rank than what follows from it: a missing header than a wheel that is not built. 4 by default. */
  rank?: number;
  /** What one of the lines before must match. */
  after?: RegExp | undefined;
  /** Only in the log of a build, or of a run. */
  only?: 'build' | 'run';
  /** A later line that shows that the work went on: what happened before it was not fatal. */
  undoneBy?: RegExp;
  /** A mistake of the code: it holds only where the last file that is named is the app's own. */
  own?: true;
  /** What follows from many failures: it holds only where nothing else failed, and no program has ended. */
  first?: true;
  /** Whether it applies to what was captured, and to the lines before it. */
  applies?: (captured: Captured, facts: FailureFacts, before: () => readonly string[]) => boolean;
  title: string;
  fix: string;
  /** The setting to change, such as `dependencies.pip.{package}`; the nearest section around it if it is not set. */
  at?: string;
  /** The command that helps, without `gantry`. */
  next?: readonly string[];
}

/**
 * Signs between semicolons: texts, each captured under a name if one is given, or patterns between slashes. In a text, `{name}`
 * is a word that is captured, `{name…}` the rest of the line, `{a|b}` one of several texts, `{name=a|b}` captures which, `…`
 * is what differs, `^` its start of the line, and `$` its end. `signal 9 SIGKILL` is that a signal ended a program.
 */
export const texts = (list: string, name?: string): RegExp[] =>
  list
    .trim()
    .split(/;\s+/)
    .flatMap((sign) => {
      const [, pattern, flags] = groupsOf(/^\/(.+)\/(i?)$/, sign);
      if (pattern !== undefined) return new RegExp(pattern, flags);
      const [, signal, signalName = ''] = groupsOf(/^signal (\d+) (.+)$/, sign);
      if (signal !== undefined) return endedBy(Number(signal), signalName);
      const [, start = '', text = '', end = ''] = groupsOf(/^(\^?)(.+?)(\$?)$/, sign);
      const parts = text.split(/(\{[^{}]+\}|…)/);
      const source = parts.map((part, at) => sourceOf(part, parts.slice(at + 1).join('') + end === '')).join('');
      return new RegExp(start + (name ? `(?<${name}>${source})` : source) + end);
    });

const exit =
  /(?:\b[Ee]xit(?:ed)?(?: with)?[ _-]?(?:[Cc]ode|status)?|\bsent code|non-zero (?:exit )?(?:code|status)|returned)[:= ]{1,9}\(?/
    .source;

/** Signs that a signal ended a program: the exit code of shells and engines, that of Python, and the name. */
const endedBy = (signal: number, name: string): RegExp[] =>
  [
    `${exit}${128 + signal}\\b`,
    `${exit}-${signal}\\b`,
    `\\b(?:sent|by|with|[Ss]ignal|code)[ :=]{1,2}(?:\\d{1,2} \\(|<Signals\\.|")?${name}\\b`,
    `(?:\\b(?:killed|died|terminated|exited|signaled)\\b.{0,30}\\bsignal:? |\\b[Ss]ignal \\()${signal}\\b`,
  ].map((source) => new RegExp(source));

/** What is captured ends where the text goes on, or with its word: the last one before punctuation. */
function sourceOf(part: string, isLast: boolean): string {
  const plain = part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (part === '…') return '.{0,160}?';
  const [, word, rest] = groupsOf(/^\{(\w+)(…?)\}$/, part);
  if (rest) return `(?<${word}>.{1,160}${isLast ? '' : '?'})`;
  if (word) return `(?<${word}>[^\\s'"\`]${isLast ? `{0,160}[^\\s'"\`.,;:()]` : '{1,160}?'})`;
  const [, name, choice] = groupsOf(/^\\\{(?:(\w+)=)?(.+)\\\}$/, plain);
  if (choice === undefined) return plain;
  return `(?${name ? `<${name}>` : ':'}${choice.replaceAll('\\|', '|').replaceAll('…', '.{0,160}')})`;
}

/** The rows of a table: a row goes on in lines that are indented. */
export const rowsOf = ({ raw }: TemplateStringsArray): string[] =>
  raw
    .join('')
    .replace(/\\(?=`|\$\{)/g, '')
    // The build escapes what is beyond ASCII.
    .replace(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .trim()
    .split(/\n(?! )/);

/**
 * Rules of a table, with what all of them have besides. A row has a cause, the signs that show it or `none`, the title, the fix,
 * the setting if one is to be changed, and the command that helps, between ` | `; it goes on in lines that are indented. A
 * number before the cause is its rank, and `†` after it says that the row is meant where files show it. Signs that begin with
 * `after /pattern/: ` want a line above that matches, with `own: ` a file of the app, with `first: ` no other failure, with `build: ` the log of a
 * build, and with the name of a condition, where that holds. In the title, `{said}` is the text that was found.
 */
export const rowsWith =
  (rest: Partial<FailureRule>, conditions: Readonly<Record<string, NonNullable<FailureRule['applies']>>> = {}) =>
  (table: TemplateStringsArray): FailureRule[] =>
    rowsOf(table).map((row) => {
      const [head, signsOf = '', title = '', fix = '', ...more] = row.split(/(?:\n +| )\| /);
      const [, rank, cause = '', inFiles] = groupsOf(/^(?:(\d) )?(\S+)( †)?$/, head);
      const name = Object.keys(conditions).find((each) => signsOf.startsWith(`${each}: `));
      const ofSign = name === undefined ? signsOf : signsOf.slice(name.length + 2);
      const [start = '', own, first, build, after] = groupsOf(common, ofSign);
      const list = ofSign.slice(start.length);
      const signs = once(() => (list === 'none' ? [] : texts(list, title.includes('{said}') ? 'said' : undefined)));
      const above = once(() => new RegExp(after ?? ''));
      const at = more.find((word) => !word.includes(' '));
      const next = more.find((word) => word.includes(' '))?.split(' ');
      const facts = {
        ...(name && { applies: conditions[name] }),
        ...(rank && { rank: Number(rank) }),
        ...(at && { at }),
        ...(next && { next }),
        ...(own && { own: true as const }),
        ...(first && { first: true as const }),
        ...(build && { only: 'build' as const }),
        ...(inFiles && { inFiles: true as const }),
      };
      return {
        cause,
        title,
        fix,
        ...facts,
        ...rest,
        // Only an explanation of a log needs them.
        get signs() {
          return signs();
        },
        get after() {
          return after === undefined ? rest.after : above();
        },
      };
    });

const common = /^(own: )?(first: )?(build: )?(?:after \/(.+?)\/: )?/;

/** Rules of a table that have nothing besides. */
export const rows = rowsWith({});

/** Rules of a table, of which some hold only under one of these conditions. */
export const rowsIf = (conditions: Parameters<typeof rowsWith>[1]) => rowsWith({}, conditions);

/** What is known about a failure besides its log. */
export interface FailureFacts {
  /** Undefined for a log of unknown origin. */
  source?: 'build' | 'run' | undefined;
  /** The app as it was when the log was read; undefined if it is not at hand. */
  config?: AppConfig | undefined;
  /** Why the platform says that it failed. */
  reason?: string | undefined;
  status?: string | undefined;
  exitCode?: number | undefined;
  /** The HTTP status of a call. */
  statusCode?: number | undefined;
  /** The parameters that it was given, by their names, if they are at hand. */
  sent?: unknown;
  /** Whether a file of the app folder exists; the disk by default. */
  exists?: ((path: string) => boolean) | undefined;
}

/** What is more precise than a rule; undefined if it does not apply. `before` are the lines above the evidence. */
export type Refinement = (
  captured: Captured,
  facts: FailureFacts,
  before: readonly string[],
  explanation: Explanation,
) => Partial<Explanation> | undefined;
