import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { defaultExclude, defaultInclude } from '../app/collect.ts';
import { type AppConfig, checkAppConfig } from '../app/config.ts';
import { excludeLine, isSelected } from '../app/files/patterns.ts';
import { isOwnFile, planStart, startOf } from '../app/files/plans.ts';
import { toDiskError, toDiskErrorOf } from '../kernel/disk/index.ts';
import { attempt, ConflictError, GantryError, type Problem, systemCode, UsageError } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';

const kinds = {
  plan: { name: 'a deploy plan', start: planStart },
  archive: { name: 'a zip archive', start: /^PK/ },
  page: { name: 'an HTML page', start: /^\s*<!doctype html/i },
  runs: { name: 'an export of runs', start: /^(\{"id"|id,createdAt)/ },
  /** Continued, or refused by what `map` noted of it. */
  results: { name: 'a file of results', start: /^/ },
};

export type OutputKind = keyof typeof kinds;

/**
 * Throws UsageError if a flag names a folder, or a file in none, and ConflictError if the file has something else:
 * `deploy --dry-run -o main.py` is a mistake.
 */
export function checkOutput({ cwd }: Pick<Context, 'cwd'>, file: string, kind: OutputKind): void {
  const target = resolve(cwd, file);
  const stats = attempt(() => statSync(target));
  if (stats?.isDirectory()) throw new UsageError(`${file} is a folder`, { fix: 'name a file, which may be in it' });
  if (!stats) checkFolder(cwd, file);
  const { name, start } = kinds[kind];
  const begin = startOf(target);
  if (begin === '' || start.test(begin)) return;
  throw new ConflictError(`${file} exists and is not ${name}`, {
    why: 'it would be overwritten',
    fix: 'name another file, or remove this one',
  });
}

/** A name that ends in a slash is in the folder of that name. */
function checkFolder(cwd: string, file: string): void {
  const folder = dirname(`${file}x`);
  try {
    accessSync(`${resolve(cwd, folder)}${sep}`, constants.W_OK);
  } catch (cause) {
    const [why, fix] =
      systemCode(cause) === 'ENOENT'
        ? [`there is no folder ${folder}`, 'create it, or name another file']
        : [toDiskError(cause).message, 'name another file'];
    throw new UsageError(`cannot write ${file}`, { why, fix, cause });
  }
}

/** Writes the file that a flag names, and warns if the next deploy sends it. Throws FailedError for what the disk says. */
export async function writeOutput<Result>(
  context: Context,
  file: string,
  write: (target: string) => Promise<Result>,
  app?: AppConfig,
): Promise<Result> {
  const target = resolve(context.cwd, file);
  const result = await write(target).catch((cause: unknown) => {
    if (cause instanceof GantryError || context.signal.aborted) throw cause;
    throw toDiskErrorOf(`cannot write ${file}`, cause);
  });
  await warnIfSent(context, target, app);
  return result;
}

/** A file in the folder of an app is sent by its next deploy, unless it is one of gantry's own. */
export async function warnIfSent({ progress }: Context, target: string, app?: AppConfig): Promise<void> {
  const warning = isOwnFile(target) ? undefined : await sentWithApp(target, app);
  if (warning) progress.warn(warning);
}

async function sentWithApp(target: string, app: AppConfig | undefined): Promise<Problem | undefined> {
  const file = app ? undefined : nearestConfig(dirname(target));
  const config = file === undefined ? app : (await checkAppConfig(file)).config;
  if (!config || config.partner) return undefined;
  const { include = defaultInclude, exclude = defaultExclude } = config.deployment;
  const path = relative(config.root, target).replaceAll(sep, '/');
  if (!isSelected(path, include, exclude)) return undefined;
  return {
    severity: 'warning',
    message: `${path} is in the folder of the app ${config.name}: the next deploy sends it`,
    fix: `${excludeLine(exclude, [path])}, or name another place`,
  };
}

function nearestConfig(folder: string): string | undefined {
  const file = join(folder, 'cerebrium.toml');
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestConfig(parent);
}
