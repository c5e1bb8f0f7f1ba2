import { asTyped, type ChangeCommand, CommandLine, Sentence, withCommands } from '../../kernel/command-line.ts';
import { GantryError, ProjectError } from '../../kernel/errors.ts';
import { DryRunEnd } from './run-state.ts';
import { isPythonFile, readTypedCommand } from './typed-command.ts';

const longNames: Readonly<Record<string, string>> = { '-p': '--project', '-C': '--cwd' };

/**
 * A command with the flags that say where this line worked: project, profile, region and folder. Another `run` of a file
 * has all that stood before the file. Its own stay.
 */
export function inSamePlace(argv: readonly string[], line: readonly string[]): readonly string[] {
  if (argv[0] !== 'gantry' || argv[1] === 'help') return argv;
  const typed = keptOf(argv.slice(1));
  const own = typed.map(nameOf);
  // A project, a profile and an emulator choose the target together.
  const choosesTarget = own.some((name) => targets.includes(name));
  const kept = beforeFile(argv.slice(1)) === undefined ? readTypedCommand(line).selection : keptOf(line);
  const missing = kept.filter((flag) => {
    const name = nameOf(flag);
    const isChosen = choosesTarget && targets.includes(name);
    return !own.includes(name) && !isChosen && !choices[argv[1] ?? '']?.includes(name);
  });
  const at = placeOf(argv);
  return [...argv.slice(0, at), ...missing.flat(), ...argv.slice(at)];
}

function keptOf(line: readonly string[]): (readonly string[])[] {
  const { selection } = readTypedCommand(line);
  const names = selection.map(nameOf);
  return [...selection, ...(beforeFile(line) ?? []).filter((flag) => !names.includes(nameOf(flag)))];
}

/** The flags between `run` and its file, each with its value; undefined for any other line. */
function beforeFile(line: readonly string[]): string[][] | undefined {
  const start = line.indexOf('run') + 1;
  const file = line.findIndex((word, at) => at >= start && isPythonFile(word));
  if (readTypedCommand(line).path[0] !== 'run' || file < 0) return undefined;
  const words = line.slice(start, file).map(asTyped);
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    if (!/^-./.test(word) || word === '--') return [];
    return [next === undefined || next.startsWith('-') ? [word] : [word, next]];
  });
}

const targets = ['--project', '--profile', '--local'];
/** Commands that show what could have been meant instead. */
const choices: Readonly<Record<string, readonly string[]>> = {
  projects: ['--project'],
  config: targets,
  login: ['--local'],
};

/** What follows the file of `gantry run`, or `--`, belongs to another program. */
function placeOf(argv: readonly string[]): number {
  if (argv[1] === 'run') return 2;
  return argv.includes('--') ? argv.indexOf('--') : argv.length;
}

/** With these flags of the line that was typed, each with its value. */
export function withTyped({ argv }: CommandLine, line: readonly string[], names: readonly string[] = []): CommandLine {
  const kept = line.slice(0, placeOf(line)).flatMap((word, at) => {
    if (!names.includes(nameOf([word]))) return [];
    return word.includes('=') ? [word] : line.slice(at, at + 2);
  });
  const end = placeOf(argv);
  return new CommandLine([...argv.slice(0, end), ...kept, ...argv.slice(end)]);
}

export function placeBeside(line: readonly string[]): ChangeCommand {
  if (keptOf(line).length === 0) return asItIs;
  return ({ argv }) => new CommandLine(inSamePlace(argv, line));
}

const asItIs: ChangeCommand = (command) => command;

/** A result with its commands changed; the same object if it has none, since others may know it by that. */
export function placeResult<Value>(value: Value, inPlace: ChangeCommand): Value {
  if (inPlace === asItIs) return value;
  if (value instanceof DryRunEnd) return new DryRunEnd(value.changes, placeResult(value.result, inPlace)) as Value;
  if (value instanceof CommandLine || value instanceof Sentence) return withCommands(value, inPlace) as Value;
  if (Array.isArray(value)) {
    const placed = value.map((each) => placeResult(each, inPlace));
    return placed.some((each, at) => !Object.is(each, value[at])) ? (placed as Value) : value;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const changed = Object.entries(value).flatMap(([name, each]) => {
    const placed = placeResult(each, inPlace);
    return Object.is(placed, each) ? [] : [[name, placed] as const];
  });
  return changed.length > 0 ? { ...value, ...Object.fromEntries(changed) } : value;
}

/** The fix of an error, and those of the problems that it has. */
export function placeFix(error: unknown, line: readonly string[]): void {
  if (!(error instanceof GantryError)) return;
  if (error.facts.next) error.facts.next = placeBeside(line)(error.facts.next);
  for (const shown of [error.facts, ...(error instanceof ProjectError ? error.problems : [])]) {
    if (shown.fix !== undefined) shown.fix = withCommands(shown.fix, placeBeside(line));
  }
}

function nameOf([word = '']: readonly string[]): string {
  const [name = ''] = word.split('=', 1);
  return longNames[name] ?? name;
}
