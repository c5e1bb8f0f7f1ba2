import { CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { isCi } from '../../kernel/environment.ts';
import { ConflictError } from '../../kernel/errors.ts';
import {
  type FolderTarget,
  folderTargetText,
  isSameTarget,
  readFolderTarget,
} from '../../platform/config/folder-target.ts';
import { targetOrigin, targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import type { Command } from '../command.ts';
import { withFlags } from './typed-command.ts';

/**
 * Names the target of a command that changes something there, before anything else is printed. If the last deploy from
 * this folder went elsewhere and the target is not typed on this line, asks; where nobody can answer, throws
 * ConflictError. A command that reads there only notes it.
 */
export async function approveTarget(
  command: Command,
  context: Context,
  inputs: readonly unknown[],
  argv: readonly string[],
): Promise<void> {
  if (command.local) return;
  const { progress, flags } = context;
  await nameTarget(command, context, inputs, argv);
  const { isStarted, unused } = flags.local ?? {};
  if (unused !== undefined) {
    progress.note(
      sentence`the last deploy from this folder went there; ${gantryCommand`config profiles use ${unused} --here`} uses your login instead`,
    );
  }
  if (!isStarted) return;
  progress.note(
    flags.dryRun
      ? 'started the emulator of this folder until the end of this command'
      : sentence`started the emulator of this folder; ${gantryCommand`emulator stop`} ends it`,
  );
}

async function nameTarget(command: Command, context: Context, inputs: readonly unknown[], argv: readonly string[]) {
  const { target, progress, prompt, settings, cwd, flags } = context;
  // Without a project the command fails, unless it needs none.
  if (target.project.value === undefined) return;
  const text = `project ${targetText(target)}`;
  const last = readFolderTarget(settings.folders, cwd);
  const other = last && !isSameTarget(last, target) && !isTyped(flags) ? last : undefined;
  const bothText = other ? `${text}; the last deploy from this folder went to ${folderTargetText(other)}` : text;
  if (command.onlyReads(...inputs)) {
    if (other || flags.local?.unused !== undefined) progress.note(bothText);
    return;
  }
  // In a pipeline a variable is what somebody has written down for this step.
  const isSetHere = isCi(context.env) && target.project.origin.startsWith('environment');
  progress.note(isSetHere ? bothText : text);
  if (!other || isSetHere) return;
  if (!prompt.isPossible && !prompt.isConfirmed) throw otherTarget(other, context, argv);
  await prompt.confirm(
    `The last deploy from this folder went to ${folderTargetText(other)}. Use ${targetText(target)}?`,
  );
}

function isTyped({ project, profile, local }: Context['flags']): boolean {
  return project !== undefined || profile !== undefined || local?.origin === 'flag';
}

function otherTarget(last: FolderTarget, { target }: Context, argv: readonly string[]): ConflictError {
  const { project, platform } = last;
  const otherwise =
    last.flags.length > 0 ? `type ${new CommandLine(withFlags(argv, last.flags))}` : variablesOf(last, target);
  const lastText = folderTargetText(last);
  return new ConflictError(`the last deploy from this folder went to ${lastText}, not ${targetText(target)}`, {
    why: `the target comes from: ${targetOrigin(target)}; this command line does not name it`,
    fix: `to use ${targetText(target)}, type ${new CommandLine(withFlags(argv, ['--yes']))}; for ${lastText}, ${otherwise}`,
    details: { last: { project, platform }, project: target.project.value, platform: target.platform.value },
  });
}

/** What sets the variables that led to a target: those that differ now. */
function variablesOf({ platform, address, project }: FolderTarget, now: Context['target']): string {
  if (platform === now.platform.value && address === now.address) return `set GANTRY_PROJECT to ${project}`;
  const isEmulator = platform === 'emulator';
  return isEmulator
    ? `run eval "$(gantry emulator env --port ${new URL(address).port})"`
    : `set GANTRY_API_URL to ${address}`;
}
