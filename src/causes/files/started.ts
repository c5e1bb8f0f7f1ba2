import { posix } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { readPython } from '../../app/python/read-python.ts';
import { flagOf } from '../../app/shell.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { toToml } from '../../app/toml/format.ts';
import { packageOf } from '../import-names.ts';
import { pythonPackageOfProgram } from '../program-packages.ts';
import { configOf, startsServer, startsStdio } from './listening.ts';
import { folderOf, type Module, type ModuleGraph } from './modules.ts';
import type { Packages } from './packages.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment, StartedCommand } from './shipment.ts';

type StartedServer = ReturnType<Shipment['servers']>[number];

/** What the looks at the start know of the app. */
interface Known {
  shipment: Shipment;
  packages: Packages;
  graph: ModuleGraph;
}

/** Whether what is started exists, and serves the app. */
export function* lookAtStart(shipment: Shipment, packages: Packages, graph: ModuleGraph): Generator<SeenCause> {
  const known = { shipment, packages, graph };
  if (shipment.config.runtime === 'cortex') yield* defaultRuntime(known);
  if (shipment.config.runtime === 'custom') {
    for (const server of shipment.servers()) {
      yield* path(server);
      yield* script(server, known);
      yield* target(server, known);
      yield* worker(server, known);
    }
    yield* entrypoint(shipment);
    for (const command of shipment.started()) yield* program(command, known);
    yield* servesNothing(known);
  }
  yield* buildScripts(shipment);
}

/** FastAPI or Flask behind the default runtime, which serves functions. */
function* defaultRuntime({ shipment, graph }: Known): Generator<SeenCause> {
  if (!shipment.sent.has('main.py') && shipment.exists('main.py')) yield* missing('main.py', undefined, shipment);
  const entry = [...graph.modules.values()].find(({ file }) => file === 'main.py');
  const found = [...(entry?.facts.names ?? [])].find(([, { made }]) => isFramework.test(made));
  if (!found) return;
  const [name, { made, line }] = found;
  const command = isAsgi.test(made)
    ? `["uvicorn", "main:${name}", "--host", "0.0.0.0", "--port", "8000"]`
    : `["gunicorn", "main:${name}", "--bind", "0.0.0.0:8000"]`;
  yield {
    cause: 'runtime-missing',
    severity: 'warning',
    captured: { name, framework: made.replace(/^.*\./, '') },
    at: { file: 'main.py', line },
    fix: `[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}`,
  };
}

const isAsgi = /^(?:fastapi\.(?:\w+\.)*FastAPI|starlette\.(?:\w+\.)*Starlette|quart\.Quart|litestar\.Litestar)$/;
const isWsgi = /^(?:flask\.Flask|bottle\.Bottle|falcon\.App)$/;
const isFramework = new RegExp(`${isAsgi.source}|${isWsgi.source}|^sanic\\.Sanic$`);

const takesModules = /^(?:uvicorn|gunicorn|hypercorn|daphne|granian)$/;

/** `uvicorn app/main.py:app`. */
function* path({ words, program, at }: StartedServer): Generator<SeenCause> {
  const named = words.find((word) => /^[\w./-]+\.py:\w+$/.test(word));
  if (named === undefined || !takesModules.test(program)) return;
  yield {
    cause: 'entrypoint-invalid',
    severity: 'error',
    captured: { target: named },
    at,
    why: `${program} takes the name of a module, not a path`,
    fix: `write ${named.replace(/\.py:/, ':').replaceAll('/', '.')}`,
  };
}

/** A Python file that is not where it is started. */
function* script(server: StartedServer, { shipment }: Known): Generator<SeenCause> {
  const { script: file, program, at, cwd } = server;
  if (file === undefined || shipment.fileAt(file, cwd) !== undefined) return;
  if (shipment.isDocker) yield* scriptOfImage(posix.resolve(cwd, file), at, shipment);
  // The config file is compared with the app folder elsewhere.
  else if (!/^python/.test(program)) {
    const near = shipment.paths.find((each) => posix.basename(each) === posix.basename(file));
    if (near === undefined) yield* missing(posix.normalize(file), at, shipment);
    else yield notThere(file, at, 'error', near);
  }
}

