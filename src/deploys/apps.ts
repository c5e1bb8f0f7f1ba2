import { basename, resolve } from 'node:path';
import { sampleCallOf } from '../app/sample-call.ts';
import { closestName } from '../kernel/closest-name.ts';
import { type CommandLine, gantryCommand, sentence } from '../kernel/command-line.ts';
import { readVariable } from '../kernel/environment.ts';
import {
  type ErrorFacts,
  FailedError,
  NotFoundError,
  PendingError,
  ProjectError,
  UsageError,
} from '../kernel/errors.ts';
import { count, roundCents } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { type App, deleteApp, listApps, scaleApp } from '../platform/contract/apps.ts';
import { shortAppName, toAppId, toPathSegment } from '../platform/contract/endpoint.ts';
import { unreadableItems } from '../platform/contract/lists.ts';
import { fetchApp } from '../platform/replies/index.ts';
import {
  isRefusal,
  readEvidence,
  type Shown,
  tryRequest,
  unconfirmedError,
  unless,
  waitForChange,
  warnUnconfirmed,
} from '../platform/waiting/index.ts';
import { forgetArchives } from './archives/index.ts';
import { recordEvent, recordLook } from './history/index.ts';

/** The URL of a project, an app or a build in the dashboard (docs/platform.md#dashboard). */
export function dashboardUrl({ env, project, settings }: Context, app?: string, build?: string): string {
  const names = ['projects', toPathSegment(project, 'project')];
  if (app !== undefined) names.push('apps', toAppId(project, toPathSegment(app, 'app')));
  if (build !== undefined) names.push('builds', toPathSegment(build, 'build'));
  const { value, origin: from } = settings.addresses.management;
  // The platform's own dashboard has a host of its own. Another platform, such as the emulator, has one for everything.
  const isOwn = from === 'default' || new URL(value).host.endsWith('.cerebrium.ai');
  const url = new URL(`/${names.join('/')}`, isOwn ? 'https://dashboard.cerebrium.ai' : value);
  const chosen = readVariable(env, 'GANTRY_DASHBOARD_URL');
  if (chosen === undefined || !URL.canParse(chosen)) return url.href;
  // The emulator shows its dashboard only to who knows the key in the query.
  const { origin, search } = new URL(chosen);
  return `${origin}${url.pathname}${search}`;
}

/**
 * The name of the app in this folder, if it has a config file. Throws UsageError if a file that was named is missing. Why
 * one cannot be read is a warning, or what it throws where something needs an app (`isNeeded`).
 */
export async function findAppHere(context: Context, configFile: string, isNeeded = false): Promise<string | undefined> {
  const name = await readName(context, configFile, isNeeded);
  if (name !== undefined || basename(configFile) === 'cerebrium.toml') return name;
  throw noAppHere(configFile, { fix: 'correct the name of the file, or name the app' });
}

/**
 * The name of the app in this folder. UsageError without a config file, ProjectError for one that cannot be read, as in a
 * deploy. `withApp`: a command line that names an app.
 */
export async function readAppHere(
  context: Context,
  configFile: string,
  withApp?: (name: string) => Promise<CommandLine>,
): Promise<string> {
  const name = await readName(context, configFile, true);
  if (name !== undefined) return name;
  throw noAppHere(configFile, withApp && (await nameAnother(context, withApp)));
}

async function readName(context: Context, configFile: string, isNeeded: boolean): Promise<string | undefined> {
  // Only for a command that names no app.
  const { ignoredFile, readAppName } = await import('../app/read-app-name.ts');
  const appName = await readAppName(resolve(context.cwd, configFile), configFile);
  if (typeof appName !== 'object') return appName;
  if (isNeeded) throw new ProjectError(appName.message, [appName]);
  context.progress.warn(ignoredFile(appName, configFile));
  return undefined;
}

