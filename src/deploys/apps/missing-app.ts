import { sampleCallOf } from '../../app/sample-call.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { tryRequest } from '../../platform/waiting/index.ts';

/** How an app was named: in the words of the command line, or by the config file of this folder. */
export interface NamedApp {
  app: string;
  isHere: boolean;
  /** The command line with another app. */
  withApp: (name: string) => Promise<CommandLine>;
  /** The command line with the app of this folder before the name, which may be that of a function. */
  asFunction?: (() => Promise<CommandLine>) | undefined;
}

/**
 * What a 404 is about if the project has no such app: says so, with the most similar name. The error itself if the app
 * is there, or if that cannot be told.
 */
export async function explainMissingApp(
  context: Context,
  error: NotFoundError,
  { app, isHere, withApp, asFunction }: NamedApp,
): Promise<NotFoundError> {
  const { project } = context;
  const apps = await tryRequest(context, (api) => api(listApps, { project, query: { includeEphemeral: true } }));
  const names = apps?.map(({ id, name }) => name ?? shortAppName(project, id));
  const typed = shortAppName(project, app);
  if (!names || names.includes(typed)) return error;
  const meant = closestName(typed, names);
  const { status, requestId, details } = error.facts;
  const facts = {
    ...(status && { status }),
    ...(requestId && { requestId }),
    details: { ...details, app: typed, apps: names },
  };
  if (isHere) {
    const message = `app ${typed} of this folder is not deployed to ${project}`;
    return new NotFoundError(message, { ...facts, fix: gantryCommand`deploy` });
  }
  const message = `app ${typed} not found in ${project}`;
  if (asFunction && (await sampleCallOf(context.cwd, typed))) {
    const why = `${typed} is a function of the app in this folder`;
    return new NotFoundError(message, { ...facts, why, fix: await asFunction() });
  }
  if (meant) return new NotFoundError(`${message}: did you mean ${meant}?`, { ...facts, fix: await withApp(meant) });
  const why = names.length === 0 ? { why: 'the project has no apps' } : {};
  return new NotFoundError(message, { ...facts, ...why, fix: gantryCommand`apps list` });
}
