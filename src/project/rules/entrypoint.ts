import { isAbsolute } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { type ConfigIssue, errorAt } from '../toml/issue.ts';
import { pathKind } from './files.ts';
import { isReadable, isSet, type Rule, type RuleInput, selectRuntime } from './rule.ts';

/**
 * The file that is started has to be among the app's files. Only what can be known is checked: nothing with a
 * Dockerfile, no absolute paths, and no module that an image, a package or a build command may bring along.
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

function* mainFile({ root }: RuleInput): Generator<ConfigIssue> {
  if (pathKind(root, 'main.py') === 'file') return;
  yield errorAt(undefined, 'main.py not found', {
    why: `the default runtime serves main.py, looked for in ${root}`,
    fix: 'add main.py, or a [cerebrium.runtime.custom] with the entrypoint to start instead',
  });
}

function* startedFile(app: RuleInput, entrypoint: readonly string[]): Generator<ConfigIssue> {
  const started = startedBy(entrypoint);
  if (!started || isAbsolute(started.anyOf[0] ?? '')) return;
  if (started.anyOf.some((path) => pathKind(app.root, path) === 'file') || mayComeFromElsewhere(app, started.top))
    return;
  const [wanted, ...others] = started.anyOf;
  yield errorAt('runtime.custom.entrypoint', `${wanted} not found`, {
    why: `the entrypoint starts it; looked for ${[wanted, ...others].join(' and ')} in ${app.root}`,
  });
}

interface Started {
  /** Files that would do. */
  anyOf: string[];
  /** Its first name: the package or folder it belongs to. */
  top: string;
}

const servers = /^(uvicorn|gunicorn|hypercorn|granian|daphne)$/;
const python = /^python[\d.]*$/;

/** What a command loads: `uvicorn src.app:app` loads src/app.py, `python -u main.py` main.py. */
function startedBy(entrypoint: readonly string[]): Started | undefined {
  // Split again, so that the command within `sh -c "…"` is seen as well.
  const parts = parseArgsStringToArgv(entrypoint.join(' '));
  if (parts.some((part) => /^(cd|pushd|--app-dir|--chdir|--pythonpath)\b|PYTHONPATH=/.test(part))) return undefined;
  const server = parts.findIndex((part) => servers.test(part));
  if (server >= 0) return moduleNamed(parts.slice(server + 1));
  const interpreter = parts.findIndex((part) => python.test(part));
  return interpreter < 0 ? undefined : scriptNamed(parts.slice(interpreter + 1));
}

/** `package.module:attribute`; a host and its port look alike, but a port begins with a digit. */
function moduleNamed(parts: readonly string[]): Started | undefined {
  const [, module] = parts.flatMap((part) => /^([A-Za-z_][\w.]*):[A-Za-z_]/.exec(part) ?? []);
  if (module === undefined) return undefined;
  const path = module.replaceAll('.', '/');
  return { anyOf: [`${path}.py`, `${path}/__init__.py`], top: module.split('.')[0] ?? module };
}

/** The first word that is no option, if it is a script; `-m` and `-c` start something else. */
function scriptNamed(parts: readonly string[]): Started | undefined {
  const script = parts.find((part) => !/^-[^mc]/.test(part));
  if (!script?.endsWith('.py')) return undefined;
  const path = script.replace(/^(\.\/)+/, '');
  return { anyOf: [path], top: path.split('/')[0] ?? path };
}

/** `main` is the user's own; any other name may be a package, or be put there while the image is built. */
function mayComeFromElsewhere(app: RuleInput, top: string): boolean {
  if (top === 'main' || top === 'main.py' || pathKind(app.root, top) === 'folder') return false;
  const builds = ['docker_base_image_url', 'shell_commands', 'pre_build_commands'];
  if (builds.some((key) => isSet(app, 'deployment', key)) || app.sections['dependencies.paths']?.pip) return true;
  return Object.keys(app.sections['dependencies.pip'] ?? {}).some((name) => importName(name) === importName(top));
}

/** `infinity-emb[all]` is imported as `infinity_emb`. */
function importName(name: string): string {
  return name.replace(/\[.*$/, '').trim().replace(/[-.]/g, '_').toLowerCase();
}