function* scriptOfImage(file: string, at: SeenCause['at'], shipment: Shipment): Generator<SeenCause> {
  const stage = shipment.dockerfile()?.stage;
  if (!stage || stage.files.size === 0) return;
  const name = posix.basename(file);
  const isCopied = stage.others.some((each) => file === each || file.startsWith(`${each}/`));
  const isMade = stage.commands.some(({ words }) => words.join(' ').includes(name));
  const near = [...stage.files.keys()].find((each) => posix.basename(each) === name);
  if (!isCopied && !isMade) yield notThere(file, at, 'warning', near);
}

const notThere = (file: string, at: SeenCause['at'], severity: SeenCause['severity'], near?: string): SeenCause => ({
  cause: 'entrypoint-not-found',
  severity,
  captured: { path: file },
  at,
  title: `${file} is started, and is not there`,
  why: near && `there is ${near}`,
  fix: near && `start ${near}`,
});

/** The module that a server loads, and the object in it. */
function* target(server: StartedServer, known: Known): Generator<SeenCause> {
  const { module, attribute, words } = server;
  if (module === undefined || words.some((word) => /\.py:\w+$/.test(word))) return;
  const found = known.graph.moduleNamed(module);
  const file = server.isRun && programMissing(module, known.graph);
  if (file)
    yield {
      ...notThere(file, server.at, 'error', undefined),
      title: `python -m ${module} runs ${file}, which is not there`,
    };
  else if (!found) yield* moduleMissing(server, module, known);
  else if (attribute !== undefined) yield* objectMissing(server, found, attribute, known);
}

/** `python -m` of a package runs its `__main__.py`. */
function programMissing(module: string, graph: ModuleGraph): string | undefined {
  const found = graph.find(module.split('.'));
  const folder = found === undefined ? undefined : folderOf(found);
  return folder !== undefined && graph.find(['__main__'], [folder]) === undefined
    ? `${module.replaceAll('.', '/')}/__main__.py`
    : undefined;
}

function* moduleMissing({ program, at, cwd }: StartedServer, module: string, { shipment, graph }: Known) {
  const file = module.replaceAll('.', '/');
  const isUnsent = (each: string) => shipment.exists(each) && !shipment.sent.has(each);
  const there = shipment.isDocker ? undefined : [`${file}.py`, `${file}/__init__.py`].find(isUnsent);
  // The config file is compared with the app folder elsewhere.
  const isChecked = at !== undefined && 'setting' in at;
  const isOwn = isOfApp(module.split('.')[0] ?? '', graph) || (takesModules.test(program) && hasCode(graph));
  if (there !== undefined) {
    const { why, fix } = shipment.reasonOf(there);
    const title = `${there} is in the app folder, but is not sent: ${why}`;
    yield { cause: 'module-excluded', severity: 'error' as const, captured: { module }, at, title, fix };
  } else if (!isChecked && isOwn) {
    const folder = module.split('.').slice(0, -1).join('/');
    yield {
      cause: 'entrypoint-not-found',
      severity: shipment.isDocker ? ('warning' as const) : ('error' as const),
      captured: { path: module },
      at,
      title: `${program} loads ${module}, which is not in ${cwd}`,
      fix: modulesIn(folder, graph),
    };
  }
}

/** Whether a package is one of the app, but for its spelling. */
function isOfApp(top: string, graph: ModuleGraph): boolean {
  const own = new Set([...graph.tree.values()].flatMap((file) => /^([^/]+)\/.*\.py$/.exec(file)?.[1] ?? []));
  return graph.find([top]) !== undefined || (packageOf(top) === undefined && closestName(top, own) !== undefined);
}

const hasCode = ({ tree }: ModuleGraph) => [...tree.values()].some((file) => file.endsWith('.py'));

