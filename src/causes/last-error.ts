import { groupsOf } from '../kernel/groups.ts';
import { defined } from '../kernel/json-text.ts';
import { cutText } from '../kernel/output/format.ts';
import { type Explanation, evidenceOf, type SearchedLine } from './explanation.ts';
import { packageOf } from './import-names.ts';
import { isGoingOn, starts } from './relevant-lines.ts';
import { rowsOf } from './rule.ts';
import {
  type Frame,
  finalTraceback,
  findUncaught,
  framesOf,
  isForeignFile,
  pointer,
  type Traceback,
  type Uncaught,
} from './tracebacks.ts';
import { errorsIn, raised } from './unknown-failure.ts';

/** The error that a log ends with, where no rule knows the cause: who raised it and where, and a fix by its kind. */
export function explainLastError(
  lines: readonly SearchedLine[],
  sent?: unknown,
  hasEnded = false,
): Explanation | undefined {
  const texts = lines.map(({ text }) => text);
  const traceback = finalTraceback(texts);
  const uncaught = findUncaught(texts) ?? (traceback ? undefined : findBare(texts, hasEnded));
  const isRaised = traceback !== undefined && traceback.end >= (uncaught?.at ?? 0);
  const at = isRaised ? traceback.end : uncaught?.at;
  const line = lines[at ?? -1];
  // An app that starts all the same, or goes on serving, has handled it.
  const isHandled = (text: string) => starts.test(text) || (hasEnded && /HTTP\/1\.[01]" \d{3}\b/.test(text));
  if (!line || texts.slice(at).some(isHandled)) return undefined;
  const told = isRaised ? raisedIn(texts, traceback, sent) : uncaught && described(uncaught);
  return told && { cause: 'code-error', ...told, evidence: evidenceOf(line) };
}

/** An exception without its stack, where nothing shows that the work went on: with the last frame that is there. */
function findBare(texts: readonly string[], hasEnded: boolean): Uncaught | undefined {
  const at = texts.findLastIndex((text) => raised.test(text) && !pointer.test(text) && errorsIn([text]).length > 0);
  if (at < 0 || (!hasEnded && texts.slice(at + 1).some(isGoingOn))) return undefined;
  const error = texts.slice(at, at + (/:$/.test(texts[at] ?? '') ? 2 : 1)).join(' ');
  return { ...framesOf(texts).findLast(({ file }) => !isForeignFile(file)), at, error };
}

type Found = Pick<Explanation, 'title' | 'fix'> & { cause?: string };

/** Where the code of the app raised something, or called the package that did. */
interface Raised {
  error: string;
  place?: string | undefined;
  code?: string | undefined;
  /** The package; undefined if the code of the app raised it. */
  owner?: string | undefined;
}

function described({ error, place, code, owner }: Raised): Found {
  const where = place && `${place}${shownCode(code)}`;
  return {
    title: `${owner ?? (place?.includes(':') ? 'the code of the app' : 'the app')} raised ${shortened(error)}`,
    fix: owner === undefined ? fixInApp(kindOf(error), where) : fixOfGiven(kindOf(error), owner, where),
  };
}

/** The first and the last of the errors that Spring says in one line, where that is long. */
function shortened(error: string): string {
  const [first = '', ...nested] = error.split('; nested exception is ');
  return error.length > 240 && nested.length > 0
    ? `${cutText(first, 100)}; ${cutText(nested.at(-1) ?? '', 140)}`
    : cutText(error, 240);
}

/** A mistake of the app is corrected, and what else it raises has its reason there. */
function fixInApp({ of, hint }: ErrorKind, where: string | undefined): string {
  const look = where && `${/^c/.test(of) && where.includes(':') ? 'correct' : 'look for its reason at'} ${where}`;
  return joined(look, hint) || 'do what the message says; what was printed before it may show the reason';
}

/** What a package raises is its word on what it was given, unless it made a mistake itself. */
function fixOfGiven({ of, hint }: ErrorKind, owner: string, where: string | undefined): string {
  const files = `in the settings or the flags of the program, or in the files that ${owner} reads`;
  if (of === 'given' || of === 'call')
    return `do what the message says, ${where ? `or change what ${where} gives to ${owner}` : files}`;
  const version = `use another version of ${owner}, or one of what calls it that fits`;
  if (of === 'class' && !where) return version;
  return joined(`look for its reason ${where ? `at ${where}` : files}`, of === 'state' ? hint : undefined);
}

const joined = (...texts: (string | undefined)[]) => texts.filter(Boolean).join(': ');

/** What the app raised itself, or made a package raise. */
function raisedIn(texts: readonly string[], { start, end, exception }: Traceback, sent: unknown): Found {
  // `exit()` is of Python, as `raise` is.
  const frames = framesOf(texts.slice(start, end)).filter(({ file }) => !file.includes('_sitebuiltins'));
  // What an object lacks is the matter of the code that reads it.
  while (frames.at(-1)?.name === '__getattr__') frames.pop();
  const last = frames.at(-1);
  const ownFrame = frames.findLast(({ file }) => !isForeignFile(file));
  // Who gives pydantic what it refuses has raised it.
  const raising = ownFrame ? last : frames.findLast(({ file }) => packageOfFile(file) !== 'pydantic');
  const owner = ownFrame !== undefined && ownFrame === last ? undefined : packageOfFile(raising?.file);
  const error = exception.replace(/ \[type=\w{1,60}, .*$/, '');
  const special = owner && (whileImported(owner, frames, error) ?? misfitOf(owner, ownFrame, error));
  if (special) return special;
  const plain = described({ ...(ownFrame ?? (owner ? {} : last)), error, owner });
  const fix = owner === undefined ? asJson(error, sent) : undefined;
  return { ...plain, ...defined({ fix }) };
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

/** How to pass a number or `true` that was sent as text; undefined if no parameter looks like one. */
export function asJson(exception: string, sent: unknown): string | undefined {
  const texts = Object.entries(Object(isText.test(exception) ? sent : {})).flatMap(([name, value]) =>
    typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value) ? [`${name}:=${value}`] : [],
  );
  return texts.length > 0 ? `pass it as a number, not as text: ${texts.join(' ')}` : undefined;
}

const isText = /\bstr\b/;

/** What a package looks for in an object of another one, or in what it was given. */
function misfitOf(owner: string, ownFrame: Frame | undefined, exception: string): Found | undefined {
  const [, object, name] = groupsOf(
    /^AttributeError: (?:type object )?'((?!NoneType)[\w.]{1,120})'(?: object)? has no attribute '(\w{1,80})'/,
    exception,
  );
  if (object === undefined) return undefined;
  const other = object.includes('.') ? packageOf(object) : undefined;
  const giver = /^(?:from|import)\b/.test(ownFrame?.code ?? '') ? undefined : ownFrame;
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

interface ErrorKind {
  /** What is wrong: the code, what a class or a module has, a call, what something was given, or the state that it met. */
  of: 'code' | 'class' | 'call' | 'given' | 'state';
  /** What helps, beside the place; none if the message says it. */
  hint?: string | undefined;
}

/** What the message or the name of an error shows, of any language: the first row that matches. */
const errorKinds = rowsOf`
'(?:coroutine|async_generator)' | code | await the call that made it; an async generator is read with async for
^SystemExit | state | return, or raise an error that says why
^\w+: .*NoneType | state | a value there is None: look where it comes from, and test it before it is used
[Nn]ull(?:Pointer|Reference)Exception|nil pointer|nil map|for nil\b|on null\b|on a \`None\` value|\(reading '|of (?:undefined|null)\b | class | a value there is not set: look where it comes from, and test it before it is used
^TypeError: .*\bstr\b | code | if a call passes it, name=1 is text, and name:=1 a number
^(?:Name|UnboundLocal|Reference)Error | class | give the name a value before that line, or import it
^IndexError|index out of (?:range|bounds)|IndexOutOfBounds | code | look whether there is an element before it is taken
^KeyError | code | look whether the key is there, or take .get()
^AttributeError|NoMethodError|[Uu]ndefined method|is not a function | class | define what is missing; if the class is of a package, pin that to the version that has it
^TypeError|ClassCastException|InvalidCastException | call | give it a value of the type that it takes
ZeroDivision|divi(?:de|sion) by zero | code | test the divisor first
RecursionError|StackOverflowError|SystemStackError|Maximum call stack|stack overflow | code | a function calls itself without an end: give it one
all goroutines are asleep | code | each goroutine waits for another: close the channel, or send to it
\`Err\` value | state | what it calls has failed: the error is in the message, so handle it there
^Assert|\bassertion | given | a check does not hold: print the values that it compares
NotImplemented | state | it is not there for these values: take another option or version, or define it in the subclass
[Pp]ickl | state | leave out what cannot be saved, and define classes and functions at the top of a module
Unicode(?:De|En)code | state | name the encoding of the text: open(path, encoding="utf-8")
JSONDecode|in JSON\b|valid JSON|JsonParse | state | print what is read there: an empty reply or the page of an error is no JSON
CUDA error|device-side assert | state | CUDA_LAUNCH_BLOCKING=1 shows the call that failed: look there whether indices and labels are in their range
Programming|Integrity|DataError|CompileError|Undefined(?:Function|Column|Table)|SQL | state | compare the types and names of the statement with the tables of the database
Connect|Time-?[Oo]ut|Protocol|Network|\bclosed\b|disconnect | state | what it talks to does not answer, or ended the connection: look at that, and try again in the code
Key|Permission|FileNotFound|Memory|SSL|\[Errno|NCCL|internal\b | state |
`.map((row) => row.split(' | '));

/** The kind of an error, by its name and its message. */
function kindOf(error: string): ErrorKind {
  const [, of = 'given', hint] = errorKinds.find(([sign = '']) => new RegExp(sign).test(error)) ?? [];
  return { of: of as ErrorKind['of'], hint };
}
