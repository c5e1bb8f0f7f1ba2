import { type ChangeCommand, CommandLine, Sentence, withCommands } from '../../kernel/command-line.ts';
import { GantryError, ProjectError } from '../../kernel/errors.ts';
import { DryRunEnd } from './run-state.ts';
import { readTypedCommand } from './typed-command.ts';

const longNames: Readonly<Record<string, string>> = { '-p': '--project', '-C': '--cwd' };

/** A command with the flags that say where this line worked: project, profile, region and folder. Its own stay. */
export function inSamePlace(argv: readonly string[], line: readonly string[]): readonly string[] {
  if (argv[0] !== 'gantry' || argv[1] === 'help') return argv;
  const own = readTypedCommand(argv.slice(1)).selection.map(nameOf);
  // A project, a profile and an emulator choose the target together.
  const choosesTarget = own.some((name) => targets.includes(name));
  const missing = readTypedCommand(line).selection.filter((flag) => {
    const name = nameOf(flag);
    const isChosen = choosesTarget && targets.includes(name);
    return !own.includes(name) && !isChosen && !choices[argv[1] ?? '']?.includes(name);
  });
  const at = placeOf(argv);
  return [...argv.slice(0, at), ...missing.flat(), ...argv.slice(at)];
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

export function placeBeside(line: readonly string[]): ChangeCommand {
  if (readTypedCommand(line).selection.length === 0) return asItIs;
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
