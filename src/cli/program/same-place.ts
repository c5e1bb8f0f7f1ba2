import { type ChangeCommand, CommandLine, withCommands } from '../../kernel/command-line.ts';
import { type GantryError, ProjectError } from '../../kernel/errors.ts';
import { readTypedCommand } from './typed-command.ts';

/**
 * A command with the flags that say where this line worked: project, profile, region and folder. Another `run` of a file
 * has all that stood before the file. Its own stay.
 */
export function inSamePlace(argv: readonly string[], line: readonly string[]): readonly string[] {
  if (argv[0] !== 'gantry' || argv[1] === 'help') return argv;
  const { selection, beforeFile, flagsAt } = readTypedCommand(argv.slice(1));
  const here = readTypedCommand(line);
  const ownFlags = [...selection, ...(beforeFile ?? [])].map(({ long = '' }) => long);
  // A project, a profile and an emulator choose the target together.
  const choosesTarget = ownFlags.some((name) => targets.includes(name));
  const kept = [...here.selection, ...((beforeFile && here.beforeFile) ?? [])];
  const missing = kept.filter((flag) => {
    const { long: name = '' } = flag;
    const isChosen = choosesTarget && targets.includes(name);
    return !ownFlags.includes(name) && !isChosen && !choices[argv[1] ?? '']?.includes(name);
  });
  return argv.toSpliced(flagsAt + 1, 0, ...missing.flatMap(({ words }) => words));
}

const targets = ['--project', '--profile', '--local'];
/** Commands that show what could have been meant instead. */
const choices: Readonly<Record<string, readonly string[]>> = {
  projects: ['--project'],
  config: targets,
  login: ['--local'],
};

export function placeBeside(line: readonly string[]): ChangeCommand {
  return ({ argv }) => new CommandLine(inSamePlace(argv, line));
}

/** The fix of an error, and those of the problems that it has. */
export function placeFix(error: GantryError, line: readonly string[]): void {
  if (error.facts.next) error.facts.next = placeBeside(line)(error.facts.next);
  for (const facts of [error.facts, ...(error instanceof ProjectError ? error.problems : [])]) {
    if (facts.fix !== undefined) facts.fix = withCommands(facts.fix, placeBeside(line));
  }
}
