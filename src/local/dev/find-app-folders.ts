import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isExcludedByDefault } from '../../app/files/patterns.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { lookedFor } from '../../kernel/disk/index.ts';
import { ProjectError, UsageError } from '../../kernel/errors.ts';

/**
 * The app folders of the folders on the command line: those with the config file, else the folders directly below that
 * have one. Throws UsageError for a missing folder, and ProjectError for one without apps.
 */
export function findAppFolders(cwd: string, given: readonly string[], configFile: string): string[] {
  return [...new Set(given.flatMap((folder) => appFoldersIn(cwd, folder, configFile)))];
}

function appFoldersIn(cwd: string, given: string, configFile: string): string[] {
  const folder = resolve(cwd, given);
  const names = foldersIn(folder, given);
  if (existsSync(resolve(folder, configFile))) return [folder];
  const apps = names.map((name) => join(folder, name)).filter((path) => existsSync(resolve(path, configFile)));
  if (apps.length > 0) return apps.sort();
  const message = `${configFile} not found`;
  const why = `looked in ${relative(cwd, folder) || folder} and the folders directly below`;
  const fix = gantryCommand`init`;
  throw new ProjectError(message, [{ severity: 'error', message, why, fix }]);
}

function foldersIn(folder: string, given: string): string[] {
  try {
    const children = readdirSync(folder, { withFileTypes: true });
    return children.filter((child) => child.isDirectory() && !isExcludedByDefault(child.name)).map(({ name }) => name);
  } catch {
    throw new UsageError(`folder ${given} not found`, { why: lookedFor(folder) });
  }
}
