import { isAbsolute, relative, resolve } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { readRequirementsText } from '../requirements.ts';
import { serverOf } from '../shell.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { dockerfileLine, pathKind } from './files.ts';
import { isReadable, type Rule, type RuleInput, selectRuntime } from './rule.ts';

/** Skips what cannot be known: apps with a Dockerfile, absolute paths, and modules that a package may have. */
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

function* mainFile({ root, configFolder }: RuleInput): Generator<ConfigIssue> {
  if (pathKind(root, 'main.py') === 'file') return;
  const isElsewhere = configFolder !== root && pathKind(configFolder, 'main.py') === 'file';
  const dockerfile = dockerfileLine(root);
  yield errorAt(undefined, 'main.py not found', {
    why: `the default runtime serves main.py, looked for it in ${root}`,
    fix: isElsewhere
      ? `to send the folder of the config file, add -C ${relative(root, configFolder)} and name the file relative to it`
      : dockerfile
        ? `[cerebrium.runtime.custom]\n${dockerfile}`
        : 'add main.py, or set the entrypoint in [cerebrium.runtime.custom]',
  });
}

function* startedFile(app: RuleInput, entrypoint: readonly string[]): Generator<ConfigIssue> {
  const started = parseCommand(entrypoint);
  if (!started || isAbsolute(started.anyOf[0] ?? '')) return;
  const severity = severityOfMissing(app, started);
  if (started.anyOf.some((path) => pathKind(app.root, path) === 'file') || severity === undefined) return;
  const [wanted] = started.anyOf;
  const why = `the entrypoint starts it; looked for ${started.anyOf.join(' and ')} in ${app.root}`;
  if (severity === 'error') yield errorAt('runtime.custom.entrypoint', `${wanted} not found`, { why });
  else {
    yield warningAt('runtime.custom.entrypoint', `${wanted} not found in the app folder`, {
      why: `${why}; the app starts only if its image, a package or a command provides it`,
    });
  }
}

interface Started {
  anyOf: string[];
  /** Its package or top-level folder. */
  top: string;
  isModule: boolean;
}

const servers = /^(uvicorn|gunicorn|hypercorn|granian|daphne)$/;
const python = /^python[\d.]*$/;

/** What a command starts: src/app.py for `uvicorn src.app:app`, main.py for `python -u main.py`. */
function parseCommand(entrypoint: readonly string[]): Started | undefined {
  // Splits again to find the command in `sh -c "…"`.
  const parts = parseArgsStringToArgv(entrypoint.join(' '));
  if (parts.some((part) => /^(cd|pushd|--app-dir|--chdir|--pythonpath)\b|PYTHONPATH=/.test(part))) return undefined;
  const server = parts.findIndex((part) => servers.test(part));
  const start = server >= 0 ? server : parts.findIndex((part) => python.test(part));
  const { script, module, attribute, isRun } = serverOf(start < 0 ? [] : parts.slice(start)) ?? {};
  if (script?.endsWith('.py')) return { anyOf: [script], top: script.split('/')[0] ?? script, isModule: false };
  // gunicorn takes a module alone, too: that may be one of a package.
  if (module === undefined || isRun || !parts.some((part) => part.startsWith(`${module}:${attribute}`)))
    return undefined;
  const path = module.replaceAll('.', '/');
  return { anyOf: [`${path}.py`, `${path}/__init__.py`], top: module.split('.')[0] ?? module, isModule: true };
}

/** How certain it is that a missing module does not come from elsewhere; undefined if it probably does. */
function severityOfMissing(app: RuleInput, { top, isModule }: Started): 'error' | 'warning' | undefined {
  if (top === 'main' || top === 'main.py' || pathKind(app.root, top) === 'folder') return 'error';
  const {
    docker_base_image_url: image = '',
    shell_commands = [],
    pre_build_commands = [],
  } = app.sections.deployment ?? {};
  const mayProvide =
    (image !== '' && !emptyImages.test(image)) ||
    [...pre_build_commands, ...shell_commands].some((command) => !harmlessCommands.test(command));
  const isOwn = ownModules.test(top);
  if (mayProvide) return isOwn ? 'warning' : undefined;
  const packages = isModule ? installedPackages(app) : [];
  if (isOwn || packages.length === 0) return 'error';
  return packages.some((name) => importName(name) === importName(top)) ? undefined : 'warning';
}

/** Modules that users call like this are in the app folder. */
const ownModules = /^(app|server|api|asgi|wsgi|index|run|start|serve)(\.py)?$/;
/** Images of systems and languages contain no app. */
const emptyImages =
  /^((docker\.io\/|public\.ecr\.aws\/docker\/)?(library\/)?(debian|ubuntu|python|alpine|fedora|bitnami\/python|continuumio\/\w+)|(docker\.io\/)?nvidia\/cuda)(:|@|$)/;
/** Commands that create no module. */
const harmlessCommands = /^\s*((sudo\s+)?apt(-get)?|echo|export|mkdir|chmod|ls|true)\b[^|&;]*$/;

function installedPackages(app: RuleInput): string[] {
  const path = app.sections['dependencies.paths']?.pip;
  const listed = path === undefined ? '' : (readRequirementsText(resolve(app.root, path))?.text ?? '');
  const fromFile = listed.split(/\r?\n/).flatMap((line) => /^\s*([\w.-]+)/.exec(line)?.[1] ?? []);
  return [...Object.keys(app.sections['dependencies.pip'] ?? {}), ...fromFile];
}

/** `infinity_emb` for `infinity-emb[all]`. */
function importName(name: string): string {
  return name.replace(/\[.*$/, '').trim().replace(/[-.]/g, '_').toLowerCase();
}