function modulesIn(folder: string, { tree }: ModuleGraph): string | undefined {
  const files = [...tree.values()].filter((file) => /(?<!__init__)\.py$/.test(file));
  const near = files.filter((file) => posix.dirname(file) === (folder || '.'));
  const names = (near.length > 0 ? near : files).slice(0, 3);
  return names.length > 0 ? `the app has ${names.join(', ')}` : undefined;
}

function* objectMissing({ at, module, program }: StartedServer, found: Module, attribute: string, { graph }: Known) {
  const { facts, file } = found;
  const names = graph.namesOf(found);
  // A file without a word is a stand-in for one that is made later.
  if (names.has(attribute) || facts.hasMore || names.size + facts.calls.length === 0) return;
  const made = [...facts.names];
  const functions = made.filter(([, each]) => each.made === 'def').map(([name]) => name);
  const meant =
    closestName(attribute, names.keys()) ??
    made.find(
      ([, each]) => isFramework.test(each.made) || /(?:^|[._])(?:create_app|get_[aw]sgi_application)$/.test(each.made),
    )?.[0] ??
    (program === 'bentoml' ? made.find(([, each]) => each.made === 'class')?.[0] : undefined);
  const isOnlyFunctions = meant === undefined && functions.length > 0;
  const isDefault = isOnlyFunctions && module === 'main';
  const add = isDefault
    ? 'remove [cerebrium.runtime.custom], so that the default runtime serves the functions, or add the object'
    : `add ${attribute} to ${file}`;
  yield {
    cause: 'entrypoint-attribute-missing',
    severity: 'error' as const,
    captured: { module: file, name: attribute },
    at,
    title: `the entrypoint names an object that ${file} does not have: ${attribute}`,
    why: isOnlyFunctions ? `it has only functions: ${functions.slice(0, 3).join(', ')}` : undefined,
    fix: meant ? `write ${module}:${meant}` : add,
  };
}

/** An ASGI app behind a WSGI worker, and the reverse; the package of a worker class. */
function* worker(server: StartedServer, { graph, packages, shipment }: Known): Generator<SeenCause> {
  const { module = '', attribute = 'app', words, at } = server;
  const kind = flagOf(words, '-k', '--worker-class') ?? workerIn(configOf(shipment, server), shipment);
  if (kind === undefined || server.environment.has('GUNICORN_CMD_ARGS')) return;
  const made = graph.moduleNamed(module)?.facts.names.get(attribute)?.made ?? '';
  const said = { cause: 'worker-class-wrong', severity: 'error' as const, captured: { name: kind }, at };
  const wrong = wrongWorker(server, made, kind);
  if (wrong) yield { ...said, ...wrong };
  const [needed = ''] = /^(?:uvicorn|gevent|eventlet)/.exec(kind) ?? [];
  if (needed !== '' && packages.all().isWhole && !packages.has(needed))
    yield { ...said, why: `nothing installs ${needed}`, fix: packages.fixOf(needed) };
}

/** The class that a file of settings names: empty without one, undefined if it cannot be told. */
function workerIn(file: string | undefined, shipment: Shipment): string | undefined {
  const text = file === undefined ? '' : shipment.text(file);
  return text?.includes('worker_class') ? readPython(text, file ?? '').valueOf('worker_class') : text && '';
}

function wrongWorker({ program, words }: StartedServer, made: string, kind: string) {
  if (program === 'gunicorn' && isAsgi.test(made) && !/uvicorn|asgi|hypercorn/i.test(kind))
    return {
      title: 'gunicorn serves an ASGI app with a worker for WSGI apps',
      fix: 'add -k uvicorn.workers.UvicornWorker to the gunicorn command, and uvicorn to the dependencies',
    };
  if (program === 'uvicorn' && isWsgi.test(made) && !words.includes('--interface'))
    return {
      title: 'uvicorn serves a WSGI app as if it was ASGI',
      fix: 'start it with gunicorn, or add --interface wsgi',
    };
  return undefined;
}

