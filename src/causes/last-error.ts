import { cutText } from '../kernel/output/format.ts';
import type { Explanation } from './explanation.ts';
import { findUncaught, framesOf, isForeignFile, lastTraceback, type Traceback, type Uncaught } from './tracebacks.ts';

/** A line that was searched. */
interface Line {
  text: string;
  number: number;
  source: Explanation['evidence']['source'];
}

/** A mistake of the app that its log ends with, where no rule knows the cause. */
export function explainLastError(lines: readonly Line[]): Explanation | undefined {
  const shown = lines.map(({ text }) => text);
  const traceback = lastTraceback(shown);
  const uncaught = findUncaught(shown);
  const isRaised = traceback !== undefined && traceback.end >= (uncaught?.at ?? 0);
  const at = isRaised ? traceback.end : uncaught?.at;
  const line = lines[at ?? -1];
  const found = isRaised ? raisedIn(shown, traceback) : mistakeOf(uncaught);
  if (!line || !found) return undefined;
  const { source, number, text } = line;
  return { cause: 'code-error', ...found, evidence: { source, line: number || null, text: cutText(text.trim(), 400) } };
}

type Found = Pick<Explanation, 'title' | 'fix'>;

/** Errors of code that no setting mends. Where None came from, nobody knows. */
const mistakes =
  /^(?:NameError|UnboundLocalError|ZeroDivisionError|RecursionError|KeyError|IndexError|AttributeError|TypeError)\b(?!.{0,120}NoneType)/;
/** Mistakes in other languages. */
const otherMistakes =
  /\b(?:ReferenceError|NullPointerException|NullReferenceException|IndexOutOfBoundsException|ClassCastException|NoMethodError|InvalidCastException)\b|TypeError: .{1,120}(?:is not a function|is not iterable|reading '|of (?:undefined|null))|nil pointer dereference|index out of (?:range|bounds)|assignment to entry in nil map|Call to undefined method|undefined method `|undefined method '|on a `None` value|all goroutines are asleep/;

/** A mistake of the app in another language than Python. */
function mistakeOf({ error, place, isForeign }: Partial<Uncaught> = {}): Found | undefined {
  if (!error || !place || isForeign || !otherMistakes.test(error)) return undefined;
  return { title: `the code of the app raised ${cutText(error, 200)}`, fix: `correct ${place}` };
}

/** What the app itself raised: a mistake is corrected, and what it raises on purpose has its reason there. */
function raisedIn(shown: readonly string[], { start, end, exception }: Traceback): Found | undefined {
  const { file = '<', place, code = '' } = framesOf(shown.slice(start, end)).at(-1) ?? {};
  const isMistake = mistakes.test(exception);
  if (isForeignFile(file) || !(isMistake || /(?:^|: )raise\b/.test(code))) return undefined;
  const [, hint = ''] = hints.find(([sign]) => sign.test(exception)) ?? [];
  const shownCode = code === '' ? '' : ` (${cutText(code, 80)})`;
  return {
    title: `the code of the app raised ${cutText(exception, 240)}`,
    fix: `${isMistake ? 'correct' : 'look for its reason at'} ${place}${shownCode}${hint}`,
  };
}

const hints: readonly [RegExp, string][] = [
  [/'(?:coroutine|async_generator)'/, ': await the call that made it; an async generator is read with async for'],
  [/^IndexError/, ': look whether there is an element before it is taken'],
  [/^KeyError/, ': look whether the key is there, or take .get()'],
  [/^AttributeError/, ': define what is missing; if the class is of a package, pin that to the version that has it'],
];
