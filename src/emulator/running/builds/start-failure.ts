import type { AppPython } from '../processes/app-python.ts';

/**
 * Why an app did not start, for its developer: the error, and the app's own part of the last traceback. Without one, the
 * last lines that it printed.
 */
export function describeStartFailure({ message }: Error, printed: readonly string[], setup: AppSetup): string {
  const trace = lastTraceback(printed);
  const excerpt = trace ?? printed.filter((line) => line.trim() !== '').slice(-maxTailLines);
  // A syntax error's message also has its place: `invalid syntax (main.py, line 1)`.
  const isRepeated = trace?.some((line) => message === line || message.startsWith(`${line} (`));
  const text = [...(isRepeated ? [] : [message]), ...excerpt].join('\n');
  return [text, ...missingPackageHint(text, setup), ...otherPythonHint(text, setup)].join('\n');
}

interface AppSetup {
  /** Whether packages are installed for apps (`--install`). */
  installs: boolean;
  /** Undefined for an image, which has its own. */
  python: AppPython | undefined;
}

const maxTailLines = 8;
const maxFrameLines = 24;
/** A validation error may list every field. */
const maxMessageLines = 8;

const header = /^Traceback \(most recent call last\):/;
const frame = /^\s+File "(.*)", line \d+/;

/** Undefined if Python printed none. A syntax error has no header, only the place. */
function lastTraceback(lines: readonly string[]): string[] | undefined {
  const lastFrame = lines.findLastIndex((line) => frame.test(line));
  if (lastFrame < 0) return undefined;
  const messageAt = lines.findIndex((line, index) => index > lastFrame && /^\S/.test(line));
  if (messageAt < 0) return undefined;
  const firstAt = lines.findLastIndex((line, index) => index < lastFrame && !/^\s/.test(line)) + 1;
  const own = ownFrames(lines.slice(firstAt, messageAt));
  const rest = lines.slice(messageAt, messageAt + maxMessageLines);
  const title = header.test(lines[firstAt - 1] ?? '') ? lines.slice(firstAt - 1, firstAt) : [];
  return [...title, ...own.slice(-maxFrameLines), ...rest];
}

/** The frames in files of the app, whose paths are relative; all frames if none is. */
function ownFrames(lines: readonly string[]): string[] {
  let isOwn = false;
  const own = lines.filter((line) => {
    const [, file] = frame.exec(line) ?? [];
    if (file !== undefined) isOwn = !/^([/\\<]|\w:\\)/.test(file);
    return isOwn;
  });
  return own.length > 0 ? own : [...lines];
}

/**
 * The flag that installs what is missing, or where to list it. What was not sent is not known here, nor is what an image has.
 */
function missingPackageHint(text: string, { installs, python }: AppSetup): string[] {
  if (!python) return [];
  const [, module, program] =
    /ModuleNotFoundError: No module named '([\w.]+)'|its entrypoint failed to start: (\S+) not found/.exec(text) ?? [];
  if (module === undefined && program === undefined) return [];
  const name = module?.split('.')[0] ?? program;
  if (installs) {
    const own = module === undefined ? '' : ', or send the file if it is yours (include, exclude)';
    return [`hint: list the package of ${name} in [cerebrium.dependencies.pip]${own}`];
  }
  return [
    `hint: the emulator installs packages only with --install (gantry dev --install, gantry emulator start --install)`,
  ];
}

/** Code for one version of Python may be wrong in another. */
function otherPythonHint(text: string, { python }: AppSetup): string[] {
  const isAffected = /(?:Syntax|Indentation|Import|ModuleNotFound|Attribute|Type|Name)Error: /.test(text);
  return python?.differs !== undefined && isAffected ? [`hint: the app ran with ${python.differs}`] : [];
}
