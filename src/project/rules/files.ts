import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { closestName } from '../toml/closest-name.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { type ConfigIssue, errorAt } from '../toml/issue.ts';
import { isSet, type Rule, type RuleInput } from './rule.ts';

/** Files the config file names: they are there, inside the app's folder, so that the upload has them. */
export const filesRule: Rule = function* (app) {
  yield* named(app, 'runtime.custom.dockerfile_path', app.sections['runtime.custom']?.dockerfile_path);
  const paths = app.sections['dependencies.paths'] ?? {};
  for (const kind of ['pip', 'conda', 'apt'] as const) {
    yield* named(app, `dependencies.paths.${kind}`, paths[kind]);
    if (paths[kind] === undefined || !isSet(app, `dependencies.${kind}`)) continue;
    yield errorAt(
      `dependencies.paths.${kind}`,
      `${kind} packages are listed in a file and in [cerebrium.dependencies.${kind}]`,
      {
        why: 'it is one or the other',
        fix: `move them into ${paths[kind]}`,
      },
    );
  }
};

/** What a path relative to the app's folder is. */
export function pathKind(root: string, path: string): 'file' | 'folder' | 'nothing' {
  try {
    return statSync(resolve(root, path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}

function* named({ root }: RuleInput, at: string, path: string | undefined): Generator<ConfigIssue> {
  if (path === undefined) return;
  const key = at.split('.').at(-1) ?? at;
  if (isOutside(root, path)) {
    yield errorAt(at, `${path} is outside the app's folder`, {
      why: 'only what lies beside or below the config file is sent',
    });
    return;
  }
  const is = pathKind(root, path);
  if (is === 'folder') yield errorAt(at, `${path} is a folder`, { why: `${key} names a file` });
  if (is !== 'nothing') return;
  const meant = neighbour(root, path);
  const fix = meant && tomlAssignment(key, toToml(meant));
  yield errorAt(at, `${path} not found`, { why: `looked for in ${root}`, fix });
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** A file of nearly that name in the same folder. */
function neighbour(root: string, path: string): string | undefined {
  try {
    const meant = closestName(basename(path), readdirSync(resolve(root, dirname(path))));
    return meant && join(dirname(path), meant).replaceAll(sep, '/');
  } catch {
    return undefined;
  }
}
