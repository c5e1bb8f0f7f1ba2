import { posix } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { readPython } from '../../app/python/read-python.ts';
import { toToml } from '../../app/toml/format.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { fits, groupsOf } from '../groups.ts';
import { packageOf } from '../import-names.ts';
import { pythonPackageOfProgram } from '../program-packages.ts';
import { modulesIn } from './django.ts';
import { folderOf, type LookedApp, type Module, type ModuleGraph } from './modules.ts';
import type { Packages } from './packages.ts';
import { type CausePlace, noProgram, type SeenCause } from './seen-cause.ts';
import { isAsgi, isFramework, servesNothing, worker } from './serving.ts';
import type { Shipment, StartedCommand, StartedServer } from './shipment.ts';
import { startsProcess } from './system.ts';

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
    yield* ownEntrypoint(shipment);
    for (const command of shipment.started()) yield* program(command, known);
    yield* servesNothing(known);
  }
  yield* buildScripts(known);
  yield* processes(known);
}

/** Scripts of the app that the code starts by their paths. */
function* processes({ shipment, graph }: LookedApp): Generator<SeenCause> {
  for (const { facts, file } of graph.modules.values())
    for (const { name, arguments: given, line } of facts.calls) {
      const [program = ''] = startsProcess.test(name) ? (given[0]?.split(/\s/) ?? []) : [];
      const own = program.includes('/') ? shipment.fileAt(program) : undefined;
      if (own !== undefined) yield* notExecutable(own, { file, line }, shipment);
    }
}

/** FastAPI or Flask behind the default runtime, which serves functions. */
function* defaultRuntime({ shipment, graph }: LookedApp): Generator<SeenCause> {
  if (!shipment.sent.has('main.py') && shipment.exists('main.py')) yield* missing('main.py', undefined, shipment);
  const entry = [...graph.modules.values()].find(({ file }) => file === 'main.py');
  const names = new Map(entry?.facts.names);
  for (const { target, found } of entry?.links ?? []) {
    const made = graph.modules.get(String(target))?.facts.names.get(found.name ?? '')?.made;
    if (made !== undefined) names.set(found.as, { made, line: found.line });
  }
  const found = [...names].find(([, { made }]) => isFramework.test(made));
  if (!found) return;
  const [name, { made, line }] = found;
  const command = isAsgi.test(made)
    ? `["uvicorn", "main:${name}", "--host", "0.0.0.0", "--port", "8000"]`
    : `["gunicorn", "main:${name}", "--bind", "0.0.0.0:8000"]`;
  yield {
    cause: 'runtime-missing',
    captured: { name, framework: made.replace(/^.*\./, '') },
    at: { file: 'main.py', line },
    fix: `[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}`,
  };
}

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
function* script(server: StartedServer, { shipment }: LookedApp): Generator<SeenCause> {
  const { script: file, program, at, cwd } = server;
  if (file === undefined || shipment.fileAt(file, cwd) !== undefined) return;
  // The config file is compared with the app folder elsewhere, and an image with its files.
  if (!shipment.isDocker && !/^python/.test(program)) {
    const near = shipment.paths.find((each) => posix.basename(each) === posix.basename(file));
    if (near === undefined) yield* missing(posix.normalize(file), at, shipment);
    else yield notThere(file, at, 'error', near);
  }
}

const notThere = (
  file: string,
  at: CausePlace | undefined,
  severity: SeenCause['severity'],
  near?: string,
): SeenCause => ({
  cause: 'entrypoint-not-found',
  severity,
  captured: { path: file },
  at,
  title: `${file} is started, and is not there`,
  why: near && `there is ${near}`,
  fix: near && `start ${near}`,
});

/** The module that a server loads, and the object in it. */
function* target(server: StartedServer, known: LookedApp): Generator<SeenCause> {
  const { module, attribute, words } = server;
  if (module === undefined || words.some((word) => /\.py:\w+$/.test(word))) return;
  const found = known.graph.moduleNamed(module);
  const folder = server.isRun && folderOf(known.graph.find(module.split('.')) ?? '');
  // `python -m` of a package runs its `__main__.py`.
  if (folder && known.graph.find(['__main__'], [folder]) === undefined) {
    const file = `${module.replaceAll('.', '/')}/__main__.py`;
    yield { ...notThere(file, server.at, 'error'), title: `python -m ${module} runs ${file}, which is not there` };
  } else if (!found && !folder) yield* moduleMissing(server, module, known);
  else if (found && attribute !== undefined) yield* objectMissing(server, found, attribute, known);
}

/** Names that apps give to what they start. */
const startNames = /^(?:main|app|server|api|run|start|serve|worker|bot)$/;