const builtinsOfShells = /^(?:cd|export|source|\.|set|alias|ulimit|umask)$/;

/** An entrypoint that cannot be run as a command. */
function* entrypoint({ config, isDocker }: Shipment): Generator<SeenCause> {
  const [first = '', ...rest] = config.custom?.entrypoint ?? [];
  const said = {
    cause: 'entrypoint-invalid',
    severity: 'error' as const,
    captured: { target: first },
    at: { setting: 'runtime.custom.entrypoint' },
  };
  if (isDocker) return;
  if (builtinsOfShells.test(first))
    yield {
      ...said,
      title: `the entrypoint starts ${first}, which only a shell knows`,
      fix: 'entrypoint = ["sh", "-c", "…"]',
    };
  if (rest.length === 0 && /^\S+\s+\S/.test(first))
    yield {
      ...said,
      title: `the entrypoint is one word, with blanks: there is no program of that name`,
      fix: `entrypoint = ${toToml(parseArgsStringToArgv(first))}`,
    };
  if (rest.length === 0 && /^[\w./-]+\.py$/.test(first))
    yield {
      ...said,
      title: `the entrypoint is a file, not a command: ${first}`,
      why: 'a Python file needs an interpreter',
      fix: `entrypoint = ["python", "${first}"]`,
    };
}

const isShell = /^(?:ba|da|z)?sh$/;

/** Programs that nothing brings. */
function* program(command: StartedCommand, known: Known): Generator<SeenCause> {
  const { shipment } = known;
  const [first = '', second = ''] = command.words;
  const name = posix.basename(first);
  const runs = isShell.test(name) && second !== '' && !second.startsWith('-') ? second : first;
  const isPath = (first.includes('/') && !first.startsWith('/')) || runs !== first;
  const file = shipment.fileAt(runs, command.cwd) ?? shipment.fileAt(runs);
  const isMade = /^(?:\.?\/)?\.?venv\/|node_modules\//.test(runs);
  if (isPath && file === undefined && !shipment.isDocker && !isMade)
    yield* missing(posix.normalize(runs), command.at, shipment);
  if (runs === first && first.includes('/') && file !== undefined) yield* notExecutable(file, command.at, shipment);
  yield* namedFiles(command, shipment);
  yield* otherPython(name, command.at, shipment);
  yield* serverMissing(name, command.at, known);
}

/** Files of the app folder that the words of a command name and that are not sent. */
function* namedFiles({ words, at, cwd }: StartedCommand, shipment: Shipment): Generator<SeenCause> {
  const inApp = posix.relative(shipment.workdir, cwd);
  for (const word of shipment.isDocker ? [] : words.slice(1)) {
    const path = posix.join(inApp, word.replace(/^(?:--[\w-]+=)?(?:file:)?/, ''));
    const isFile = /\.(?!py$)[a-z]\w{1,7}$/.test(path) && shipment.exists(path) && !shipment.isFolder(path);
    if (isFile && !shipment.sent.has(path)) yield* missing(path, at, shipment, 'warning');
  }
}

function* notExecutable(file: string, at: SeenCause['at'], shipment: Shipment): Generator<SeenCause> {
  const isChanged = shipment.isDocker && /chmod/.test(shipment.text(shipment.dockerfile()?.path ?? '') ?? '');
  if (!/\.(?:sh|py)$/.test(file) || shipment.sent.get(file)?.executable !== false || isChanged) return;
  yield {
    cause: 'permission-denied',
    severity: 'warning',
    captured: { path: file },
    at,
    title: `${file} is started, and is not executable`,
    fix: `chmod +x ${file}, or start it with its interpreter`,
  };
}

function* otherPython(name: string, at: SeenCause['at'], shipment: Shipment): Generator<SeenCause> {
  const [, version] = /^python(3\.\d+)$/.exec(name) ?? [];
  const python = shipment.python();
  if (version === undefined || python === undefined || version === python || shipment.isDocker) return;
  yield {
    cause: 'command-not-found',
    severity: 'error',
    captured: { command: name },
    at,
    why: `the image has Python ${python}`,
    fix: `start python${python}, or set python_version`,
  };
}

