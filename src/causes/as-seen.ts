import { CommandLine } from '../kernel/command-line.ts';
import type { FileLocation, Problem } from '../kernel/errors.ts';
import { defined } from '../kernel/json-text.ts';
import type { Explanation } from './explanation.ts';
import { framesOf, isForeignFile } from './tracebacks.ts';

/** What a look at the files of the app has found, with what each problem is about: paths, names and packages. */
export interface SeenInFiles {
  problems: readonly Problem[];
  names: ReadonlyMap<Problem, readonly string[]>;
}

/**
 * What the files show of a cause in a log, which is more exact: the same cause of the same name, or at the line that failed.
 * Where the cause names nothing, any line of the log may.
 */
export function asSeen(
  explanation: Explanation,
  log: string,
  { problems, names }: SeenInFiles,
): (Partial<Explanation> & { location?: FileLocation | undefined }) | undefined {
  const failed = framesOf(log.split('\n')).findLast(({ file }) => !isForeignFile(file))?.place;
  const isThere = ({ location }: Problem) => `${location?.file}:${location?.line}` === failed;
  const isNamed = explanation.isGeneral ? namedIn(log) : wordIn(`${explanation.title}\n${explanation.evidence.text}`);
  const isSame = (each: Problem) =>
    each.cause === explanation.cause &&
    (each.message === explanation.title || names.get(each)?.some(isNamed) || isThere(each));
  const problem = problems.find((each) => isSame(each) || (explanation.cause === 'code-error' && isThere(each)));
  return problem && shownBy(problem);
}

/** Versions and short words are in many lines. */
const namedIn = (log: string) => (name: string) => name.length > 3 && !/^[\d.]+$/.test(name) && log.includes(name);

/** A name as a whole word. */
const wordIn = (text: string) => (name: string) =>
  name !== '' &&
  ` ${text} `.split(name).some((before, at, parts) => /\W$/.test(before) && /^\W/.test(parts[at + 1] ?? ''));

function shownBy({ cause, message: title, fix, location }: Problem) {
  if (cause === undefined || fix === undefined) return undefined;
  const next = fix instanceof CommandLine ? fix.argv.slice(1) : undefined;
  return { cause, title, fix: String(fix), next, ...defined({ location }) };
}
