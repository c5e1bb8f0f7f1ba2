import { cutText } from '../kernel/output/format.ts';
import type { Explanation } from './explanation.ts';
import { fits, groupsOf } from './groups.ts';
import { packageOf } from './import-names.ts';
import { namespaces } from './refine.ts';
import {
  decisive,
  type Frame,
  findTracebacks,
  findUncaught,
  framesOf,
  isForeignFile,
  messageOf,
  packageOfFile,
  raisedAt,
  type Traceback,
  type Uncaught,
} from './tracebacks.ts';

/** A line that was searched. */
interface Line {
  text: string;
  number: number;
  source: Explanation['evidence']['source'];
}

/** What the last error of a log says by itself, where no rule knows its cause: its own advice, or where it was raised. */
export function explainLastError(lines: readonly Line[]): Explanation | undefined {
  const shown = lines.map(({ text }) => text);
  const traceback = decisive(findTracebacks(shown));
  const uncaught = findUncaught(shown);
  const end = traceback?.end ?? -1;
  const last = Math.max(end, lastComplaint(shown, uncaught, traceback && messageOf(traceback)));
  const line = lines[last];
  if (line === undefined || lines.length - last > maxDistance) return undefined;
  const advice = adviceOf(shown, last, traceback);
  if (advice) return shownBy(line, advice);
  // Who watches a process says that it failed, after what it raised.
  const isRaised = traceback !== undefined && end >= (uncaught?.at ?? -1);
  return isRaised ? shownBy(lines[end] ?? line, raisedIn(shown, traceback)) : shownBy(line, mistakeOf(uncaught));
}

function shownBy({ source, number, text }: Line, found: Found | undefined): Explanation | undefined {
  return found && { ...found, evidence: { source, line: number || null, text: cutText(text.trim(), 400) } };
}

/** The last one that does not repeat what was raised. */
function lastComplaint(shown: readonly string[], uncaught: Uncaught | undefined, raised = '\n'): number {
  const isOther = (text: string) => complaint.test(text) && !frame.test(text) && !text.includes(raised);
  return shown.findLastIndex((text, at) => at === uncaught?.at || isOther(text));
}

/** From the end of the log: what was said before was not the end of the work. */
const maxDistance = 40;

type Found = Omit<Explanation, 'evidence'>;

const complaint =
  /\b(?:[Ee]rror|ERROR|FATAL|[Ff]atal|CRITICAL|[Ff]ailed|[Cc]annot|[Uu]nable to|must|[Rr]equires?|failure)\b|Error:|Exception:/;
/** What engines, shells and servers print after the message that counts. */
const frame =
  /^\s*(?:[IW]\d{4} |>|\d{1,6} \||-{3,}|[+$] |Reason: |make(?:\[\d\])?: |npm |INFO)|\bWARN|Warning\b|[Dd]eprecat|\[notice\]|failed to solve|executor failed|returned a non-zero code|exited with code|exit (?:status|code)|back-?off\b|\brestarting\b|did not complete|building at STEP|"(?:GET|POST|PUT|DELETE) /;

