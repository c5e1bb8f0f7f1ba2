import { isAbsolute } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { type ConfigIssue, errorAt } from '../toml/issue.ts';
import { pathKind } from './files.ts';
import { isReadable, isSet, type Rule, type RuleInput, selectRuntime } from './rule.ts';

/**
 * Checks that the started file exists. Skips what cannot be known: apps with a Dockerfile, absolute paths, and modules
 * that may come from an image, a package or a build command.
 */
export const entrypointRule: Rule = function* (app) {
  const runtime = selectRuntime(app.sections);
  const custom = app.sections['runtime.custom'];
  if (!isReadable(app, 'runtime.custom', 'runtime.deepgram', 'runtime.rime')) return;
  if (runtime === 'cortex') yield* mainFile(app);
  else if (runtime === 'custom' && custom?.entrypoint && custom.dockerfile_path === undefined) {
    yield* startedFile(app, custom.entrypoint);
  }
};

/** The Python file of the app folder that a command starts: `src/app.py` for `uvicorn src.app:app`. */
export function startedScript(root: string, entrypoint: readonly string[]): string | undefined {
  return parseCommand(entrypoint)?.anyOf.find((path) => !isAbsolute(path) && pathKind(root, path) === 'file');
}

function* mainFile({ root }: RuleInput): Generator<ConfigIssue> {
  if (pathKind(root, 'main.py') === 'file') return;
  yield errorAt(undefined, 'main.py not found', {
    why: `the default runtime serves main.py, looked for it in ${root}`,
    fix: 'add main.py, or set the entrypoint in [cerebrium.runtime.custom]',
  });
}

function* startedFile(app: RuleInput, entrypoint: readonly string[]): Generator<ConfigIssue> {
  const started = parseCommand(entrypoint);
  if (!started || isAbsolute(started.anyOf[0] ?? '')) return;
  if (started.anyOf.some((path) => pathKind(app.root, path) === 'file') || mayBeInstalled(app, started.top)) return;
  const [wanted] = started.anyOf;
  yield errorAt('runtime.custom.entrypoint', `${wanted} not found`, {
    why: `the entrypoint starts it; looked for ${started.anyOf.join(' and ')} in ${app.root}`,
  });
}

interface Started {
  /** The possible files. */
  anyOf: string[];
  /** Its package or top-level folder. */
  top: string;
}

const servers = /^(uvicorn|gunicorn|hypercorn|granian|daphne)$/;
const python = /^python[\d.]*$/;

/** What a command starts: src/app.py for `uvicorn src.app:app`, main.py for `python -u main.py`. */
function parseCommand(entrypoint: readonly string[]): Started | undefined {
  // Splits again to find the command in `sh -c "…"`.
  const parts = parseArgsStringToArgv(entrypoint.join(' '));
  if (parts.some((part) => /^(cd|pushd|--app-dir|--chdir|--pythonpath)\b|PYTHONPATH=/.test(part))) return undefined;
  const server = parts.findIndex((part) => servers.test(part));
  if (server >= 0) return moduleNamed(parts.slice(server + 1));
  const interpreter = parts.findIndex((part) => python.test(part));
  return interpreter < 0 ? undefined : scriptNamed(parts.slice(interpreter + 1));
}

/** Finds `package.module:attribute`. Unlike in `host:port`, no digit follows the colon. */
function moduleNamed(parts: readonly string[]): Started | undefined {
  const [, module] = parts.flatMap((part) => /^([A-Za-z_][\w.]*):[A-Za-z_]/.exec(part) ?? []);
  if (module === undefined) return undefined;
  const path = module.replaceAll('.', '/');
  return { anyOf: [`${path}.py`, `${path}/__init__.py`], top: module.split('.')[0] ?? module };
}

/** The first argument if it is a script; `-m` and `-c` start something else. */
function scriptNamed(parts: readonly string[]): Started | undefined {
  const script = parts.find((part) => !/^-[^mc]/.test(part));
  if (!script?.endsWith('.py')) return undefined;
  const path = script.replace(/^(\.\/)+/, '');
  return { anyOf: [path], top: path.split('/')[0] ?? path };
}

/** Whether a module other than `main` may come from a package or a build command. */
function mayBeInstalled(app: RuleInput, top: string): boolean {
  if (top === 'main' || top === 'main.py' || pathKind(app.root, top) === 'folder') return false;
  const builds = ['docker_base_image_url', 'shell_commands', 'pre_build_commands'];
  if (builds.some((key) => isSet(app, 'deployment', key)) || app.sections['dependencies.paths']?.pip) return true;
  return Object.keys(app.sections['dependencies.pip'] ?? {}).some((name) => importName(name) === importName(top));
}

/** `infinity_emb` for `infinity-emb[all]`. */
function importName(name: string): string {
  return name.replace(/\[.*$/, '').trim().replace(/[-.]/g, '_').toLowerCase();
}