/** Programs that a Python package brings, which nothing installs. */
function* serverMissing(name: string, at: SeenCause['at'], { shipment, packages }: Known): Generator<SeenCause> {
  const needed = pythonPackageOfProgram(name);
  // The runtime has it.
  const isServed = !shipment.isDocker && name === 'uvicorn';
  const isMade = shipment.isDocker && shipment.buildCommands().some(({ words }) => words.join(' ').includes(name));
  if (!needed || isServed || isMade || packages.hasOthers || packages.has(needed.replace(/\[.*/, ''))) return;
  yield {
    cause: 'command-not-found',
    severity: packages.all().isWhole && packages.listed.length > 0 ? 'error' : 'warning',
    captured: { command: name, package: needed },
    at,
    why: `nothing installs ${needed}`,
    fix: packages.fixOf(needed),
  };
}

/** A file that is started and not sent. */
function* missing(
  file: string,
  at: SeenCause['at'],
  shipment: Shipment,
  severity: SeenCause['severity'] = 'error',
): Generator<SeenCause> {
  if (file.startsWith('/') || file.includes('$') || shipment.isOutput(file)) return;
  if (!shipment.exists(file)) {
    yield {
      cause: 'entrypoint-not-found',
      severity: 'error',
      captured: { path: file },
      at,
      title: `${file} is started, and is not in the app`,
    };
    return;
  }
  const { why, fix } = shipment.reasonOf(file);
  const title = `${file} is in the app folder, but is not sent: ${why}`;
  yield { cause: 'file-excluded', severity, captured: { path: file }, at, title, fix };
}

/** `sh setup.sh` in the build. */
function* buildScripts(shipment: Shipment): Generator<SeenCause> {
  for (const { words, at } of shipment.isDocker ? [] : shipment.buildCommands()) {
    const [shell = '', file = ''] = words;
    if (isShell.test(shell) && file.endsWith('.sh') && !shipment.fileAt(file))
      yield* missing(posix.normalize(file), at, shipment);
  }
}

/** A Python file that makes an app and serves nothing, and one that another program has to start. */
function* servesNothing({ shipment, graph }: Known): Generator<SeenCause> {
  const [server, ...others] = shipment.servers();
  const entry = [...graph.modules.values()].find(({ isEntry }) => isEntry === 'script');
  if (!server || !entry || others.length > 0 || !/^python/.test(server.program)) return;
  for (const { file, facts } of graph.modules.values())
    for (const { line } of facts.calls.filter(startsStdio))
      yield {
        cause: 'not-listening',
        severity: 'warning',
        at: { file, line },
        title: `${file} starts a server of MCP that talks over its input and output, not over a port`,
        fix: `run(transport="http", host="0.0.0.0", port=${shipment.config.custom?.port ?? 8000})`,
      };
  const said = { cause: 'not-listening', severity: 'warning' as const, at: server.at };
  const port = shipment.config.custom?.port ?? 8000;
  if (entry.facts.imports.some(({ module }) => module === 'streamlit'))
    yield {
      ...said,
      title: `python runs ${entry.file} once, and starts no server`,
      fix: `entrypoint = ["streamlit", "run", "${server.script}", "--server.port", "${port}", "--server.address", "0.0.0.0"]`,
    };
  else if (makesApp(entry) && ![...graph.modules.values()].some(mayServe))
    yield {
      ...said,
      title: `${entry.file} makes an app, and nothing in it starts a server`,
      fix: `start it with a server, or call it at the end of ${entry.file}`,
    };
}

const makesApp = ({ facts }: Module) => [...facts.names.values()].some(({ made }) => isFramework.test(made));
const mayServe = ({ facts }: Module) =>
  facts.calls.some(
    (call) =>
      startsServer(call) ||
      /(?:^|\.)(?:run|serve|start|main|launch|serve_forever)$|^os\.exec|^subprocess\./.test(call.name),
  );
