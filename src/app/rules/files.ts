import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { closestName } from '../../kernel/closest-name.ts';
import { namesIn } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { isInside } from '../files/walk.ts';
import { readRequirementsText } from '../requirements.ts';
import { serverOf, shellCommands } from '../shell.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { errorAt, type Issues, warningAt } from '../toml/issue.ts';
import { type ConfigRule, isReadable, isSet, type RuleInput, selectRuntime } from './rule.ts';

/** Checks that files named in the config file exist. The text of a list of packages is sent, wherever its file lies. */
export const filesRule: ConfigRule = function* (app) {
  const dockerfile = app.sections['runtime.custom'].dockerfile_path;
  if (dockerfile !== undefined && !isInside(app.root, resolve(app.root, dockerfile))) {
    const why = 'only files in the folder of the config file are sent';
    yield errorAt('runtime.custom.dockerfile_path', `${dockerfile} is outside of the app folder`, { why });
  } else yield* namedFile(app, 'runtime.custom.dockerfile_path', dockerfile);
  const paths = app.sections['dependencies.paths'];
  if (paths.pip !== undefined || !isSet(app, 'dependencies.pip')) yield* readableByPip(app, paths.pip);
  for (const kind of ['pip', 'conda', 'apt'] as const) {
    yield* namedFile(app, `dependencies.paths.${kind}`, paths[kind]);
    if (paths[kind] === undefined || !isSet(app, `dependencies.${kind}`)) continue;
    yield errorAt(
      `dependencies.paths.${kind}`,
      `${kind} packages are listed in a file and in [cerebrium.dependencies.${kind}]`,
      { why: 'only one of them is allowed', fix: `move them to ${paths[kind]}` },
    );
  }
};

function* readableByPip({ root }: RuleInput, named: string | undefined): Issues {
  const path = named ?? 'requirements.txt';
  const file = resolve(root, path);
  const line = isInside(root, file) ? readRequirementsText(file)?.refusedLine : undefined;
  if (line === undefined) return;
  yield warningAt(named && 'dependencies.paths.pip', `${path}:${line} is not valid UTF-8`, {
    why: 'pip stops there, and the build fails',
    fix: `save ${path} as UTF-8`,
  });
}

/** The kind of file at a path relative to the app folder. */
export function pathKind(root: string, path: string): 'file' | 'folder' | 'missing' {
  return attempt(() => (statSync(resolve(root, path)).isDirectory() ? 'folder' : 'file')) ?? 'missing';
}

/** The setting that names the Dockerfile in the app folder; undefined if there is none. */
export function dockerfileLine(root: string): string | undefined {
  return pathKind(root, 'Dockerfile') === 'file' ? 'dockerfile_path = "./Dockerfile"' : undefined;
}

function* namedFile({ root }: RuleInput, at: string, path: string | undefined): Issues {
  if (path === undefined) return;
  const key = at.split('.').at(-1) ?? at;
  const kind = pathKind(root, path);
  if (kind === 'folder') yield errorAt(at, `${path} is a folder`, { why: `${key} must be a file` });
  if (kind !== 'missing') return;
  const meant = similarFile(root, path);
  const fix = meant && tomlAssignment(key, toToml(meant));
  yield errorAt(at, `${path} not found`, { why: `looked for it in ${root}`, fix });
}

function similarFile(root: string, path: string): string | undefined {
  const meant = closestName(basename(path), namesIn(resolve(root, dirname(path))));
  return meant && join(dirname(path), meant).replaceAll(sep, '/');
}

/** What an own server starts is looked for among the files that are sent. */
export const entrypointRule: ConfigRule = function* (app) {
  if (!isReadable(app, 'runtime.custom', 'runtime.deepgram', 'runtime.rime')) return;
  const { root, configFolder } = app;
  if (selectRuntime(app) !== 'cortex' || pathKind(root, 'main.py') === 'file') return;
  const isElsewhere = configFolder !== root && pathKind(configFolder, 'main.py') === 'file';
  const dockerfile = dockerfileLine(root);
  const meant = similarFile(root, 'main.py');
  const fix = meant ? `rename ${meant} to main.py` : 'add main.py, or set the entrypoint in [cerebrium.runtime.custom]';
  yield errorAt(undefined, 'main.py not found', {
    why: `the default runtime serves main.py, looked for it in ${root}`,
    fix: isElsewhere
      ? `to send the folder of the config file, add -C ${relative(root, configFolder)} and name the file relative to it`
      : dockerfile
        ? `[cerebrium.runtime.custom]\n${dockerfile}`
        : fix,
  });
};

/** The Python file of the app folder that a command starts: `src/app.py` for `uvicorn src.app:app`. */
export function startedScript(root: string, entrypoint: readonly string[]): string | undefined {
  const paths = shellCommands(entrypoint.join(' ')).flatMap(({ words }) => {
    // What runs in a shell is a command in one word.
    const { script = '', module = '' } = serverOf(words[1] === '-c' ? words.slice(2) : words) ?? {};
    const path = module.replaceAll('.', '/');
    return script.endsWith('.py') ? [script] : path === '' ? [] : [`${path}.py`, `${path}/__init__.py`];
  });
  return paths.find((path) => !isAbsolute(path) && pathKind(root, path) === 'file');
}
