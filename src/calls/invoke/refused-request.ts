import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import type { Context } from '../../platform/context.ts';
import type { CallTarget } from './call-target.ts';

/** How to correct a request that the app has not run: its log has nothing to tell. Undefined for another status. */
export async function fixOfRequest(
  context: Context,
  { app, fn }: CallTarget,
  status: number,
): Promise<string | CommandLine | undefined> {
  if (status === 405) return 'leave --method out to call it with POST';
  if (status !== 422 || fn === undefined) return undefined;
  return (await callOf(context, app, fn)) ?? `pass the parameters of ${fn}: name=text, or name:=json`;
}

/** How to correct a call of a function that the deployed app does not have, if it is the app of this folder. */
export async function fixOfFunction(
  context: Context,
  { app, fn }: Pick<CallTarget, 'app' | 'fn'>,
): Promise<CommandLine | undefined> {
  const isInCode = fn !== undefined && (await callOf(context, app, fn)) !== undefined;
  return isInCode ? gantryCommand`deploy` : callOf(context, app);
}

/** A call of a function, or of the first one, as the code in this folder has it; undefined for another app. */
async function callOf({ cwd }: Context, app: string, fn?: string): Promise<CommandLine | undefined> {
  const { sampleInvocation } = await import('../../app/sample-call.ts');
  return sampleInvocation(cwd, app, fn);
}
