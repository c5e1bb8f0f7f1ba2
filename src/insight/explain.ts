import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AppConfig, defaultAppConfig, readConfig } from '../app/config.ts';
import { readAppName } from '../app/read-app-name.ts';
import type { Explanation, FailureFacts } from '../causes/index.ts';
import { checkLocalApp, checkSecrets, trySecretsOf } from '../deploys/send/index.ts';
import { CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { defined } from '../kernel/json-text.ts';
import { once } from '../kernel/once.ts';
import { shortBuild, toMs } from '../kernel/output/format.ts';
import {
  choice,
  integer,
  list,
  locationShape,
  nullable,
  type ObjectOf,
  optional,
  orNull,
  text,
} from '../kernel/shape.ts';
import { readFolderTarget } from '../platform/config/folder-target.ts';
import type { Context } from '../platform/context.ts';
import { buildPhase, isCanceled } from '../platform/contract/builds.ts';
import { contextWith } from '../platform/waiting/index.ts';
import { findSubject, isReady, type Subject, type SubjectOptions, subjectFields } from './failed-work.ts';

export const explainedFields = {
  ...subjectFields,
  cause: nullable(text('id of the cause; unknown if no rule knows it, null if nothing shows one')),
  title: text('the cause in words'),
  evidence: orNull('what shows the cause', {
    source: choice(['log', 'reason', 'status', 'exit code'], 'where it was found'),
    line: nullable(integer('line of the log, from 1')),
    text: text('the line'),
  }),
  fix: nullable(text('what to change')),
  location: nullable(locationShape),
  log: optional(list(text('line'), 'lines of the log that show most, if the cause is unknown')),
};
/** `command`: what helps. */
export type ExplainedFailure = ObjectOf<typeof explainedFields> & { command?: CommandLine };

interface ExplainOptions extends SubjectOptions {
  /** The config file of the app, relative to the working directory. */
  configFile: string;
  /** Whether the app in this folder may be another one than what serves; by default it may. */
  differs?: () => Promise<boolean>;
}

/** The rules, which most apps need none of: nothing failed. */
const causes = () => import('../causes/index.ts');

/** Explains why a build or a run failed, or what a log shows. */
export async function explainFailure(context: Context, options: ExplainOptions): Promise<ExplainedFailure> {
  const { config, ignored } = await readConfig(context, options.configFile);
  const subject = await findSubject(context, options);
  const { app, failed, at, isDeployed = true } = subject;
  const { configFile } = options;
  // A folder whose files are only run has nothing that a deploy wants.
  const mayBeRefused = options.id === undefined && isDeployed;
  const isHere = mayBeRefused && app !== null && (await mayBeHere(context, options, app));
  // What is noted of the look itself explains nothing.
  const quiet = contextWith(context, { progress: { ...context.progress, note() {} } });
  const here = { configFile, look: once(() => checkLocalApp(quiet, { configFile, root: context.cwd })) };
  const refusal = isHere ? await refusalSince(context, app, here, failed ? at : null) : undefined;
  if (refusal) return { app, build: null, run: null, status: null, at: null, failed: true, ...refusal };
  if (ignored) context.progress.warn(ignored);
  return explainSubject(context, here, config, subject);
}

/** A file that names no app may be that of any other one than the one that was typed. */
async function mayBeHere({ cwd }: Context, options: ExplainOptions, app: string): Promise<boolean> {
  const { configFile, app: typed, differs } = options;
  const name = await readAppName(resolve(cwd, configFile), configFile);
  const isNamed = typeof name === 'string' ? name === app : typed === undefined;
  return isNamed && (!differs || differs());
}

async function explainSubject(
  context: Context,
  here: FolderApp,
  config: AppConfig | undefined,
  { facts, readLog, ...described }: Subject,
): Promise<ExplainedFailure> {
  const { mayLack: _mayLack, isDeployed: _isDeployed, ...subject } = described;
  const { app, failed, status } = subject;
  // The app in this folder may be another one, or have been deployed under another name.
  const names = [null, config?.name, readFolderTarget(context.settings.folders, context.cwd)?.app];
  const appConfig = names.includes(app) ? config : undefined;
  const about = { ...here, own: appConfig, facts: { ...facts, config: appConfig }, readLog, subject };
  if (failed === false) return explainOpen(context, about, nothingFailed(described));
  const { text: log, command } = await readLog();
  const ended = await explainEnded(log, about.facts);
  if (ended) return { ...subject, ...(await tellFound(context, about, log, ended)) };
  const unknown = await unknownOf(log, facts, status);
  return { ...subject, ...nothing, ...unknown, ...(log !== '' && defined({ command })) };
}

/** A build that is not ready, in progress or canceled, by what its log shows until now. */
async function explainOpen(context: Context, about: About, title: string): Promise<ExplainedFailure> {
  const { facts, subject } = about;
  const { build, status } = subject;
  if (build === null || isReady(status ?? '')) return { ...subject, ...nothing, title };
  const { text: log } = await about.readLog();
  const [find, when] = isCanceled(status ?? '') ? [explainEnded, 'its log shows'] : [explainUnended, 'so far'];
  const explanation = await find(log, facts);
  if (!explanation) return { ...subject, ...nothing, title };
  const told = await tellFound(context, about, log, explanation);
  return { ...subject, ...told, title: `${title}; ${when}: ${told.title}` };
}

/** What is found, with what the files of the app in this folder show of it. */
async function tellFound(
  context: Context,
  { configFile, look, own, subject }: About,
  log: string,
  explanation: Explanation,
): Promise<Pick<ExplainedFailure, 'cause' | 'title' | 'evidence' | 'fix' | 'location' | 'command'>> {
  const { problems = [], seen: files } = (own && (await look())) ?? {};
  const { asSeen, isOfCode, locateCause } = await causes();
  const inFiles = asSeen(explanation, log, { problems, names: files?.names ?? new Map() });
  const better = inFiles ?? (await asSecretsAre(context, explanation, subject));
  const { setting, step, isGeneral: _, next, ...told } = { ...explanation, ...better };
  // A folder whose files are only run needs no config file.
  const app = own ?? [defaultAppConfig(context.cwd)].find(({ name }) => name === subject.app);
  const location = inFiles?.location ?? (await locateCause(context, log, explanation, app, configFile));
  const isInFiles = setting !== undefined || step !== undefined || isOfCode(told.cause);
  if (isInFiles && !app && subject.app !== null)
    context.progress.note(`the files of ${subject.app} are not in this folder: with -C FOLDER, explain looks at them`);
  const command = next && new CommandLine(['gantry', ...next]);
  return { ...told, location: location ?? null, ...defined({ command }) };
}

/** The app in this folder, and the look at its files. */
interface FolderApp {
  configFile: string;
  look: () => ReturnType<typeof checkLocalApp>;
}

interface About extends FolderApp {
  own: AppConfig | undefined;
  facts: FailureFacts;
  readLog: Subject['readLog'];
  subject: Omit<Subject, 'facts' | 'readLog' | 'mayLack' | 'isDeployed'>;
}

const explainEnded = async (log: string, facts: FailureFacts) => (await causes()).explainLog(log, facts);

/** What keeps it from getting ready, or has stopped it by now. */
const explainUnended = async (log: string, facts: FailureFacts) =>
  (await causes()).explainStart(log, facts) ?? explainEnded(log, { source: 'build', config: facts.config });

async function unknownOf(log: string, facts: FailureFacts, status: string | null) {
  const unknown = (await causes()).describeUnknown(log, facts);
  // Of a sick build it is known what was seen, if not why.
  const observed = status === 'sick' && facts.reason !== unknown.title ? `${facts.reason}; ` : '';
  return { ...unknown, title: `${observed}${unknown.title}` };
}

/** A secret that is there now has come after the replica: it is not set once more. One that is not is set for the app. */
async function asSecretsAre(
  context: Context,
  { cause, next: [noun, verb, ...names] = [] }: Explanation,
  { app }: Pick<Subject, 'app'>,
): Promise<Partial<Explanation>> {
  if (app === null || noun !== 'secrets' || verb !== 'set') return {};
  const { prompt } = context;
  const secretNames = Object.keys((await trySecretsOf(context, app))?.values ?? {});
  const isSet = cause === 'secret-missing' && names.every((name) => secretNames.includes(name));
  // Where nobody can type the value.
  const source = prompt.isPossible ? [] : ['--from-env'];
  if (!isSet) return { next: ['secrets', 'set', ...names, '--app', app, ...source] };
  return {
    title: `the secret ${names.join(', ')} is set, but was not when the replica started`,
    fix: 'restart the app: replicas keep the secrets of their start',
    next: ['apps', 'restart', app],
  };
}

const nothing = { cause: null, evidence: null, fix: null, location: null };

/** The first error of the app in this folder, of which the platform never hears, unless something failed since it was made. */
async function refusalSince(context: Context, app: string, { configFile, look }: FolderApp, failedAt: string | null) {
  const path = resolve(context.cwd, configFile);
  if (!existsSync(path)) return undefined;
  const { problems, seen } = await look();
  const secrets = await checkSecrets({ seen }, () => trySecretsOf(context, app));
  const error = [...problems, ...secrets].find(({ severity }) => severity === 'error');
  const { mtimeMs } = statSync(error?.location ? resolve(context.cwd, error.location.file) : path);
  if (!error || mtimeMs < toMs(failedAt)) return undefined;
  const { message, location = null, fix } = error;
  const title = `a deploy of this folder is refused: ${message}`;
  return {
    ...nothing,
    cause: 'refused',
    title,
    location,
    fix: fix === undefined || fix instanceof CommandLine ? null : String(fix),
    command: fix instanceof CommandLine ? fix : gantryCommand`check`,
  };
}

function nothingFailed(subject: Omit<Subject, 'facts' | 'readLog'>): string {
  const { app, build, run, status, isDeployed = true, mayLack } = subject;
  if (build !== null)
    return `build ${shortBuild(build)} of ${app} has not ${status !== null && buildPhase(status) === 'in progress' ? 'ended' : 'failed'}: ${status}`;
  if (run !== null) return `run ${run} of ${app} has not failed: ${status}`;
  const unlisted = mayLack ? '; runs of the last seconds may not be listed yet' : '';
  return `${isDeployed ? `the latest build of ${app} has not failed, and no run has` : `no run of ${app} has failed`}${unlisted}`;
}
