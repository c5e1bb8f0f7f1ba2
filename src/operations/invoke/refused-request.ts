import { resolve } from 'node:path';
import { type CommandLine, gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import type { CallTarget } from './call-target.ts';

/** How to correct a request that the app has not run: its log has nothing to tell. Undefined for another status. */
export async function fixOfRequest(
  { cwd }: Context,
  { app, fn }: CallTarget,
  status: number,
): Promise<string | CommandLine | undefined> {
  if (status === 405) return 'leave --method out to call it with POST';
  if (status !== 422 || fn === undefined) return undefined;
  const [{ readAppName }, { sampleArguments, sampleCallOf }] = await Promise.all([
    import('../../project/read-app-name.ts'),
    import('../../project/sample-call.ts'),
  ]);
  const isHere = (await readAppName(resolve(cwd, 'cerebrium.toml'), 'cerebrium.toml')) === app;
  const sample = isHere ? await sampleCallOf(cwd, fn) : undefined;
  if (!sample) return `pass the parameters of ${fn}: name=text, or name:=json`;
  return gantryCommand`invoke ${app} ${sampleArguments(sample)}`;
}
