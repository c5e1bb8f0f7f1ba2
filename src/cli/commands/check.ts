import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configJsonSchema } from '../../app/json-schema.ts';
import { checkLocalApp, checkPackages, checkSecrets, readSecretsOf } from '../../deploys/send/index.ts';
import { type Problem, ProjectError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { Context } from '../../platform/context.ts';
import { defineCommand } from '../command.ts';
import {
  anything,
  boolean,
  choice,
  document,
  list,
  locationShape,
  object,
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

export default defineCommand({
  configure: (command) =>
    command
      .argument('[path]', 'config file, or the folder of an app', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file')
      .option('--use-gitignore', 'skip files that git ignores')
      .option('--online', 'also ask the platform for secrets, and PyPI for packages')
      .option('--strict', 'treat warnings as errors')
      .option('--schema', 'print the JSON Schema of cerebrium.toml instead'),
  run: async (context, path, { strict, schema, online, ...options }): Promise<Checked | Schema> => {
    if (schema) return configJsonSchema();
    const { progress } = context;
    const { file, root } = locate(context, path);
    const { project, problems: here, seen } = await checkLocalApp(context, { ...options, configFile: file, root });
    const asked = online && project && seen ? await ask(context, project.name, { seen }) : [];
    const problems = [...here, ...asked];
    const failures = problems.filter(({ severity }) => strict || severity === 'error');
    const [first, ...others] = failures;
    if (first) throw new ProjectError(others.length > 0 ? `${failures.length} errors` : first.message, problems);
    for (const problem of problems) progress.warn(problem);
    if (problems.length > 0) progress.note('with --strict, a warning is an error');
    return { file, valid: true, app: project?.name ?? '', runtime: project?.runtime ?? '', problems };
  },
  view: (found) => {
    if (!('valid' in found)) return JSON.stringify(found, null, 2);
    const { file, app, runtime, problems } = found;
    const warnings = problems.length > 0 ? `, ${count(problems.length, 'warning')}` : '';
    return wrapped(() => `${file} is valid: app ${app}, runtime ${runtime}${warnings}`);
  },
  verbatim: ({ schema }) => schema === true,
  effect: 'reads',
  local: true,
  exits: ['project'],
  json: document(
    {
      file: text('config file'),
      valid: boolean('true; an invalid file is an error with its problems'),
      app: text('app name'),
      runtime: text('cortex, custom or a partner'),
      problems: list(problemShape, 'problems: severity, message, location (line, column), why and fix'),
    },
    passThrough({ $schema: text('with --schema: the JSON Schema') }),
  ),
  examples: [
    ...['check', 'check other-app --strict', 'check envs/prod.toml', 'check --online', 'check --json'],
    'check --schema > cerebrium.schema.json',
  ],
});

async function ask(context: Context, name: string, app: Parameters<typeof checkPackages>[1]): Promise<Problem[]> {
  const note = (text: string) => context.progress.note(text);
  const [ofPackages, ofSecrets] = await Promise.all([
    checkPackages(context, app, { timeoutMs: 8_000, note }),
    checkSecrets(app, () => readSecretsOf(context, name)),
  ]);
  return [...ofPackages, ...ofSecrets];
}

interface Checked {
  file: string;
  valid: boolean;
  app: string;
  runtime: string;
  problems: readonly Problem[];
}
type Schema = ReturnType<typeof configJsonSchema>;

/** A config file belongs to the app in the working directory, wherever it lies. */
function locate({ cwd }: Context, path: string): { file: string; root: string } {
  const isFolder = statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? { file: join(path, 'cerebrium.toml'), root: resolve(cwd, path) } : { file: path, root: cwd };
}
