import { groupsOf } from '../kernel/groups.ts';
/** A traceback of Python in a log. */
export interface Traceback {
  /** Its first and last line, from 0. */
  start: number;
  end: number;
  /** The last line: `KeyError: 'user'`. */
  exception: string;
  /** The lines around it; empty at the start and the end of the log. */
  header: string;
  next: string;
}

/** The tracebacks of a log, in its order. Those of a chain are separate. */
export function findTracebacks(lines: readonly string[]): Traceback[] {
  const tracebacks: Traceback[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (!begins.test(lines[start] ?? '')) continue;
    const end = endOf(lines, start);
    if (end === undefined) continue;
    const next = lines.slice(end + 1, end + 12).find((line) => !/^(?:""")?\s*$/.test(line)) ?? '';
    // A message may begin in the line below its type, and pydantic says there what it refuses.
    const isSplit = /:$|validation errors? for \S+$/.test(lines[end] ?? '');
    const exception = lines
      .slice(end, end + (isSplit ? 3 : 1))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
    tracebacks.push({ start, end, exception, header: lines[start - 1] ?? '', next });
    start = end;
  }
  return tracebacks;
}

/** The first line may be left out of what somebody copied. */
const begins = /Traceback \(most recent call last\):$|^ {2}File "[^"]{1,300}", line \d{1,7}, in(?: |$)/;

/** The last one that does not only say that another failed, or that the program was stopped. */
export function lastTraceback(lines: readonly string[]): Traceback | undefined {
  return findTracebacks(lines).findLast(({ exception }) => !pointer.test(exception));
}

/** The last exception; SystemExit only if it is the only one. */
export function finalTraceback(lines: readonly string[]): Traceback | undefined {
  return lastTraceback(lines) ?? findTracebacks(lines).findLast(({ exception }) => /^SystemExit\b/.test(exception));
}

/** Says only that something else failed, or that the program was stopped. */
export const pointer =
  /\broot cause\b|\b(?:messages?|errors?|logs?) above\b|\b(?:ChildFailedError|CalledProcessError|HaltServer|CancelledError)\b|^(?:SystemExit|KeyboardInterrupt)\b/;

const maxLines = 300;

/** The exception: the first line that is not indented. */
function endOf(lines: readonly string[], start: number): number | undefined {
  for (let at = start + 1; at < Math.min(lines.length, start + maxLines); at++) {
    const line = lines[at] as string;
    if (line.trim() === '' || /^\s/.test(line)) continue;
    return /^(?!(?:INFO|WARNING|DEBUG|ERROR|CRITICAL):)[A-Za-z_][\w.]{1,120}(?::|$)/.test(line) ? at : undefined;
  }
  return undefined;
}

export interface Frame {
  file: string;
  /** `main.py:2` */
  place: string;
  /** The function. */
  name?: string | undefined;
  code?: string;
}

/** What was called, from the outside to the inside, each with its line of code if it is shown. */
export function framesOf(lines: readonly string[]): Frame[] {
  return lines.flatMap((text, at) => {
    const [, path, line = '', name] = groupsOf(/^\s+File "([^"]{1,300})", line (\d{1,7})(?:, in (\S{1,80}))?/, text);
    const file = path?.replaceAll('\\', '/');
    const next = lines[at + 1]?.trim() ?? '';
    const code = next !== '' && !/^(?:File "|[\^~]+$)/.test(next) ? next : undefined;
    return file === undefined
      ? []
      : [{ file, place: `${withoutFolder(file)}:${line}`, name, ...(code !== undefined && { code }) }];
  });
}

/** An error of another language that nothing caught. */
export interface Uncaught {
  at: number;
  error: string;
  /** Where the code of the app raised it, or called what did. */
  place?: string | undefined;
  /** The package that raised it; undefined for the code of the app. */
  owner?: string | undefined;
}

/** What Java, Go, PHP, .NET, Rust, Elixir and C++ print before one; Node prints its name only. */
const uncaught =
  /^(?:(?:(?:error: )?Uncaught (?!app )(?:\(in promise\) )?|(?:\(node:\d{1,9}\) )?UnhandledPromiseRejectionWarning: |\*\* \(|\{?"?(?:init terminating in do_boot",?|Kernel pid terminated|Runtime terminating during boot) ?| {1,4}what\(\): {1,2}|Unhandled [Ee]xception[.:] |Exception in thread "[^"]{1,80}" |Caused by: |PHP Fatal error: {1,2}(?:Uncaught )?|panic: |(?:[\d/]{10} [\d:]{8} )?http: panic serving \S{1,60}: |fatal error: (?!.{1,200}(?:No such file|file not found))|thread '[^']{1,80}' (?:\(\d{1,9}\) )?panicked at |\S{1,200}\.rb:\d{1,7}:in .{1,80}: (?=.{1,200} \(\w[\w:]{0,80}\)$))(?<said>.{1,300})|(?<raised>(?:[\w.:]{0,80}(?:Error|Exception)\b|[A-Z]\w{0,60}::[A-Z][\w:]{1,80}(?=: ))(?: \[\w{1,60}\])?: .{1,300}))/;
const place =
  /(?<![\w./-])(?:file:\/\/)?(\/?[\w@+-][\w.@/+-]{0,200}\.(?:[cm]?[jt]sx?|go|java|kt|rb|php|cs|rs|exs?))(?::line |[:(])(\d{1,7})/;
const packaged =
  /\/node_modules\/(?!\.)((?:@[\w.-]{1,60}\/)?[\w.-]{1,60})\/|\/(?:vendor|gems)\/([a-z][\w-]{0,60}?)(?:-\d[\w.-]{0,40})?\/|\/(?:go\/pkg\/mod|\.cargo\/registry\/src)\/(?:[\w.-]{1,80}\/)*?([\w.-]{1,60}?)(?:@v|-\d)|\borg\.(springframework|apache|hibernate)\b|^\s+at ((?:Microsoft|System)\.\w{1,60})|^\s+\((phoenix|ecto|plug|postgrex)\w{0,20} \d/;
const foreign =
  /node_modules|node:|\/usr\/(?:local\/)?(?:go|lib)\/|\/(?:vendor|gems|rustc|\.cargo)\/|\b(?:java\.base|org\.springframework|org\.apache|sun\.|jdk\.)|\bat (?:java|javax|kotlin|scala|Microsoft|System)\.|^\s+\((?:elixir|mix|stdlib|kernel|logger|eex|phoenix|ecto|plug|postgrex|db_connection)\w{0,20} \d|(?:\(|\bat )(?:internal\/|(?:vm|module|events|util|net|fs|timers|child_process|bootstrap_node|node|_\w+)\.js:)/;

/** The last one. A name alone is one only with the lines of its stack. */
export function findUncaught(lines: readonly string[]): Uncaught | undefined {
  const at = lines.findLastIndex((text, index) => {
    const { said, raised } = uncaught.exec(text)?.groups ?? {};
    return said !== undefined || (raised !== undefined && lines.slice(index + 1, index + 5).some(isFrame));
  });
  const { said, raised } = uncaught.exec(lines[at] ?? '')?.groups ?? {};
  // Elixir has the name of an exception in parentheses.
  const error = said?.endsWith(':') ? lines[at + 1] : (said ?? raised)?.replace(/^([\w.]{1,80})\) /, '$1: ');
  const frames = lines.slice(at, at + 40);
  return error === undefined ? undefined : { at, error: [error, ...causeIn(frames)].join('; '), ...placeIn(frames) };
}

/** What Node says below an error that followed from another one. */
const causeIn = (frames: readonly string[]) =>
  frames.flatMap((text) => groupsOf(/^\s+\[cause\]: (.{1,300})/, text).slice(1)).slice(-1);

/** A function of .NET, whose stacks have no files. */
const called = /^\s+at ((?:[\w$<>`]{1,80}\.){1,12}[\w$<>`]{1,80})\([^():]{0,200}\)$/;

/** The first line of the app in a stack, and the package above it. */
function placeIn(frames: readonly string[]): Pick<Uncaught, 'place' | 'owner'> {
  const ownFrame = frames.findIndex((text) => (place.test(text) || called.test(text)) && !foreign.test(text));
  const above = frames
    .slice(0, ownFrame < 0 ? undefined : ownFrame)
    .flatMap((text) => groupsOf(packaged, text).slice(1));
  const [, file, line] = groupsOf(place, frames[ownFrame]);
  return {
    owner: above.find((name) => name !== undefined),
    place: file === undefined ? groupsOf(called, frames[ownFrame])[1]?.concat('()') : `${withoutFolder(file)}:${line}`,
  };
}

function isFrame(text: string): boolean {
  return /^\s+(?:at |from )|^\t|^\/?\S{1,200}\.rb:\d{1,7}:in /.test(text);
}

function withoutFolder(file: string): string {
  return file.replace(/^\/(?:cortex|app|code|src|workspace)\//, '');
}

/** The file that was named last, by Python or by a compiler: of a message, and of a few lines above it. */
export function lastFile(lines: readonly string[]): string | undefined {
  // One that Python cannot read has no function. Other frames may be printed below it by another thread.
  const unread = lines.findLast((text) => /^\s+File "[^"]{1,300}", line \d{1,7}$/.test(text));
  if (unread !== undefined) return framesOf([unread])[0]?.file;
  const named = lines
    .slice(-6)
    .flatMap((text) =>
      groupsOf(
        /^\s+File "([^"]{1,300})"|^(?:\[ERROR\] |\s{0,8}--> |file:\/\/)?([\w./@+-]{1,200}\.\w{1,6})[:(]\d/,
        text,
      ),
    );
  return named.findLast((file, at) => file !== undefined && at % 3 > 0);
}

/** Whether a file is of a language or of an installed package. */
export function isForeignFile(file = ''): boolean {
  return foreignPlace.test(file);
}

/** Places of Python, of its console scripts, and of packages; those of Go and Rust beside. */
const foreignPlace =
  /^<|(?:^|\/)(?:(?:site|dist)-packages|node_modules)\/|\/lib\/python\d|\/(?:usr|opt)\/(?:local\/)?bin\/|\/bin\/[\w-]+$|\/go\/pkg\/mod\/|\/go\/src\/[\w-]+\.\w+\/|\/\.?cargo\/registry\//;
