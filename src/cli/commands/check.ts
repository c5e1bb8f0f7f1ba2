import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configJsonSchema } from '../../app/json-schema.ts';
import { checkLocalApp, checkPackages, checkSecrets, readSecretsOf } from '../../deploys/send/index.ts';
import { gantryCommand, withFixCommands } from '../../kernel/command-line.ts';
import { type Problem, ProjectError, UsageError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { Context } from '../../platform/context.ts';
import { defineCommand } from '../command.ts';
import { withConfigFile } from '../flags/app.ts';
import {
  anything,
  boolean,
  choice,
  document,
  list,
  locationShape,
  type ObjectOf,
  object,
  objects,
  optional,
  passThrough,
  text,
} from '../result-schema.ts';

const problemShape = object({
  severity: choice(['error', 'warning'], 'severity'),
  message: text('what is wrong'),
  cause: optional(text('the name of its cause, if it has one')),
  location: optional(locationShape),
  why: optional(text('cause')),
  fix: optional(anything('what to do about it, as text')),
});

const appFields = {
  file: text('config file'),
  valid: boolean('true; an invalid file is an error with its problems'),
  app: text('app name'),
  runtime: text('cortex, custom or a partner'),
  problems: list(problemShape, 'problems: severity, message, location (line, column), why and fix'),
};
type CheckResult = Omit<ObjectOf<typeof appFields>, 'problems'> & { problems: readonly Problem[] };

export default defineCommand({
  configure: (command) =>
    withConfigFile(command)
      .argument('[paths...]', 'config files, or folders of apps, such as apps/* (default: cerebrium.toml)')
      .option('--name <name>', 'override the app name of the config file')
      .option('--use-gitignore', 'skip files that git ignores')
      .option('--online', 'also ask the platform for secrets, and PyPI for packages')
      .option('--strict', 'treat warnings as errors')
      .option('--schema', 'print the JSON Schema of cerebrium.toml instead'),
  run: async (
    context,
    paths,
    { strict, schema, ...options },
  ): Promise<CheckResult | { apps: CheckResult[] } | Schema> => {
    if (schema) return configJsonSchema();
    const { progress } = context;
    const apps: CheckResult[] = [];
    for (const each of placesOf(context, paths, options)) apps.push(await checkApp(context, each, options));
    const problems = apps.flatMap((each) => each.problems);
    const failures = problems.filter(({ severity }) => strict || severity === 'error');
    const [first, ...others] = failures;
    if (first) throw new ProjectError(others.length > 0 ? `${failures.length} errors` : first.message, problems);
    for (const problem of problems) progress.warn(problem);
    if (problems.length > 0) progress.note('with --strict, a warning is an error');
    const [app] = apps;
    return app && paths.length < 2 ? app : { apps };
  },
  view: (result) => {
    const apps = 'apps' in result ? result.apps : 'valid' in result ? [result] : undefined;
    if (!apps) return JSON.stringify(result, null, 2);
    const lines = apps.map(({ file, app, runtime, problems }) => {
      const warnings = problems.length > 0 ? `, ${count(problems.length, 'warning')}` : '';
      return wrapped(`${file} is valid: app ${app}, runtime ${runtime}${warnings}`);
    });
    return (page) => lines.map((line) => line(page)).join('\n');
  },
  verbatim: ({ schema }) => schema === true,
  effect: 'reads',
  local: true,
  exits: ['project'],
  json: document(
    appFields,
    { apps: objects('with several paths: each app', appFields) },
    passThrough({ $schema: text('with --schema: the JSON Schema') }),
  ),
  examples: [
    'check',
    'check other-app --strict',
    'check apps/*',
    'check envs/prod.toml',
    'check --online',
    'check --json',
    'check --schema > cerebrium.schema.json',
  ],
});

async function checkApp(
  context: Context,
  { file, root }: ReturnType<typeof locate>,
  { online, ...options }: Partial<Record<'online' | 'useGitignore', boolean>> & { name?: string },
): Promise<CheckResult> {
  const { config, problems: here, seen } = await checkLocalApp(context, { ...options, configFile: file, root });
  const asked = online && config && seen ? await ask(context, config.name, { seen }) : [];
  return {
    file,
    valid: true,
    app: config?.name ?? '',
    runtime: config?.runtime ?? '',
    problems: [...here, ...asked].map((problem) => withFixCommands(problem, context.inPlace)),
  };
}

async function ask(context: Context, name: string, app: Parameters<typeof checkPackages>[1]): Promise<Problem[]> {
  const note = (text: string) => context.progress.note(text);
  const [ofPackages, ofSecrets] = await Promise.all([
    checkPackages(context, app, { timeoutMs: 8_000, note }),
    checkSecrets(app, () => readSecretsOf(context, name)),
  ]);
  return [...ofPackages, ...ofSecrets];
}

type Schema = ReturnType<typeof configJsonSchema>;

/** Where the apps are. One of several folders without a config file is passed over, as in a deploy. */
function placesOf(
  { cwd, progress }: Context,
  paths: readonly string[],
  { name, configFile }: { name?: string; configFile: string },
) {
  if (paths.length > 1 && name !== undefined)
    throw new UsageError('--name is for one app', { fix: 'check one folder' });
  const places = (paths.length > 0 ? paths : [configFile]).map((path) => ({ path, ...locate(cwd, path, configFile) }));
  const apps = places.filter(({ path, file }) => {
    const isApp = paths.length < 2 || file === path || existsSync(resolve(cwd, file));
    if (!isApp) progress.note(`${path} is not an app: it has no ${configFile}`);
    return isApp;
  });
  if (apps.length > 0) return apps;
  throw new UsageError(`no folder has a ${configFile}`, { fix: gantryCommand`init ${paths[0] ?? '.'}` });
}

/** A config file belongs to the app in the working directory, wherever it lies. */
function locate(cwd: string, path: string, configFile: string): { file: string; root: string } {
  const isFolder = statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? { file: join(path, configFile), root: resolve(cwd, path) } : { file: path, root: cwd };
}