function noAppHere(configFile: string, facts?: ErrorFacts): UsageError {
  return new UsageError(`no app in this folder: there is no ${configFile}`, facts);
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
async function nameAnother(context: Context, withApp: (name: string) => Promise<CommandLine>) {
  const names = (await findAppNames(context)) ?? [];
  const [only, second] = names;
  const listing = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
  return {
    fix: sentence`name the app: ${await withApp(only && !second ? only : 'APP')}`,
    why: second && `${context.project} has ${listing}`,
  };
}

/** The names of all apps of the project. Undefined if they cannot be listed. */
export async function findAppNames(context: Context, query = {}): Promise<string[] | undefined> {
  const { project } = context;
  const apps = await tryRequest(context, (api) => api(listApps, { project, query }));
  return apps?.map(({ id, name }) => name ?? shortAppName(project, id));
}

/** How an app was named: in the words of the command line, or by the config file of this folder. */
interface NamedApp {
  app: string;
  isHere: boolean;
  /** The command line with another app; of one that does more than read, the list of apps. */
  withApp: (name: string) => Promise<CommandLine>;
  /** The command line with the app of this folder before the name, which may be that of a function. */
  asFunction?: (() => Promise<CommandLine>) | undefined;
}

/** Where a 404 means that the project has no such app, an error that says so, with the most similar name. */
export async function explainMissingApp(
  context: Context,
  error: NotFoundError,
  { app, isHere, withApp, asFunction }: NamedApp,
): Promise<NotFoundError> {
  const { project } = context;
  const names = await findAppNames(context, { includeEphemeral: true });
  const typed = shortAppName(project, app);
  if (!names || names.includes(typed)) return error;
  // Those of runs are not in the list of apps.
  const apps = await findAppNames(context);
  const notFound = (message: string, fix: CommandLine, why?: string) => {
    const details = { ...error.facts.details, app: typed, apps };
    return new NotFoundError(message, { ...error.facts, why, fix, details });
  };
  if (isHere) return notFound(`app ${typed} of this folder is not deployed to ${project}`, gantryCommand`deploy`);
  const message = `app ${typed} not found in ${project}`;
  if (asFunction && (await sampleCallOf(context.cwd, typed))) {
    return notFound(message, await asFunction(), `${typed} is a function of the app in this folder`);
  }
  const meant = closestName(typed, names);
  if (meant) return notFound(`${message}: did you mean ${meant}?`, await withApp(meant));
  return notFound(message, gantryCommand`apps list`, names.length === 0 ? 'the project has no apps' : undefined);
}

/** Deletes an app after a confirmation by name. Throws as {@link deleteAppAndWait} does. */
export async function removeApp(context: Context, app: string, confirm: string | undefined) {
  const { api, project, prompt, willChange } = context;
  const mayNotLook = (error: unknown) => isRefusal(error) && !(error instanceof NotFoundError);
  const deployed = await unless(mayNotLook, fetchApp(api, { project, app }));
  const name = shortAppName(project, app);
  await prompt.confirmByName(`This permanently deletes ${name} and its builds.`, name, confirm, [app]);
  const result = { app: name, project, changed: true, confirmed: false };
  willChange(`delete app ${name} and its builds`, result);
  const confirmed = await deleteAppAndWait(context, name, { wasShown: deployed !== undefined });
  if (confirmed) {
    await recordEvent(context, name, 'deleted', {});
    await forgetArchives(context, name);
    await (await import('../calls/runs/index.ts')).forgetFailedCalls(context, name);
  }
  return { ...result, confirmed };
}

/** Waits until it is gone. Returns whether that is confirmed: false if nobody may look. */
export async function deleteAppAndWait(
  context: Pick<Context, 'api' | 'project' | 'delay' | 'progress'>,
  app: string,
  { wasShown }: { wasShown: boolean },
): Promise<boolean> {
  const { api, project, delay } = context;
  const notFound = await api(deleteApp, { project, app }).then(() => undefined, returnNotFound);
  const hasEnded = (now: Shown<string>) => 'refusal' in now || isDeleted(now.state);
  const evidence = await waitForChange(() => readStatus(context, app, wasShown), hasEnded, delay);
  if ('refusal' in evidence) {
    if (notFound || evidence.refusal instanceof NotFoundError) throw evidence.refusal;
    warnUnconfirmed(context, `${app} is deleted`, evidence.refusal);
    return false;
  }
  const status = evidence.state;
  if (isDeleted(status)) return true;
  if (notFound) throw notFound;
  throw new PendingError(`${app} is not deleted yet: its status is ${status}`, {
    why: 'the platform confirmed the deletion, but still shows the app',
    fix: gantryCommand`apps get ${app}`,
    details: { app, status },
  });
}

/** "deleted" only if the list of apps agrees: a 404 alone may be about the project, or about the address itself. */
async function readStatus(
  { api, project }: Pick<Context, 'api' | 'project'>,
  app: string,
  wasShown: boolean,
): Promise<Shown<string>> {
  const evidence = await readEvidence(() => fetchApp(api, { project, app }));
  if ('state' in evidence) return { state: evidence.state.status ?? 'unknown' };
  const isGone = evidence.refusal instanceof NotFoundError;
  if (wasShown && !isGone) throw unconfirmedError(`${app} is deleted`, evidence.refusal);
  if (!isGone) return evidence;
  const apps = await readEvidence(() => api(listApps, { project, query: { includeEphemeral: true } }));
  if ('refusal' in apps) return apps;
  const listed = apps.state.find(({ id }) => id === toAppId(project, app));
  if (listed) return { state: listed.status ?? 'unknown' };
  return unreadableItems(apps.state).length > 0 ? evidence : { state: 'deleted' };
}

export function returnNotFound(error: unknown): NotFoundError {
  if (error instanceof NotFoundError) return error;
  throw error;
}

function isDeleted(status: string): boolean {
  return /^deleted$/i.test(status);
}

/** Keys of cerebrium.toml, by the names of the platform. */
const keys = {
  minReplicaCount: 'scaling.min_replicas',
  maxReplicaCount: 'scaling.max_replicas',
  cooldownPeriodSeconds: 'scaling.cooldown',
  responseGracePeriodSeconds: 'scaling.response_grace_period',
} as const;

interface Change {
  field: keyof typeof keys;
  from: number | null;
  to: number;
}

/** Sends only what changes of the scaling, and returns the old values. Throws UsageError, NotFoundError. */
export async function changeScaling(
  context: Context,
  given: string,
  scaling: { [Field in keyof typeof keys]: number | undefined },
) {
  const { api, project, progress, willChange } = context;
  const app = shortAppName(project, given);
  const requested = Object.entries(scaling).flatMap(([field, to]): Omit<Change, 'from'>[] =>
    to === undefined ? [] : [{ field: field as Change['field'], to }],
  );
  if (requested.length === 0) throw new UsageError('nothing to change', { fix: gantryCommand`apps scale --help` });
  const before = await fetchApp(api, { project, app });
  await recordLook(context, app, before);
  const min = scaling.minReplicaCount ?? before.minReplicaCount;
  const max = scaling.maxReplicaCount ?? before.maxReplicaCount;
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw new UsageError(`the minimum of ${count(min, 'replica')} exceeds the maximum of ${max}`, {
      why: `${app} has ${before.minReplicaCount} to ${before.maxReplicaCount} now`,
      fix: gantryCommand`apps scale ${app} --min-replicas ${`${scaling.maxReplicaCount === undefined ? min : max}`} --max-replicas ${`${scaling.minReplicaCount === undefined ? max : min}`}`,
    });
  }
  const changes = requested
    .map(({ field, to }): Change => ({ field, from: before[field] ?? null, to }))
    .filter(({ from, to }) => from !== to);
  const settings = changes.map(({ field, from, to }) => ({ setting: keys[field], from, to }));
  const cost = { minCentsPerHour: hourlyCents(before, min), maxCentsPerHour: hourlyCents(before, max) };
  const result = { app, changed: changes.length > 0, resetByNextDeploy: changes.length > 0, ...cost, settings };
  if (!result.changed) {
    progress.note('nothing to change');
    return result;
  }
  const told = settings.map(
    ({ setting, from, to }) => `change ${setting} of ${app} from ${from ?? 'unknown'} to ${to}`,
  );
  willChange(told, result);
  const valuesOf = (side: 'from' | 'to') => Object.fromEntries(changes.map((change) => [change.field, change[side]]));
  await api(scaleApp, { project, app, body: valuesOf('to') });
  await verifyChanges(context, app, changes);
  await recordEvent(context, app, 'scaled', { before: valuesOf('from'), after: valuesOf('to') });
  progress.note('the next deploy resets these settings to those of cerebrium.toml');
  return result;
}

