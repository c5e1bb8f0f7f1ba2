import type { Command as Commander } from 'commander';
import { arrangeCommand } from '../../kernel/command-line.ts';
import { withFlags } from './next-after-error.ts';
import { inSamePlace } from './same-place.ts';

/** A command that usually follows, as in `builds get <app> <build>`: names in brackets stand for values. */
interface Usual {
  line: string;
  /** What it is for. */
  when: string;
}

/** The fields of a result, and the arguments of the command by their names. */
type Facts = Readonly<Record<string, unknown>>;

interface NextArguments {
  argv: readonly string[];
  when: string;
}

/**
 * The commands that usually follow the command that was called with these inputs, as `line`, with the values of its
 * result. What needs a value that is not known is omitted.
 */
export function usualNextOf(
  called: Commander,
  inputs: readonly unknown[],
  document: { id?: unknown; dryRun?: unknown; changed?: unknown },
  line: readonly string[],
  unasked: readonly string[],
): NextArguments[] {
  if (document.dryRun === true) return document.changed === false ? [] : [afterDryRun(line, unasked)];
  const group = called.parent?.parent ? called.parent.name() : '';
  const command = [group, called.name()].filter(Boolean).join(' ');
  const named = called.registeredArguments.map((argument, at) => [argument.name(), inputs[at]]);
  // `id` of `builds get` is that of a build.
  const facts: Facts = {
    [group.replace(/s$/, '')]: document.id,
    ...withoutAbsent(Object.fromEntries(named)),
    ...document,
  };
  return (usualCommands[command] ?? []).flatMap((usual) => {
    const argv = fill(usual.line, facts);
    return argv ? [{ argv: inSamePlace(argv, line), when: usual.when }] : [];
  });
}

function withoutAbsent(values: Facts): Facts {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The command line of a dry run without `--dry-run`, with the answers to what it would ask. */
function afterDryRun(line: readonly string[], unasked: readonly string[]): NextArguments {
  return {
    argv: withFlags(
      line.filter((word) => word !== '--dry-run'),
      unasked,
    ),
    when: 'to do it',
  };
}

function fill(line: string, facts: Facts): readonly string[] | undefined {
  const words = line.split(' ').map((text) => {
    const [, name] = /^<(.+)>$/.exec(text) ?? [];
    if (name === undefined) return { text };
    const value = facts[name];
    return typeof value === 'string' && value !== '' ? { text: value, isValue: true } : undefined;
  });
  return words.every((word) => word !== undefined) ? arrangeCommand(words).argv : undefined;
}

/** After `init` and `login`: what a person would not know yet. `deploy` declares its own (`next` in src/cli/command.ts). */
export const usualCommands: Readonly<Record<string, readonly Usual[]>> = {
  init: [
    { line: 'dev <folder>', when: 'to run it on this machine' },
    { line: 'deploy -C <folder>', when: 'to deploy it' },
  ],
  login: [{ line: 'apps list', when: 'to see the apps of the project' }],
};