function* moduleMissing(server: StartedServer, module: string, known: LookedApp) {
  const { program, at, cwd } = server;
  const { shipment, packages, graph } = known;
  if (!isOwn(server, module, known)) return;
  const folder = module.split('.').slice(0, -1).join('/');
  yield {
    cause: 'entrypoint-not-found',
    severity: shipment.isDocker || packages.hasOthers ? ('warning' as const) : ('error' as const),
    captured: { path: module },
    at,
    title: `${program} loads ${module}, which is not in ${cwd}`,
    fix: modulesIn(folder, graph),
  };
}

/** Whether the app should have a module that is started. */
function isOwn({ program, at, isRun }: StartedServer, module: string, { packages, graph }: LookedApp): boolean {
  const [top = ''] = module.split('.');
  // The config file is compared with the app folder elsewhere.
  if (at?.setting && !isRun) return false;
  if (isRun && startNames.test(top) && packages.provides(top) !== true) return true;
  return isOfApp(top, graph) || (takesModules.test(program) && hasCode(graph));
}

/** Whether a package is one of the app, but for its spelling. */
function isOfApp(top: string, graph: ModuleGraph): boolean {
  const own = new Set([...graph.tree.values()].flatMap((file) => groupsOf(/^([^/]+)\/.*\.py$/, file).slice(1)));
  return graph.find([top]) !== undefined || (packageOf(top) === undefined && closestName(top, own) !== undefined);
}

const hasCode = ({ tree }: ModuleGraph) => [...tree.values()].some((file) => file.endsWith('.py'));

