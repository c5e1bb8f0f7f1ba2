import { resolve } from 'node:path';
import { type CommandLine, sentence } from '../../kernel/command-line.ts';
import { type ErrorFacts, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { tryRequest } from '../../platform/waiting/index.ts';

/**
 * The name of the app in this folder. Throws UsageError if its config file names none; `withApp` makes a command line
 * that names one.
 */
export async function readAppHere(
  context: Context,
  configFile: string,
  withApp?: (name: string) => Promise<CommandLine>,
): Promise<string> {
  // Only for a command that names no app.
  const { readAppName } = await import('../../app/read-app-name.ts');
  const found = await readAppName(resolve(context.cwd, configFile), configFile);
  if (typeof found === 'string') return found;
  const { severity: _, message, ...facts } = found ?? { message: `there is no ${configFile}` };
  throw new UsageError(`no app in this folder: ${message}`, {
    ...facts,
    ...(withApp && !found && (await nameAnother(context, withApp))),
  });
}

/** The app that `--app .` means. Throws UsageError where the name itself is wanted, with the line that has it. */
export async function readNamedAppHere(context: Context, isNameWanted: boolean): Promise<string> {
  const app = await readAppHere(context, 'cerebrium.toml');
  if (!isNameWanted) return app;
  throw new UsageError('a command that overwrites or removes something needs the name of the app, not "."', {
    corrected: { typed: '.', meant: app },
  });
}

/** The apps that could be meant. */
async function nameAnother(
  context: Context,
  withApp: (name: string) => Promise<CommandLine>,
): Promise<Pick<ErrorFacts, 'fix' | 'why'>> {
  const apps = await tryRequest(context, (api) => api(listApps, { project: context.project }));
  const names = (apps ?? []).map(({ id, name }) => name ?? shortAppName(context.project, id));
  const [first = 'APP'] = names;
  return {
    fix: sentence`name the app: ${await withApp(first)}`,
    ...(names.length > 1 && {
      why: `${context.project} has ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`,
    }),
  };
}
