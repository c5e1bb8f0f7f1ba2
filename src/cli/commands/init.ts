import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { checkAppConfig } from '../../app/config.ts';
import { appNameDoubt, toAppName } from '../../app/rules/name.ts';
import { sections } from '../../app/schema.ts';
import { projectTemplate } from '../../app/template.ts';
import { gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { makeFolder } from '../../kernel/disk/index.ts';
import { attempt, ConflictError, systemCode, UsageError } from '../../kernel/errors.ts';
import {
  adviceOnSmoke,
  ciSystems,
  committedPackage,
  pipelineFor,
  readPipelineApp,
  toSetIn,
  variablesIn,
  writePackage,
  writePipeline,
} from '../../local/ci/index.ts';
import type { Context } from '../../platform/context.ts';
import { defineCommand } from '../command.ts';
import { computeFlag, knownValue } from '../flags/hardware.ts';
import { choice, document, list, object, optional, text } from '../result-schema.ts';

const variable = {
  name: text('name'),
  kind: choice(['secret', 'variable'], 'what the CI system calls it'),
  value: text('what to set it to'),
  section: text('where to set it'),
};

export default defineCommand({
  configure: (command) =>
    command
      .argument('[dir]', 'app folder; created if it does not exist', '.')
      .option('--name <name>', 'app name (default: name of the folder)')
      .option('--compute <type>', 'CPU or an accelerator, such as ADA_L4', computeFlag)
      .option('--python <version>', 'Python version', pythonFlag)
      .option('--agents', 'also write an AGENTS.md; keeps an existing cerebrium.toml')
      .addOption(command.createOption('--ci <system>', 'also write a pipeline that deploys').choices(ciSystems))
      .option('--print', 'print the pipeline, and write nothing'),
  flagRules: { requires: { print: ['ci'] } },
  run: async (context, dir, { name, compute, python, agents, ci, print }) => {
    const { cwd, prompt, settings, progress } = context;
    const folder = resolve(cwd, dir);
    const config = join(folder, 'cerebrium.toml');
    const place = relative(cwd, folder).replaceAll('\\', '/') || '.';
    const app = ci && (await readPipelineApp(context, place));
    if (app?.verification.length === 0) progress.warn(`the pipeline looks at no new build. ${adviceOnSmoke}`);
    const made = app && pipelineFor(ci, app);
    const toCommit = made && [made.path, ...committedPackage()];
    const toDo = toCommit && { toSet: toSetIn(ci), toCommit };
    if (made && print) return { folder, paths: [], pipeline: made.text, ...toDo };
    const exists = existsSync(config);
    if (exists && !agents && !ci) throw existsError(folder);
    const suggested = toAppName(basename(folder));
    const chosen =
      name ??
      (prompt.isPossible && dir === '.' && !exists
        ? await prompt.ask('App name', { flag: '--name', byDefault: suggested })
        : suggested);
    if (chosen.trim() === '') throw new UsageError('the app name is empty', { fix: `--name ${suggested}` });
    const appName = appNameDoubt(chosen) ? toAppName(chosen) : chosen;
    if (appName !== chosen)
      progress.note(`using the app name ${appName}: ${JSON.stringify(chosen)} may not fit in URLs`);
    const files = projectTemplate({
      name: appName,
      compute,
      pythonVersion: python,
      region: settings.region.value,
      agents,
    });
    const isNew = app && writePipeline(ci, app);
    makeFolder(folder);
    const written: string[] = [];
    for (const [file, text] of Object.entries(files)) {
      if (exists && file !== 'AGENTS.md') continue;
      if (await createFile(folder, file, text)) written.push(join(relative(cwd, folder), file));
    }
    for (const problem of (await checkAppConfig(config, { shownAs: relative(cwd, config) })).problems) {
      progress.warn(problem);
    }
    const archive = app && (await writePackage(app.root, context));
    for (const path of [isNew && made?.path, archive])
      if (app && path) written.push(relative(cwd, join(app.root, path)));
    progress.note(
      toDo
        ? `next: set ${toDo.toSet.map(({ kind, name }) => `the ${kind} ${name}`).join(' and ')} in ${variablesIn[ci]}, and commit ${toDo.toCommit.join(' and ')}`
        : sentence`next: ${folder === cwd ? '' : `cd ${quoteForShell(relative(cwd, folder))} && `}${isLoggedIn(context) ? gantryCommand`deploy` : gantryCommand`deploy --local`}`,
    );
    return { folder, paths: written, ...toDo };
  },
  view: (made) => ('pipeline' in made ? made.pipeline.trimEnd() : made.paths.join('\n')),
  verbatim: () => true,
  details: ['--ci writes a pipeline that previews pull requests, and deploys the default branch with rollback.'],
  effect: 'changes',
  local: true,
  exits: ['conflict', 'input-needed'],
  json: document({
    folder: text('app folder'),
    paths: list(text('path'), 'files written'),
    pipeline: optional(text('with --print: the pipeline')),
    toSet: optional(list(object(variable), 'with --ci: what the pipeline needs that is not in it')),
    toCommit: optional(list(text('path'), 'with --ci: what to commit')),
  }),
  examples: ['init', 'init my-app --compute ADA_L4', 'init --agents', 'init --ci github', 'init apps/web --ci gitlab'],
});

function pythonFlag(text: string): string {
  return knownValue(text, 'python_version', sections.deployment.keys.python_version.oneOf);
}

function isLoggedIn(context: Context): boolean {
  return Boolean(attempt(() => context.credential.token));
}

/** Never overwrites: an existing config file is an error, existing code is kept. */
async function createFile(folder: string, file: string, text: string): Promise<boolean> {
  try {
    await writeFile(join(folder, file), text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw cause;
    if (file !== 'cerebrium.toml') return false;
    throw existsError(folder, cause);
  }
}

function existsError(folder: string, cause?: unknown): ConflictError {
  return new ConflictError(`cerebrium.toml already exists in ${folder}`, {
    why: 'init does not overwrite files',
    fix: gantryCommand`check -C ${folder}`,
    cause,
  });
}
