import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { ProjectError } from '../errors.ts';
import { count } from '../output/format.ts';
import { wrapped } from '../output/table.ts';
import { checkAppSource } from '../project/app-source.ts';
import { checkAppConfig } from '../project/config.ts';
import { anything, boolean, choice, document, integer, list, object, optional, text } from '../result-schema.ts';

const problemShape = object({
  severity: choice(['error', 'warning'], 'severity'),
  message: text('what is wrong'),
  location: optional(
    object({
      file: text('file'),
      line: integer('from 1'),
      column: integer('from 1, in characters'),
      length: integer('characters'),
      text: text('the line'),
    }),
  ),
  why: optional(text('cause')),
  fix: optional(anything('what to do about it, as text')),
});

export default defineCommand({
  configure: (command) =>
    command
      .argument('[file]', 'config file or app folder', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file')
      .option('--strict', 'treat warnings as errors'),
  run: async ({ cwd, progress, env, signal }, target, { name, strict }) => {
    const file = isFolder(resolve(cwd, target)) ? join(target, 'cerebrium.toml') : target;
    const { project, problems: own } = await checkAppConfig(resolve(cwd, file), { name, shownAs: file });
    const problems = project ? [...own, ...(await checkAppSource(project, file, { env, signal }))] : own;
    const failures = problems.filter(({ severity }) => strict || severity === 'error');
    if (failures.length > 0) throw new ProjectError(`${file} has ${count(failures.length, 'error')}`, problems);
    for (const problem of problems) progress.warn(problem);
    return { file, valid: true, app: project?.name ?? '', runtime: project?.runtime ?? '', problems };
  },
  view: ({ file, app, runtime, problems }) =>
    wrapped(
      () =>
        `${file} is valid: app ${app}, runtime ${runtime}${problems.length ? `, ${count(problems.length, 'warning')}` : ''}`,
    ),
  effect: 'reads',
  exits: ['project'],
  json: document({
    file: text('config file'),
    valid: boolean('true; an invalid file is an error with its problems'),
    app: text('app name'),
    runtime: text('cortex, custom or a partner'),
    problems: list(problemShape, 'problems: severity, message, location (line, column), why and fix'),
  }),
  examples: ['check', 'check other/cerebrium.toml --strict', 'check --json'],
});

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
