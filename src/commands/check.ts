import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { ProjectError } from '../errors.ts';
import { count } from '../output/format.ts';
import { checkAppConfig } from '../project/config.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[file]', 'the config file', 'cerebrium.toml')
      .option('--name <name>', 'app name, instead of the one in the file')
      .option('--strict', 'count warnings as errors'),
  run: async ({ cwd, progress }, file, { name, strict }) => {
    const { project, problems } = await checkAppConfig(resolve(cwd, file), { name, shownAs: file });
    const bad = problems.filter(({ severity }) => strict || severity === 'error');
    if (bad.length > 0) throw new ProjectError(`${file} is not fit to deploy`, problems);
    for (const problem of problems) progress.warn(problem);
    return { file, valid: true, app: project?.name ?? '', runtime: project?.runtime ?? '', problems };
  },
  view:
    ({ file, app, runtime, problems }) =>
    () =>
      `${file} is valid: app ${app}, runtime ${runtime}${problems.length ? `, ${count(problems.length, 'warning')}` : ''}`,
  json: {
    file: 'the file checked',
    valid: 'true; when it is not, the error has the problems',
    app: 'app name',
    runtime: 'cortex, custom or a partner',
    problems: 'each with severity, message, place (line, column), why and fix',
  },
  examples: ['check', 'check other/cerebrium.toml --strict', 'check --json'],
});