function* objectMissing(
  { at, module, program }: StartedServer,
  found: Module,
  attribute: string,
  { graph }: LookedApp,
) {
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
      title: 'the entrypoint is one word that contains spaces: no program has that name',
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
function* program(command: StartedCommand, known: LookedApp): Generator<SeenCause> {
  const { shipment } = known;
  const name = posix.basename(command.words[0] ?? '');
  yield* ownProgram(command, shipment);
  yield* namedFiles(command, shipment);
  yield* otherPython(name, command.at, shipment);
  yield* serverMissing(name, command.at, known);
}

/** A file of the app that is started, or that a shell runs. */
function* ownProgram({ words, cwd, at }: StartedCommand, shipment: Shipment): Generator<SeenCause> {
  const [first = '', second = ''] = words;
  const isScript = isShell.test(posix.basename(first)) && /^[^-]/.test(second);
  const runs = isScript ? second : first;
  const file = shipment.fileAt(runs, cwd) ?? shipment.fileAt(runs);
  if (file !== undefined && !isScript && first.includes('/')) yield* notExecutable(file, at, shipment);
  const isOwn = isScript || /^[^/]+\//.test(first);
  if (file === undefined && isOwn && !shipment.isDocker && !/^(?:\.?\/)?\.?venv\/|node_modules\//.test(runs))
    yield* missing(posix.normalize(runs), at, shipment);
}

/** Files of the app folder that the words of a command name and that are not sent. */
function* namedFiles({ words, at, cwd }: StartedCommand, shipment: Shipment): Generator<SeenCause> {
  const inApp = posix.relative(shipment.workdir, cwd);
  for (const [index, word] of shipment.isDocker ? [] : words.slice(1).entries()) {
    const path = posix.join(inApp, word.replace(/^(?:--[\w-]+=)?(?:file:)?/, ''));
    const isFile = /\.(?!py$)[a-z]\w{1,7}$/.test(path) && shipment.exists(path) && !shipment.isFolder(path);
    if (isFile && !shipment.sent.has(path)) yield* missing(path, at, shipment, 'warning');
    if (!/-o\b|out|save|log|dest/.test(`${words[index]} ${word}`)) yield* misnamedFile(path, at, shipment);
  }
}

/** A file that a command names and the app does not have, and another one of its kind and nearly its name. */
function* misnamedFile(path: string, at: CausePlace | undefined, shipment: Shipment): Generator<SeenCause> {
  const { dir, name, ext } = posix.parse(path);
  if (!/^\.(?:ya?ml|txt|json|toml|ini|cfg|conf)$/.test(ext) || shipment.exists(path) || /[$*]/.test(path)) return;
  const near = shipment.paths.find((each) => {
    const other = posix.parse(each);
    const isKin = other.ext.replace('yaml', 'yml') === ext.replace('yaml', 'yml');
    return other.dir === dir && isKin && `_${name}_`.replaceAll('-', '_').includes(`_${other.name}_`);
  });
  if (near === undefined) return;
  yield { cause: 'file-not-found', captured: { path }, at, why: `the app has ${near}`, fix: `write ${near}` };
}

/** A script that the image starts by its path: of `started`, only its commands are left. */
function* ownEntrypoint(shipment: Shipment): Generator<SeenCause> {
  const { path, stage } = shipment.dockerfile() ?? {};
  const { words = shipment.config.custom?.entrypoint ?? [], isShell } = stage?.command ?? {};
  const [first = ''] = isShell ? [] : words;
  const file = first.includes('/') ? shipment.fileAt(first) : undefined;
  const at = path ? { file: path, line: stage?.command?.line } : { setting: 'runtime.custom.entrypoint' };
  if (file !== undefined) yield* notExecutable(file, at, shipment);
  const own = posix.relative(shipment.workdir, posix.resolve(shipment.workdir, first));
  if (stage && !isShell && shipment.exists(own) && !shipment.isFolder(own) && !shipment.sent.has(own))
    yield* missing(own, at, shipment, 'warning');
}

function* notExecutable(file: string, at: CausePlace | undefined, shipment: Shipment): Generator<SeenCause> {
  const isChanged =
    fits(/chmod/, shipment.dockerfile()?.text) || shipment.buildCommands().some(({ words }) => words[0] === 'chmod');
  if (!/\.(?:sh|py)$/.test(file) || shipment.sent.get(file)?.executable !== false || isChanged) return;
  yield {
    cause: 'permission-denied',
    at,
    title: `${file} is started, and is not executable`,
    fix: `chmod +x ${file}, or start it with its interpreter`,
  };
}

function* otherPython(name: string, at: CausePlace | undefined, shipment: Shipment): Generator<SeenCause> {
  const [, version] = groupsOf(/^python(3\.\d+)$/, name);
  const python = shipment.python();
  if (version === undefined || python === undefined || version === python || shipment.isDocker) return;
  const fix = `start python${python}, or set python_version`;
  yield { ...noProgram(name, at, `the image has Python ${python}`, fix), severity: 'error' };
}

/** Programs that a Python package brings, which nothing installs. */
function* serverMissing(
  name: string,
  at: CausePlace | undefined,
  { shipment, packages }: LookedApp,
): Generator<SeenCause> {
  const needed = pythonPackageOfProgram(name);
  // The runtime has it.
  const isServed = !shipment.isDocker && name === 'uvicorn';
  const isMade = shipment.isDocker && shipment.buildCommands().some(({ words }) => words.join(' ').includes(name));
  if (!needed || isServed || isMade || packages.hasOthers || packages.has(needed.replace(/\[.*/, ''))) return;
  const found = noProgram(name, at, `nothing installs ${needed}`, packages.fixOf(needed));
  yield packages.all().isWhole && packages.listed.length > 0 ? { ...found, severity: 'error' } : found;
}

/** A file that is started and not sent. */
function* missing(
  file: string,
  at: CausePlace | undefined,
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
  const { title, fix } = shipment.reasonOf(file);
  yield { cause: 'file-excluded', severity, captured: { path: file }, at, title, fix };
}

const runsFile = /^(?:(?:ba|da|z)?sh \S+\.sh|python[\d.]* \S+\.py)(?: |$)/;

/** `sh setup.sh` and `python setup.py` in the build. */
function* buildScripts(known: LookedApp): Generator<SeenCause> {
  const { shipment } = known;
  const commands = shipment.isDocker ? [] : shipment.buildCommands();
  for (const { words, at } of commands.filter((each) => runsFile.test(each.words.join(' '))))
    for (const word of words.slice(2)) yield* misnamedFile(posix.normalize(word), at, shipment);
  for (const { words, at } of commands.filter((each) => runsFile.test(each.words.join(' ')))) {
    const [, file = ''] = words;
    const own = shipment.fileAt(file);
    const isMade = commands.some((each) => each.words !== words && each.words.join(' ').includes(file));
    if (!own && !isMade) yield* missing(posix.normalize(file), at, shipment);
    else if (own && at.setting?.endsWith('pre_build_commands')) yield* tooEarly(own, at, known);
  }
}

/** What a command before the installation imports. */
function* tooEarly(file: string, at: CausePlace | undefined, { shipment, packages }: LookedApp): Generator<SeenCause> {
  const { imports } = readPython(shipment.read(file), file);
  const found = imports.find(({ module, isNeeded }) => isNeeded === 'always' && packages.has(packageOf(module) ?? ''));
  if (!found) return;
  yield {
    cause: 'module-missing',
    at,
    title: `${file} imports ${found.module}, and pre_build_commands run before the packages are installed`,
    fix: 'move the command to shell_commands',
  };
}
