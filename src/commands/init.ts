import { writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { defineCommand } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import { makeFolder } from '../disk/index.ts';
import { ConflictError, FailedError, UsageError } from '../errors.ts';
import { checkAppConfig } from '../project/config.ts';
import { appNameDoubt, toAppName } from '../project/rules/name.ts';
import { sections } from '../project/schema.ts';
import { projectTemplate } from '../project/template.ts';
import { closestName } from '../project/toml/closest-name.ts';
import { document, list, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[dir]', 'app folder; created if it does not exist', '.')
      .option('--name <name>', 'app name (default: name of the folder)')
      .option('--compute <type>', 'CPU or an accelerator, such as ADA_L4', computeFlag)
      .option('--python <version>', 'Python version', pythonFlag)
      .option('--agents', 'also write an AGENTS.md; keeps an existing cerebrium.toml'),
  run: async ({ cwd, prompt, settings, progress }, dir, { name, compute, python, agents }) => {
    const folder = resolve(cwd, dir);
    const suggested = toAppName(basename(folder));
    const chosen =
      name ??
      (prompt.isPossible && dir === '.'
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
    createFolder(folder);
    const written: string[] = [];
    for (const [file, text] of Object.entries(files)) {
      if (await createFile(folder, file, text, agents === true)) written.push(join(relative(cwd, folder), file));
    }
    const config = join(folder, 'cerebrium.toml');
    for (const problem of (await checkAppConfig(config, { shownAs: relative(cwd, config) })).problems) {
      progress.warn(problem);
    }
    progress.note(`next: ${folder === cwd ? '' : `cd ${relative(cwd, folder)} && `}gantry deploy`);
    return { dir: folder, paths: written };
  },
  view:
    ({ paths }) =>
    () =>
      paths.join('\n'),
  effect: 'changes',
  local: true,
  exits: ['conflict', 'input-needed'],
  json: document({ dir: text('app folder'), paths: list(text('path'), 'files written') }),
  examples: ['init', 'init my-app --compute ADA_L4', 'init --agents'],
});

function computeFlag(text: string): string {
  return oneOf(text.toUpperCase().replace(/-/g, '_'), sections.hardware.keys.compute.oneOf);
}

function pythonFlag(text: string): string {
  return oneOf(text, sections.deployment.keys.python_version.oneOf);
}

/** A new app starts with what is documented. Its config file may have other values later. */
function oneOf(value: string, known: readonly string[] = []): string {
  if (known.includes(value)) return value;
  const meant = closestName(value, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new InvalidArgumentError(`Expected ${known.join(', ')}.${hint}`);
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new FailedError(`cannot create folder ${folder}`, { why: (cause as Error).message, cause });
  }
}

/** Never overwrites: an existing config file is an error unless `mayExist`, existing code is kept. */
async function createFile(folder: string, file: string, text: string, mayExist: boolean): Promise<boolean> {
  try {
    await writeFile(join(folder, file), text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new FailedError(`cannot write ${join(folder, file)}`, { why: (cause as Error).message, cause });
    }
    if (mayExist || file !== 'cerebrium.toml') return false;
    throw new ConflictError(`${file} already exists in ${folder}`, {
      why: 'init does not overwrite files',
      fix: gantryCommand`check -C ${folder}`,
      cause,
    });
  }
}
