import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { error, type Finding } from '../toml/finding.ts';
import { closest } from '../toml/suggest.ts';
import { assigned, inToml } from '../toml/written.ts';
import { type App, isSet, type Rule } from './app.ts';

/** Files the config file names: they are there, inside the app's folder, so that the upload has them. */
export const filesRule: Rule = function* (app) {
  yield* named(app, 'runtime.custom.dockerfile_path', app.sections['runtime.custom']?.dockerfile_path);
  const paths = app.sections['dependencies.paths'] ?? {};
  for (const kind of ['pip', 'conda', 'apt'] as const) {
    yield* named(app, `dependencies.paths.${kind}`, paths[kind]);
    if (paths[kind] === undefined || !isSet(app, `dependencies.${kind}`)) continue;
    yield error(
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
export function found(root: string, path: string): 'file' | 'folder' | 'nothing' {
  try {
    return statSync(resolve(root, path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}

function* named({ root }: App, at: string, path: string | undefined): Generator<Finding> {
  if (path === undefined) return;
  const key = at.split('.').at(-1) ?? at;
  if (isOutside(root, path)) {
    yield error(at, `${path} is outside the app's folder`, {
      why: 'only what lies beside or below the config file is sent',
    });
    return;
  }
  const is = found(root, path);
  if (is === 'folder') yield error(at, `${path} is a folder`, { why: `${key} names a file` });
  if (is !== 'nothing') return;
  const meant = neighbour(root, path);
  const fix = meant && assigned(key, inToml(meant));
  yield error(at, `${path} not found`, { why: `looked for in ${root}`, fix });
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** A file of nearly that name in the same folder. */
function neighbour(root: string, path: string): string | undefined {
  try {
    const meant = closest(basename(path), readdirSync(resolve(root, dirname(path))));
    return meant && join(dirname(path), meant).replaceAll(sep, '/');
  } catch {
    return undefined;
  }
}
