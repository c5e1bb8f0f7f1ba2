import type { Command } from '../command.ts';
import { targetText } from '../config/target.ts';
import type { Context } from '../context.ts';

/** Names the target of a command that changes something there, before anything else is printed. */
export function nameTarget(command: Command, context: Context, inputs: readonly unknown[]): void {
  if (command.local || command.onlyReads(...inputs)) return;
  const { target, progress } = context;
  // Without a project the command fails, unless it needs none.
  if (target.project.value !== undefined) progress.note(`project ${targetText(target)}`);
}
