import { cutText } from '../kernel/output/format.ts';
import { type Explanation, evidenceOf, type SearchedLine } from './explanation.ts';
import { groupsOf } from './groups.ts';
import { packageOf } from './import-names.ts';
import {
  type Frame,
  finalTraceback,
  findUncaught,
  framesOf,
  isForeignFile,
  type Traceback,
  type Uncaught,
} from './tracebacks.ts';

/** A mistake of the app that its log ends with, where no rule knows the cause. If the process ended, any error is one. */
export function explainLastError(
  lines: readonly SearchedLine[],
  sent?: unknown,
  hasEnded = false,
): Explanation | undefined {
  const shown = lines.map(({ text }) => text);
  const traceback = finalTraceback(shown);
  const uncaught = findUncaught(shown);
  const isRaised = traceback !== undefined && traceback.end >= (uncaught?.at ?? 0);
  const at = isRaised ? traceback.end : uncaught?.at;
  const line = lines[at ?? -1];
  const found = isRaised ? raisedIn(shown, traceback, sent, hasEnded) : mistakeOf(uncaught);
  // An app that starts all the same, or goes on serving, has handled it.
  const isHandled = (text: string) => goesOn.test(text) || (hasEnded && /HTTP\/1\.[01]" \d{3}\b/.test(text));
  if (!line || !found || shown.slice(at).some(isHandled)) return undefined;
  return { cause: 'code-error', ...found, evidence: evidenceOf(line) };
}

const goesOn = /Application startup complete|App is ready/;

type Found = Pick<Explanation, 'title' | 'fix'> & { cause?: string };

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

/** Code that ends the work. */
const onPurpose = /(?:^|: )(?:raise\b|(?:sys\.|os\.)?_?(?:exit|quit)\()/;

/** What says nothing about what a package was given: of the network, of the GPU, and what is known to fail for other reasons. */
const otherwise =
  /^[\w.]{0,80}(?:Connect|Connection|Timeout|Protocol|Encoding|Network|Halt|Import|ModuleNotFound|Key|NotImplemented|Permission|FileNotFound|Memory|Pickling|SSL)\w{0,20}(?:Error|Exception|Server)?\b|\[Errno |CUDA|cudnn|NCCL|HIP |nvrtc|engine|unknown (?:error|exception|reason)|internal\b(?!\S)|worker|NoneType|time-?d? ?out|\bclosed\b|refused\b|disconnect|corrupt/i;
/** What a message says if it was written for who made the mistake. */
const advice =
  /\b(?:[Pp]lease|[Tt]ry|[Uu]se|[Cc]onsider|[Pp]erhaps|should|instead|may help|needs? to|must|cannot be used|incompatible|validation errors? for)\b/;

/** What the app raised itself, or made a package raise. */
function raisedIn(
  shown: readonly string[],
  { start, end, exception }: Traceback,
  sent: unknown,
  hasEnded: boolean,
): Found | undefined {
  // `exit()` is of Python, as `raise` is.
  const frames = framesOf(shown.slice(start, end)).filter(({ file }) => !file.includes('_sitebuiltins'));
  // What an object lacks is the matter of the code that reads it.
  while (frames.at(-1)?.name === '__getattr__') frames.pop();
  const last = frames.at(-1);
  const own = frames.findLast(({ file }) => !isForeignFile(file));
  // Who gives pydantic what it refuses has raised it.
  const raising = own ? last : frames.findLast(({ file }) => packageOfFile(file) !== 'pydantic');
  const owner = packageOfFile(raising?.file);
  const ofApp = own !== undefined && own === last;
  const ofPackage = (by: string) =>
    whileImported(by, frames, exception) ?? raisedByPackage(by, own, exception, onPurpose.test(last?.code ?? ''));
  const found = ofApp ? raisedByApp(own, exception, sent) : owner && ofPackage(owner);
  return found || (hasEnded && own ? endedBy(own, exception, ofApp ? undefined : owner) : undefined);
}

/** Two packages of different times: one fails while it is imported, in the other. */
function whileImported(owner: string, frames: readonly Frame[], exception: string): Found | undefined {
  const imported = frames.findLast(({ name }) => name === '<module>');
  const other = isForeignFile(imported?.file) ? packageOfFile(imported?.file) : undefined;
  if (other === undefined || other === owner || !/^(?:Attribute|Type)Error: (?!.*NoneType)/.test(exception))
    return undefined;
  return {
    cause: 'package-api-changed',
    title: `${other} cannot be imported: ${owner} raised ${cutText(exception, 200)}`,
    fix: `use versions of ${other} and ${owner} that were made for each other`,
  };
}

/** What surely ended the process, where nobody knows what is wrong with it. */
const endedBy = ({ place, code }: Frame, exception: string, owner = 'the code of the app'): Found => ({
  title: `${owner} raised ${cutText(exception, 240)}`,
  fix: `look for its reason at ${place}${shownCode(code)}`,
});

/** A mistake is corrected, and what the app raises on purpose has its reason there. */
function raisedByApp({ place, code = '' }: Frame, exception: string, sent: unknown): Found | undefined {
  const [, unset] = groupsOf(/NoneType.{0,60}\n.{0,200}\.get\(["']([\w.-]{1,60})["']\)[.[]/, `${exception}\n${code}`);
  const isMistake = mistakes.test(exception) || unset !== undefined;
  if (!isMistake && !onPurpose.test(code)) return undefined;
  const [, known = ''] = hints.find(([sign]) => sign.test(exception)) ?? [];
  const hint = unset === undefined ? known : `: ${unset} is not set, so give it a value there, or a default here`;
  return {
    title: `the code of the app raised ${cutText(exception, 240)}`,
    fix:
      asJson(exception, sent) ??
      `${isMistake ? 'correct' : 'look for its reason at'} ${place}${shownCode(code)}${hint}`,
  };
}

/** How to pass a number or `true` that was sent as text; undefined if no parameter looks like one. */
export function asJson(exception: string, sent: unknown): string | undefined {
  const texts = Object.entries(Object(isText.test(exception) ? sent : {})).flatMap(([name, value]) =>
    typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value) ? [`${name}:=${value}`] : [],
  );
  return texts.length > 0 ? `pass it as a number, not as text: ${texts.join(' ')}` : undefined;
}

const isText = /\bstr\b/;

/** The word of a package on what it was given, unless it made a mistake itself. What it raises with `raise` is meant. */
function raisedByPackage(owner: string, own: Frame | undefined, raised: string, isMeant: boolean): Found | undefined {
  const exception = raised.replace(/ \[type=\w{1,60}, .*$/, '');
  // Of a program that is a package itself, only advice is known to be meant for who starts it.
  const misfit = misfitOf(owner, own, exception);
  if (misfit) return misfit;
  const isMistake = !isMeant && (own === undefined || mistakes.test(exception)) && !advice.test(exception);
  if (
    isMistake ||
    otherwise.test(exception) ||
    !/: \S+ \S+ \S|^(?:\w{1,60}\.)*(?:[A-Z][a-z]{1,20}){3,8}$/.test(exception)
  )
    return undefined;
  return {
    title: `${owner} raised ${cutText(exception, 240)}`,
    fix: own
      ? `do what the message says, or change what ${own.place}${shownCode(own.code)} gives to ${owner}`
      : `do what the message says, in the settings or the flags of the program, or in the files that ${owner} reads`,
  };
}

/** What a package looks for in an object of another one, or in what it was given. */
function misfitOf(owner: string, own: Frame | undefined, exception: string): Found | undefined {
  const [, object, name] = groupsOf(
    /^AttributeError: (?:type object )?'((?!NoneType)[\w.]{1,120})'(?: object)? has no attribute '(\w{1,80})'/,
    exception,
  );
  if (object === undefined) return undefined;
  const other = object.includes('.') ? packageOf(object) : undefined;
  const giver = /^(?:from|import)\b/.test(own?.code ?? '') ? undefined : own;
  return {
    cause: 'package-api-changed',
    title: `${owner} looks for ${name} in ${/^[aeiou]/i.test(object) ? 'an' : 'a'} ${object}, which has none`,
    fix: `${other ? `use versions of ${owner} and ${other} that were made for each other` : `use another version of ${owner}`}${giver ? `, or change what ${giver.place}${shownCode(giver.code)} gives to ${owner}` : ''}`,
  };
}

const shownCode = (code = '') => (code === '' ? '' : ` (${cutText(code, 80)})`);

/** The package, or the module of Python, that has a file. */
export function packageOfFile(file = ''): string | undefined {
  return groupsOf(/\/(?:(?:site|dist)-packages|python[\d.]{1,5})\/(?!(?:site|dist)-packages)([\w-]{1,60})/, file)[1];
}

const hints: readonly [RegExp, string][] = [
  [/'(?:coroutine|async_generator)'/, ': await the call that made it; an async generator is read with async for'],
  [/^TypeError: .*\bstr\b/, ': if a call passes it, name=1 is text, and name:=1 a number'],
  [/^SystemExit/, ': return, or raise an error that says why'],
  [/^IndexError/, ': look whether there is an element before it is taken'],
  [/^KeyError/, ': look whether the key is there, or take .get()'],
  [/^AttributeError/, ': define what is missing; if the class is of a package, pin that to the version that has it'],
];