const advice =
  /\b(?:[Pp]lease (?!fix |correct |report|file |open |see |refer|visit|read|contact|try again|note|wait|check (?:the )?logs?)|[Yy]ou (?:may |might |will |should |can )?(?:need|must|have to)\b|[Tt]ry (?!again|running|restarting|later)|[Cc]onsider |[Mm]ake sure |[Ee]nsure |[Dd]id you (?:forget|install)|(?:[Rr]un|[Uu]se|[Ii]nstall) [`'"]|must be (?:set|installed|explicitly)|(?:is|are) required\b|requires? (?:version )?\S{0,40}[<>=]|or (?:higher|newer|later|above)\b|you can (?:install|use|set)|requires the [\w-]{1,40} (?:package|library|module)|pip install |upgrade |downgrade |increase )/;
const noAdvice =
  /\b(?:issue|bug report|report this|full log|more (?:information|details)|for (?:help|details|debugging|tips)|verbose|DEBUG|stack ?trace|previous error|root cause|which is incompatible|which is required to install|unsatisfiable|errors? (?:above|below)|npm audit|newer? (?:release|version) of pip|Press|CTRL|CUDA_LAUNCH_BLOCKING|TORCH_USE_CUDA_DSA)\b/i;

/** The sentence of a message that says what to do: those who wrote the tool know best. */
function adviceOf(shown: readonly string[], at: number, traceback: Traceback | undefined): Found | undefined {
  // A message may go on in lines that are indented.
  const start = shown.slice(0, at + 1).findLastIndex((text) => !/^\s/.test(text));
  const [first = '', ...more] = shown.slice(Math.max(start, at - 3), at + 8);
  const end = more.findIndex((text) => frame.test(text) || /^(?:Traceback|\[|\d{4}-|\w{2,8}: )/.test(text));
  const message = [first, ...more.slice(0, end < 0 ? more.length : end)].map((text) => text.trim()).join(' ');
  const sentences = message.split(/(?<=[.!?:;])\s+(?=[A-Z`"'])/);
  const said = sentences
    .filter((each) => advice.test(each) && !noAdvice.test(each.replace(/https?:\S+/g, '')))
    .slice(0, 2);
  if (said.length === 0) return undefined;
  const place = at === traceback?.end ? raisedAt(shown.slice(traceback.start, at)) : undefined;
  const name = first.trim().endsWith('Error:') ? message : first.trim();
  const title = `${cutText(name, 160)}${place === undefined ? '' : `, at ${place}`}`;
  return { cause: 'fix-in-message', title, fix: `do what the message says: ${cutText(said.join(' '), 300)}` };
}

/** Errors of code that no setting mends. Where None came from, nobody knows. */
const mistakes =
  /^(?:NameError|UnboundLocalError|ZeroDivisionError|RecursionError|KeyError|IndexError|AttributeError|TypeError)\b(?!.{0,120}NoneType)/;
/** The same in other languages. */
const otherMistakes =
  /\b(?:ReferenceError|NullPointerException|NullReferenceException|IndexOutOfBoundsException|ClassCastException|NoMethodError|InvalidCastException)\b|TypeError: .{1,120}(?:is not a function|is not iterable|reading '|of (?:undefined|null))|nil pointer dereference|index out of (?:range|bounds)|assignment to entry in nil map|Call to undefined method|undefined method `|undefined method '|on a `None` value|on an `Err` value|all goroutines are asleep/;

/** A mistake of the app in another language than Python. */
function mistakeOf({ error, place }: Partial<Uncaught> = {}): Found | undefined {
  if (error === undefined || place === undefined || !otherMistakes.test(error)) return undefined;
  return { cause: 'code-error', title: `the code of the app raised ${cutText(error, 200)}`, fix: `correct ${place}` };
}

/** What is raised where packages do not fit together. */
const misfits =
  /^(?:AttributeError|TypeError|NameError|ImportError|ValueError|RuntimeError|SystemError|AssertionError)\b/;
/** What code raises that looks for what another version has. */
const lacks = /^(?:AttributeError|TypeError|ImportError|NameError)\b/;
/** A value of Python itself, where an object is wanted. */
const plainValue = /^AttributeError: '(tuple|dict|list|str|int|float|set|bytes)' object has no attribute '(\w{1,60})'/;
/** What a call with other values or objects than a package takes ends in. */
const calls = /^(?:AttributeError|TypeError|ValueError|IndexError|KeyError)\b/;

/** Mistakes of the app, and of packages. */
function raisedIn(shown: readonly string[], { start, end, exception }: Traceback): Found | undefined {
  const frames = framesOf(shown.slice(start, end));
  const own = frames.findLast(({ file }) => !isForeignFile(file));
  const at = `${raisedAt(shown.slice(start, end))}`;
  const place = own?.code === undefined ? at : `${at} (${cutText(own.code, 80)})`;
  const packages = frames.flatMap(({ file }) => packageOfFile(file) ?? []).map(nameOf);
  const name = packages.at(-1);
  if (own !== undefined && own === frames.at(-1)) {
    const fix = fixes.find(({ fits }) => fits(exception, own.code));
    const title = `the code of the app raised ${cutText(exception, 240)}`;
    return fix && { cause: 'code-error', title, fix: `${fix.start} ${place}${hintOf(exception)}` };
  }
  if (name === undefined) return undefined;
  return (
    importOf(name, frames, exception) ??
    betweenPackages(name, packages, exception, place) ??
    callOf(own && name, exception, at, place)
  );
}

/** What to do with what the app itself raised: a mistake is corrected, and what it raises on purpose has its reason there. */
const fixes = [
  { start: 'correct', fits: (exception: string) => mistakes.test(exception) },
  { start: 'look for its reason at', fits: (_: string, code = '') => /(?:^|: )raise\b/.test(code) },
];

function hintOf(exception: string): string {
  const [, hint] = hints.find(([sign]) => sign.test(exception)) ?? [];
  return hint === undefined ? '' : `: ${hint}`;
}

const hints: readonly [RegExp, string][] = [
  [/'(?:coroutine|async_generator)'/, 'await the call that made it; an async generator is read with async for'],
  [/^IndexError/, 'look whether there is an element before it is taken'],
  [/^KeyError/, 'look whether the key is there, or take .get()'],
  [
    /^TypeError\b.*(?:'str' object|'str'$|'str' and '(?:int|float)')/,
    'a text is taken for a number; an argument is passed as one by name:=3, as name=3 is a text',
  ],
  [/^AttributeError/, 'define what is missing; if the class is of a package, pin that to the version that has it'],
];

/** A package that fails while it is imported. */
function importOf(name: string, frames: readonly Frame[], exception: string): Found | undefined {
  const importer = frames.findLast(({ file }) => !/^<|-packages\/|\/lib\/python\d[^/]{0,8}\//.test(file));
  if (!fits(/^(?:from|import) /, importer?.code) || !misfits.test(exception)) return undefined;
  return {
    cause: 'package-import-failed',
    title: `${name} fails while it is imported: ${cutText(exception, 200)}`,
    fix: `update ${name}, or pin it and the packages that it uses to versions that were made for each other`,
    setting: `dependencies.pip.${name}`,
  };
}

/** One package calls another, which does not have what it wants, or was given a value of Python by the app. */
function betweenPackages(
  name: string,
  packages: readonly string[],
  exception: string,
  place: string,
): Found | undefined {
  const [, kind, attribute] = groupsOf(plainValue, exception);
  if (kind !== undefined) {
    const title = `${name} got a ${kind} where it needs an object with ${attribute}, at ${place}`;
    const fix = `correct what the app returns or passes there: an object with ${attribute}, not a ${kind}`;
    return { cause: 'code-error', title, fix };
  }
  const caller = packages.findLast((one) => one !== name);
  if (caller === undefined || !lacks.test(exception)) return undefined;
  return {
    cause: 'package-api-changed',
    title: `${caller} does not fit ${name}: ${cutText(exception, 200)}`,
    fix: `pin ${name} to the version that ${caller} was made for, or update ${caller}`,
    setting: `dependencies.pip.${name}`,
  };
}

/** The app gives a package what it does not take. */
function callOf(name: string | undefined, exception: string, at: string, place: string): Found | undefined {
  if (name === undefined || !calls.test(exception)) return undefined;
  const title = `${name} refuses the call at ${at}: ${cutText(exception, 200)}`;
  const fix = `correct ${place}; if that is right, pin ${name} to the version that it was written for`;
  return { cause: 'code-error', title, fix };
}

function nameOf(top: string): string {
  return (namespaces.has(top) ? undefined : packageOf(top)) ?? top;
}
