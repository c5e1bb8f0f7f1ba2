import { posix } from 'node:path';
import { withArguments } from '../../app/dockerfile.ts';
import { compileGlob } from '../../app/files/glob.ts';
import type { ImageState } from '../../app/image-stage.ts';
import { type ShellCommand, shellLines } from '../../app/shell.ts';
import { groupsOf } from '../../kernel/groups.ts';
import type { CausePlace } from './seen-cause.ts';

/** A command that is started: in a folder of the image, with variables. */
export interface StartedCommand extends ShellCommand {
  at: CausePlace | undefined;
  before: ImageState;
  cwd: string;
  environment: ReadonlyMap<string, string>;
}

/** A script of a shell, the file that has it if there is one, and the words that it is given. */
interface Script {
  file?: string | undefined;
  text: string;
  rest: readonly string[];
}

/** The commands of a script that a command starts, with the folder and the variables that each finds. */
export function commandsOf({ file, text, rest }: Script, from: StartedCommand): StartedCommand[] {
  const commands: StartedCommand[] = [];
  const environment = new Map(from.environment);
  // What is not exported is known to the shell only.
  const shellOnly = new Map<string, string>();
  let { cwd } = from;
  for (const { words, line, assigned } of shellLines(withChosenArm(text, rest[0]))) {
    const [program, folder = '$'] = words;
    if (program === 'cd' && !folder.includes('$')) cwd = posix.resolve(cwd, folder);
    if (words.length === 0) {
      setBy(assigned, environment, shellOnly);
      continue;
    }
    const [, variable = '', value = shellOnly.get(variable)] = groupsOf(/^export (\w+)(?:=(.*))?$/, words.join(' '));
    if (value !== undefined) environment.set(variable, value);
    commands.push({
      ...from,
      ...(file !== undefined && { line, at: { file, line } }),
      words: expandWords(words, rest, new Map([...shellOnly, ...environment])),
      cwd,
      environment: new Map([...environment, ...assigned]),
    });
  }
  return commands;
}

/** Sets variables of the shell; those of the environment stay there. */
function setBy(
  assigned: readonly (readonly [name: string, value: string])[],
  environment: Map<string, string>,
  own: Map<string, string>,
): void {
  for (const [name, value] of assigned) (environment.has(name) ? environment : own).set(name, value);
}

/** Only the commands of the arm of `case "$1" in` that the first word chooses; the lines keep their numbers. */
const withChosenArm = (text: string, first = '') =>
  text.replace(
    /(\bcase\s+"?\$\{?1\b[^\n]*?\bin\b)([\s\S]*?)(\n\s*esac\b)/g,
    (_, start: string, arms: string, end: string) => {
      const armTexts = arms.split(';;');
      const patterns = armTexts.map((arm) => /^\s*(?:#[^\n]*\n\s*)*\(?([^()\n]+)\)/.exec(arm)?.[1]?.split('|') ?? []);
      const isFor = (pattern: string) => compileGlob(pattern.trim().replace(/^["']|["']$/g, ''))?.matches(first);
      const chosen = patterns.findIndex((each) => each.some(isFor));
      const kept = armTexts.map((arm, at) =>
        at === chosen ? arm.replace(/^(\s*)\(?[^()\n]+\)/, '$1') : arm.replace(/[^\n]/g, ''),
      );
      return start.replace(/\S/g, '') + kept.join('') + end.replace(/\S/g, '');
    },
  );

const expandWords = (words: readonly string[], given: readonly string[], values: ReadonlyMap<string, string>) =>
  words.flatMap((word) => (word === '$@' ? given : withArguments(word, values)));
