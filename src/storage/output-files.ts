import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { defaultExclude, defaultInclude } from '../app/collect.ts';
import { type AppConfig, checkAppConfig } from '../app/config.ts';
import { excludeLine, isSelected } from '../app/files/patterns.ts';
import { planStart, startOf } from '../app/files/plans.ts';
import { ConflictError, type Problem } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';

const kinds = {
  plan: { name: 'a deploy plan', start: planStart },
  archive: { name: 'a zip archive', start: /^PK/ },
  page: { name: 'an HTML page', start: /^\s*<!doctype html/i },
  runs: { name: 'an export of runs', start: /^(\{"id"|id,createdAt)/ },
};

/** Throws ConflictError if a flag names a file that has something else: `deploy --dry-run -o main.py` is a mistake. */
export function checkReplaceable({ cwd }: Pick<Context, 'cwd'>, file: string, kind: keyof typeof kinds): void {
  const { name, start } = kinds[kind];
  const begin = startOf(resolve(cwd, file));
  if (begin === '' || start.test(begin)) return;
  throw new ConflictError(`${file} exists and is not ${name}`, {
    why: 'it would be overwritten',
    fix: 'name another file, or remove this one',
  });
}

/** A warning if what was just written lies in the folder of an app, whose next deploy sends it. */
export async function sentWithApp(
  target: string,
  { app }: { app?: AppConfig | undefined } = {},
): Promise<Problem | undefined> {
  const config = app ?? (await readApp(nearestConfig(dirname(target))));
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

async function readApp(file: string | undefined): Promise<AppConfig | undefined> {
  return file === undefined ? undefined : (await checkAppConfig(file)).config;
}