/** Null if the platform does not tell. */
function hourlyCents({ costPerSecondCents: price }: App, replicas: number | null | undefined): number | null {
  return typeof price === 'number' && typeof replicas === 'number' ? roundCents(price * 3_600 * replicas) : null;
}

/** Throws FailedError if the platform still shows other values. Settings that it does not show cannot be verified. */
async function verifyChanges({ api, project, progress, delay }: Context, app: string, changes: Change[]) {
  const differing = (state: App) =>
    changes.filter(({ field, to }) => typeof state[field] === 'number' && state[field] !== to);
  const read = () => fetchApp(api, { project, app });
  const after = await waitForChange(read, (state) => differing(state).length === 0, delay);
  const [first] = differing(after);
  if (first) {
    const { field, from, to } = first;
    const now = after[field] === from ? `still ${from}` : `${after[field]}`;
    throw new FailedError(`${keys[field]} of ${app} is ${now}, not ${to}`, {
      why: 'the platform confirmed the change, but does not show it',
      fix: gantryCommand`apps get ${app}`,
      details: { app, asked: Object.fromEntries(changes.map((change) => [keys[change.field], change.to])) },
    });
  }
  const hidden = changes.flatMap(({ field }) => (typeof after[field] === 'number' ? [] : [keys[field]]));
  if (hidden.length > 0) progress.warn(`not verified: the platform does not show ${hidden.join(', ')}`);
}
