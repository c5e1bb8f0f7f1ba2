import { lstatSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { checkAppConfig } from '../../app/config.ts';
import { appNameDoubt, toAppName } from '../../app/rules/name.ts';
import { sections } from '../../app/schema.ts';
import { projectTemplate } from '../../app/template.ts';
import { appsBelow } from '../../app/toml/source.ts';
import { gantryCommand, quoteForShell, type Sentence, sentence } from '../../kernel/command-line.ts';
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
import { withConfigFile } from '../flags/app.ts';
import { computeFlag, knownValue } from '../flags/hardware.ts';
import { choice, document, list, objects, optional, text } from '../result-schema.ts';

const variable = {
  name: text('name'),
  kind: choice(['secret', 'variable'], 'what the CI system calls it'),
  value: text('what to set it to'),
  section: text('where to set it'),
};

export default defineCommand({
  configure: (command) =>
    withConfigFile(command)
      .argument('[dir]', 'app folder; created if it does not exist', '.')
      .option('--name <name>', 'app name (default: name of the folder)')
      .option('--compute <type>', 'CPU or an accelerator, such as ADA_L4', computeFlag)
      .option('--python <version>', 'Python version', pythonFlag)
      .option('--agents', 'also write an AGENTS.md; keeps an existing cerebrium.toml')
      .addOption(command.createOption('--ci <system>', 'also write a pipeline that deploys').choices(ciSystems))
      .option('--print', 'print the pipeline, and write nothing'),
  flagRules: { requires: { print: ['ci'] } },
  run: async (context, dir, { name, compute, python, agents, ci, print, configFile }) => {
    const { cwd, settings, progress } = context;
    const folder = resolve(cwd, dir);
    const config = resolve(folder, configFile);
    const pipeline = ci && (await planPipeline(context, ci, folder, configFile));
    if (pipeline && print) return { folder, paths: [], pipeline: pipeline.text, ...pipeline.toDo };
    const exists = attempt(() => lstatSync(config)) !== undefined;
    if (exists && !agents && !ci) {
      const facts = { why: 'init does not overwrite files', fix: gantryCommand`check -C ${folder}` };
      throw new ConflictError(`${configFile} already exists in ${folder}`, facts);
    }
    const appName = await chooseName(context, folder, name, dir === '.' && !exists);
    const region = settings.region.value;
    const options = { configFile, name: appName, compute, pythonVersion: python, region, agents };
    const files = Object.entries(projectTemplate(options));
    pipeline?.write();
    const missing = files.filter(([file]) => !exists || file === 'AGENTS.md');
    const creation = missing.map(([file, text]) => createFile(cwd, resolve(folder, file), text));
    const created = (await Promise.all(creation)).flat();
    for (const problem of (await checkAppConfig(config, { shownAs: relative(cwd, config), root: folder })).problems) {
      progress.warn(problem);
    }
    const paths = pipeline ? [...created, ...(await pipeline.finish())] : created;
    progress.note(pipeline ? pipeline.next : nextLine(context, folder));
    return { folder, paths, ...(pipeline ? pipeline.toDo : {}) };
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
    toSet: optional(objects('with --ci: what the pipeline needs that is not in it', variable)),
    toCommit: optional(list(text('path'), 'with --ci: what to commit')),
  }),
  examples: ['init', 'init my-app --compute ADA_L4', 'init --agents', 'init --ci github', 'init apps/web --ci gitlab'],
});

/** The pipeline that is asked for, and what is to be done besides. */
async function planPipeline(context: Context, system: (typeof ciSystems)[number], folder: string, configFile: string) {
  if (configFile !== 'cerebrium.toml') throw new UsageError('--config-file and --ci cannot be combined');
  const { cwd, progress } = context;
  const below = attempt(() => lstatSync(join(folder, 'cerebrium.toml'))) ? [] : appsBelow(folder);
  if (below[0] !== undefined) {
    throw new UsageError('a pipeline deploys one app, and this folder has none', {
      why: `there are apps in ${below.join(', ')}`,
      fix: gantryCommand`init ${relative(cwd, join(folder, below[0]))} --ci ${system}`,
    });
  }
  const app = await readPipelineApp(context, relative(cwd, folder).replaceAll('\\', '/') || '.');
  if (app.verification.length === 0) progress.warn(`the pipeline looks at no new build. ${adviceOnSmoke}`);
  const { path, text } = pipelineFor(system, app);
  const toSet = toSetIn(system);
  const toCommit = [path, ...committedPackage()];
  const names = toSet.map(({ kind, name }) => `the ${kind} ${name}`).join(' and ');
  let isNew = false;
  return {
    text,
    toDo: { toSet, toCommit },
    next: `next: set ${names} in ${variablesIn[system]}, and commit ${toCommit.join(' and ')}`,
    /** Throws ConflictError if there is another one, before anything else is written. */
    write: () => {
      isNew = writePipeline(system, app, relative(cwd, folder) || '.');
    },
    /** Returns the files that it has written. */
    finish: async () => {
      const archive = await writePackage(app.root, context);
      return [isNew && path, archive].flatMap((each) => (each ? relative(cwd, join(app.root, each)) : []));
    },
  };
}

/** The name that is given, or that of the folder: it is asked for if it may be another one. */
async function chooseName(
  { prompt, progress }: Context,
  folder: string,
  given: string | undefined,
  mayAsk: boolean,
): Promise<string> {
  const byDefault = toAppName(basename(folder));
  const ask = async () => prompt.ask('App name', { flag: '--name', byDefault });
  const chosen = given ?? (mayAsk && prompt.isPossible ? await ask() : byDefault);
  if (chosen.trim() === '') throw new UsageError('the app name is empty', { fix: `--name ${byDefault}` });
  if (!appNameDoubt(chosen)) return chosen;
  const name = toAppName(chosen);
  if (name !== chosen) progress.note(`using the app name ${name}: ${JSON.stringify(chosen)} may not fit in URLs`);
  return name;
}

function nextLine(context: Context, folder: string): Sentence {
  const { cwd, flags } = context;
  const local = { '--local': attempt(() => context.credential.token) ? undefined : (true as const) };
  // The shell is elsewhere: `cd` would go to another folder.
  if (flags.cwd !== undefined)
    return sentence`next: ${gantryCommand`deploy ${{ '-C': join(flags.cwd, relative(cwd, folder)), ...local }}`}`;
  const go = folder === cwd ? '' : `cd ${quoteForShell(relative(cwd, folder).replace(/^(?=-)/, './'))} && `;
  return sentence`next: ${go}${gantryCommand`deploy ${local}`}`;
}

function pythonFlag(text: string): string {
  return knownValue(text, 'python_version', sections.deployment.keys.python_version.oneOf);
}

/** Never overwrites: what exists is kept. Returns the path of a new one from the working directory. */
async function createFile(cwd: string, file: string, text: string): Promise<string[]> {
  makeFolder(dirname(file));
  try {
    await writeFile(file, text, { flag: 'wx' });
    return [relative(cwd, file)];
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw cause;
    return [];
  }
}
