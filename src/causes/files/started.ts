import { posix } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { analyzeProgram } from '../../app/python-program.ts';
import { ungiven } from '../../app/sample-call.ts';
import { flagOf, unwrapped } from '../../app/shell.ts';
import { toToml } from '../../app/toml/format.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { fits, groupsOf } from '../../kernel/groups.ts';
import { packageOf } from '../import-names.ts';
import { pythonPackageOfProgram } from '../program-packages.ts';
import { configOf, startsServer, startsStdio } from './listening.ts';
import { type Look, type LookedApp, lookAtEach, type ModuleCall } from './looked-app.ts';
import { folderOf, foldersIn, type Module, type ModuleGraph } from './modules.ts';
import { absentFiles, bringsCode, missing } from './named-files.ts';
import { misspelledProgram } from './programs.ts';
import { say, sayUnsent } from './said.ts';
import type { StartedCommand } from './script-commands.ts';
import type { SeenCause } from './seen-cause.ts';
import type { BuildCommand, Shipment, StartedServer } from './shipment.ts';

const isAsgi = /^(?:fastapi\.(?:\w+\.)*FastAPI|starlette\.(?:\w+\.)*Starlette|quart\.Quart|litestar\.Litestar)$/;
const isWsgi = /^(?:flask\.Flask|bottle\.Bottle|falcon\.App)$/;
const isFramework = new RegExp(`${isAsgi.source}|${isWsgi.source}|^sanic\\.Sanic$`);

/** Whether what is started exists, and serves the app. */
export function* lookAtStart(app: LookedApp): Generator<SeenCause> {
  const { shipment } = app;
  if (shipment.config.runtime === 'cortex') {
    yield* defaultRuntime(app);
    yield* uncallable(app);
  }
  if (shipment.config.runtime === 'custom') {
    yield* lookAtEach(shipment.servers(), app, [target, settingsModule, workerLike, otherInterface]);
    yield* entrypoint(shipment);
    yield* notExecutable(shipment);
    yield* lookAtEach(shipment.started(), app, [absentFiles, daemon, serverMissing, misspelledProgram]);
    yield* servesNothing(app);
  }
  if (!shipment.isDocker) yield* lookAtEach(shipment.buildCommands(), app, [buildScript, misspelledProgram]);
  yield* collected(shipment);
}

/** FastAPI or Flask behind the default runtime, which serves functions. */
function* defaultRuntime({ shipment, graph, modules }: LookedApp): Generator<SeenCause> {
  if (!shipment.sent.has('main.py') && shipment.exists('main.py')) yield* missing('main.py', shipment);
  const entry = modules.find(({ file }) => file === 'main.py');
  const served = entry && [...namesOf(entry, graph)].find(([, { made }]) => isFramework.test(made));
  if (!served) return;
  const [name, { made, line }] = served;
  const facts = { name, framework: made.replace(/^.*\./, '') };
  yield say(`runtime-missing ${isAsgi.test(made) ? 'asgi' : 'wsgi'}`, facts, { at: { file: 'main.py', line } });
}

/** What a module makes itself, and what it imports from others of the app. */
function namesOf({ facts, links }: Module, graph: LookedApp['graph']) {
  const names = new Map(facts.names);
  for (const { target, found } of links) {
    const made = graph.module(target)?.facts.names.get(found.name ?? '')?.made;
    if (made !== undefined) names.set(found.as, { made, line: found.line });
  }
  return names;
}

/** Functions that no call can serve, unless the code itself calls them. */
function* uncallable({ shipment, modules }: LookedApp): Generator<SeenCause> {
  const file = 'main.py';
  const { parameters } = analyzeProgram(shipment.bytes(file) ?? Buffer.alloc(0));
  const { calls = [], names } = modules.find((each) => each.file === file)?.facts ?? {};
  for (const [name, given] of parameters) {
    const isOwn = name.startsWith('_') || calls.some((call) => call.name === name);
    const wanted = isOwn ? '' : ungiven(given);
    if (wanted !== '')
      yield say('wrong-arguments', { name, wanted }, { at: { file, line: names?.get(name)?.line ?? 1 } });
  }
}

const takesModules = /^(?:uvicorn|gunicorn|hypercorn|daphne|granian|celery|arq|dramatiq)$/;

/** The module that a server loads, and the object in it. */
const target: Look<StartedServer> = (server, app) => {
  const { module, attribute, words } = server;
  if (module === undefined || words.some((word) => /\.py:\w+$/.test(word))) return undefined;
  const loaded = app.graph.moduleNamed(module);
  const folder = server.isRun && folderOf(app.graph.find(module.split('.')));
  // `python -m` of a package runs its `__main__.py`.
  if (folder && app.graph.find(['__main__'], [folder]) === undefined)
    return say('entrypoint-not-found main', { path: `${module.replaceAll('.', '/')}/__main__.py`, module });
  if (!loaded && !folder) return absentModule(server, module, app);
  return loaded && attribute !== undefined ? objectMissing(server, loaded, attribute, app) : undefined;
};

/** The settings of Django that a variable names. */
const settingsModule: Look<StartedServer> = (server, app) => {
  const name = server.environment.get('DJANGO_SETTINGS_MODULE');
  const isThere = name === undefined || app.graph.find(name.split('.')) !== undefined;
  return isThere ? undefined : absentModule({ ...server, program: 'DJANGO_SETTINGS_MODULE' }, name, app);
};

function absentModule(server: StartedServer, module: string, app: LookedApp) {
  const unsent = unsentModule(server, module, app.shipment);
  if (unsent !== undefined) return sayUnsent(unsent, app.shipment);
  return isOwn(server, module, app) ? moduleMissing(server, module, app) : undefined;
}

/** The file of a module that is in the app folder, and neither sent nor made by the build. */
function unsentModule({ words, cwd }: StartedServer, module: string, shipment: Shipment): string | undefined {
  const name = module.replaceAll('.', '/');
  const paths = ['.', ...foldersIn(words)].flatMap((folder) =>
    [`${name}.py`, `${name}/__init__.py`].map((file) => posix.join(folder, file)),
  );
  if (!shipment.isDocker && bringsCode(shipment)) return undefined;
  return paths.find(
    (path) =>
      shipment.exists(path) && !shipment.sent.has(path) && shipment.lacks(shipment.stage(), posix.resolve(cwd, path)),
  );
}

/** Names that apps give to what they start. */
const startNames = /^(?:main|app|server|api|run|start|serve|worker|bot)$/;

function moduleMissing(server: StartedServer, module: string, { shipment, packages, graph }: LookedApp) {
  const { program, cwd } = server;
  const folder = module.split('.').slice(0, -1).join('/');
  const facts = {
    path: module,
    program,
    cwd,
    names: modulesIn(folder, graph),
    ...inOtherFolder(server, module, graph),
  };
  return say('entrypoint-not-found module', facts, { isCertain: !shipment.isDocker && !packages.hasOthers });
}

/** Where a server can look for its module, by a flag. */
const folderFlags: Readonly<Record<string, string>> = { uvicorn: '--app-dir', gunicorn: '--chdir' };

/** Another folder that has a module of this name. */
function inOtherFolder({ program, cwd, attribute }: StartedServer, module: string, { tree }: ModuleGraph) {
  const end = `/${module.replaceAll('.', '/')}.py`;
  const [path = '', there] = [...tree].find(([each]) => each.endsWith(end)) ?? [];
  if (there === undefined) return withoutFolders(module, attribute, tree, cwd);
  const folder = posix.relative(cwd, path.slice(0, -end.length));
  const whole = [...folder.split('/'), module].join('.') + (attribute === undefined ? '' : `:${attribute}`);
  return { there, folder, flag: folderFlags[program], meant: /^[\w/]+$/.test(folder) ? whole : undefined };
}

/** `main:app` for `app.main:app`, where the folder that is named is the one in which the app starts. */
function withoutFolders(module: string, attribute: string | undefined, tree: ModuleGraph['tree'], cwd: string) {
  const shorter = module.split('.').map((_, at, parts) => parts.slice(at + 1));
  const shorterName = shorter.find((parts) => tree.has(posix.join(cwd, `${parts.join('/')}.py`)))?.join('.');
  return { meant: shorterName && shorterName + (attribute === undefined ? '' : `:${attribute}`) };
}

/** Whether the app should have a module that is started. */
function isOwn(
  { program, at, isRun }: StartedServer,
  module: string,
  { shipment, packages, graph }: LookedApp,
): boolean {
  const [top = ''] = module.split('.');
  const isGiven = packages.provides(top) === true;
  if (startNames.test(top) && (isRun || at?.setting) && !isGiven) return true;
  if (at?.setting && (isGiven || bringsCode(shipment))) return false;
  return isOfApp(top, graph) || (takesModules.test(program) && hasCode(graph));
}

/** Whether a package is one of the app, but for its spelling. */
function isOfApp(top: string, graph: ModuleGraph): boolean {
  const topNames = new Set([...graph.tree.values()].flatMap((file) => groupsOf(/^([^/]+)\/.*\.py$/, file).slice(1)));
  return graph.find([top]) !== undefined || (packageOf(top) === undefined && closestName(top, topNames) !== undefined);
}

const hasCode = ({ tree }: ModuleGraph) => [...tree.values()].some((file) => file.endsWith('.py'));

function objectMissing({ module, program }: StartedServer, loaded: Module, attribute: string, { graph }: LookedApp) {
  const { facts, file } = loaded;
  const names = graph.namesOf(loaded);
  if (!lacksName(loaded, attribute, names)) return undefined;
  const functions = [...facts.names].filter(([, { made }]) => made === 'def').map(([name]) => name);
  const meant = closestName(attribute, names.keys()) ?? objectIn(facts.names, program);
  const only = meant === undefined ? functions.slice(0, 3).join(', ') : '';
  return say('entrypoint-attribute-missing', {
    module: file,
    name: attribute,
    target: module,
    meant,
    functions: only || undefined,
    default: only !== '' && module === 'main' ? 'the default runtime' : undefined,
  });
}

const workers =
  'sync gthread gevent eventlet tornado uvicorn.workers.UvicornWorker uvicorn.workers.UvicornH11Worker uvicorn_worker.UvicornWorker uvicorn_worker.UvicornH11Worker'.split(
    ' ',
  );

/** A worker class of gunicorn that is misspelled. */
const workerLike: Look<StartedServer> = ({ program, words }) => {
  const worker = (program === 'gunicorn' && flagOf(words, '-k', '--worker-class')) || '';
  const isLike = /^(?:uvicorn|\w+$)/.test(worker) && !workers.includes(worker);
  const meant = isLike ? closestName(worker, workers) : undefined;
  return meant === undefined ? undefined : say('worker-class-wrong like', { worker, meant });
};

/** Whether a flag, a file or a variable says how the app is called. */
const saysInterface = (server: StartedServer, shipment: Shipment) =>
  (flagOf(server.words, '-k', '--worker-class', '--interface') ?? configOf(shipment, server)) !== undefined ||
  server.environment.has('GUNICORN_CMD_ARGS');

/** A server of the other of the two interfaces of Python. */
const otherInterface: Look<StartedServer> = (server, { shipment, graph }) => {
  const { program, module, attribute: name = '' } = server;
  const loaded = module === undefined ? undefined : graph.moduleNamed(module);
  if (!loaded || loaded.facts.rebound.has(name) || saysInterface(server, shipment)) return undefined;
  const made = loaded.facts.names.get(name)?.made ?? '';
  const row = interfaces.find(([, servers, apps]) => servers.test(program) && apps.test(made));
  const facts = { program, name, file: loaded.file, framework: made.replace(/^.*\./, '') };
  return row && say(`worker-class-wrong ${row[0]}`, { ...facts, class: workerOfAsgi[program] });
};

const workerOfAsgi: Readonly<Record<string, string>> = { gunicorn: 'uvicorn.workers.UvicornWorker' };

const interfaces: readonly (readonly [kind: string, servers: RegExp, apps: RegExp])[] = [
  ['asgi', /^(?:gunicorn|waitress-serve)$/, isAsgi],
  ['wsgi', /^(?:uvicorn|daphne)$/, isWsgi],
];

/** A file without a word is a stand-in for one that is made later. */
const lacksName = ({ facts }: Module, name: string, names: ReadonlyMap<string, unknown>) =>
  !names.has(name) && !facts.hasMore && names.size + facts.calls.length > 0;

/** What a server surely can load: an app; of BentoML, a class. */
function objectIn(names: Module['facts']['names'], program: string): string | undefined {
  const isApp = (made: string) =>
    isFramework.test(made) || /(?:^|[._])(?:create_app|get_[aw]sgi_application)$/.test(made);
  const nameOf = (isOne: (made: string) => boolean) => [...names].find(([, { made }]) => isOne(made))?.[0];
  return nameOf(isApp) ?? (program === 'bentoml' ? nameOf((made) => made === 'class') : undefined);
}

/** Whether files may get other modes than they have here. Windows has no such mode. */
const changesModes = (shipment: Shipment) =>
  process.platform === 'win32' ||
  shipment.builds(/^(?:chmod|install) /) ||
  fits(/--chmod/, shipment.dockerfile()?.text);

/** A file of the app that is started by itself, and that its mode does not allow. */
function* notExecutable(shipment: Shipment): Generator<SeenCause> {
  const [path = ''] = unwrapped(shipment.stage().command?.words ?? []);
  const file = path.includes('/') ? shipment.fileAt(path) : undefined;
  if (file === undefined || shipment.sent.get(file)?.executable || changesModes(shipment)) return;
  yield say('permission-denied', { path: file }, { at: shipment.startedAt });
}

/** An entrypoint that cannot be run as a command. */
function* entrypoint({ config, isDocker, stage, started, startedAt }: Shipment): Generator<SeenCause> {
  const last = started().at(-1);
  if (last && /[^&]&\s*$/.test(stage().command?.words.join(' ') ?? ''))
    yield say('entrypoint-invalid ampersand', { target: programOf(last) }, { at: startedAt });
  const [first = '', ...rest] = config.custom?.entrypoint ?? [];
  const words = toToml(parseArgsStringToArgv(first));
  const wrong = isDocker ? [] : forms.filter(([, fails]) => fails(first, rest));
  for (const [name] of wrong)
    yield say(name, { target: first, words }, { at: { setting: 'runtime.custom.entrypoint' } });
}

const forms: readonly (readonly [name: string, fails: (first: string, rest: readonly string[]) => boolean])[] = [
  ['entrypoint-invalid shell', (first) => /^(?:cd|export|source|\.|set|alias|ulimit|umask)$/.test(first)],
  ['entrypoint-invalid spaces', (first, rest) => rest.length === 0 && /^\S+\s+\S/.test(first)],
  ['entrypoint-invalid file', (first, rest) => rest.length === 0 && /^[\w./-]+\.py$/.test(first)],
];

const programOf = ({ words: [program = ''] }: StartedCommand) => posix.basename(program);

/** A program that goes to the background, as it is started. */
const daemon: Look<StartedCommand> = (command, { shipment }) => {
  const name = programOf(command);
  const [, , fix] = daemons.find(([program, isOne]) => program === name && isOne(command, shipment)) ?? [];
  return fix === undefined ? undefined : say('entrypoint-invalid background', { target: name }, { fix });
};

/** The text of the files that list what a process manager starts. */
const processFile = (command: StartedCommand, shipment: Shipment) =>
  shipment.managedFiles(command).map(shipment.read).join('\n');

/** Programs that start what they run in the background, unless they are told otherwise. */
const daemons: readonly [
  program: string,
  isOne: (command: StartedCommand, shipment: Shipment) => boolean,
  fix: string,
][] = [
  [
    'supervisord',
    (command, shipment) =>
      !command.words.some((word) => /^(?:-n|--nodaemon)$/.test(word)) &&
      /^\[program:/m.test(processFile(command, shipment)) &&
      !/^nodaemon\s*=\s*(?:true|1|yes|on)/im.test(processFile(command, shipment)),
    'start supervisord with -n, or write nodaemon=true below [supervisord]',
  ],
  ['gunicorn', ({ words }) => words.some((word) => /^(?:-D|--daemon)$/.test(word)), 'start gunicorn without --daemon'],
];

/** The package of the workers of gunicorn, `gevent`. */
const workerOf = (started: StartedCommand) =>
  programOf(started) === 'gunicorn'
    ? packageOf(flagOf(started.words, '-k', '--worker-class')?.split('.')[0] ?? '')
    : undefined;

/** Programs that a Python package brings, and workers, which nothing installs. */
const serverMissing: Look<StartedCommand> = (started, { shipment, packages }) => {
  const command = workerOf(started) ?? programOf(started);
  const needed = workerOf(started) ?? pythonPackageOfProgram(command);
  // The runtime has uvicorn.
  const isMade = shipment.isDocker
    ? shipment.buildTexts().some((text) => text.includes(command))
    : command === 'uvicorn';
  if (!needed || isMade || packages.hasOthers || packages.has(needed.replace(/\[.*/, ''))) return undefined;
  const isCertain = packages.all().isWhole && packages.listed.length > 0;
  return say('command-not-found', { command, package: needed }, { isCertain, fix: packages.fixOf(needed) });
};

const runsFile = /^(?:(?:ba|da|z)?sh \S+\.sh|python[\d.]* \S+\.py)(?: |$)/;

/** `sh setup.sh` and `python setup.py` in the build. */
const buildScript: Look<BuildCommand> = ({ words }, { shipment }) => {
  const [, file = ''] = words;
  const others = shipment.buildCommands().filter((each) => each.words !== words);
  const isMade = others.some((each) => each.words.join(' ').includes(file));
  const isThere = isMade || shipment.fileAt(file) !== undefined || !runsFile.test(words.join(' '));
  return isThere ? undefined : missing(posix.normalize(file), shipment);
};

function modulesIn(folder: string, { tree }: ModuleGraph): string | undefined {
  const files = [...tree.values()].filter((file) => /(?<!__init__)\.py$/.test(file));
  const near = files.filter((file) => posix.dirname(file) === (folder || '.'));
  const names = (near.length > 0 ? near : files).slice(0, 3);
  return names.join(', ') || undefined;
}

/** `collectstatic` needs a folder. */
function* collected(shipment: Shipment): Generator<SeenCause> {
  const commands = [...shipment.buildCommands(), ...shipment.started()];
  const step = commands.find(({ words }) => words.includes('collectstatic'));
  const sources = step ? shipment.paths.filter((path) => path.endsWith('.py')) : [];
  const file = sources.find((path) => shipment.read(path).includes('INSTALLED_APPS'));
  if (file !== undefined && !sources.some((path) => /STATIC_ROOT|django_heroku/.test(shipment.read(path))))
    yield say('command-failed static', { file }, { at: step?.at });
}

/** A Python file that makes an app and serves nothing, and one that another program has to start. */
function* servesNothing({ shipment, modules, calls }: LookedApp): Generator<SeenCause> {
  const [server, ...others] = shipment.servers();
  const entry = modules.find(({ isEntry }) => isEntry === 'script');
  if (!server || !entry || others.length > 0 || !/^python/.test(server.program)) return;
  const port = shipment.config.custom?.port ?? 8000;
  for (const { at } of calls().filter(startsStdio)) yield say('not-listening stdio', { file: at.file, port }, { at });
  const facts = { file: entry.file, script: server.script, port };
  if (entry.facts.imports.some(({ module }) => module === 'streamlit'))
    yield say('not-listening streamlit', facts, { at: server.at });
  else if ((makesApp(entry) || makesDemo(entry)) && !calls().some(mayServe))
    yield say('not-listening', facts, { at: server.at });
}

const makesDemo = ({ facts }: Module) =>
  facts.calls.some(({ name }) => /^gradio\.(?:Blocks|Interface|ChatInterface)$/.test(name));
const makesApp = ({ facts }: Module) => [...facts.names.values()].some(({ made }) => isFramework.test(made));
const mayServe = (call: ModuleCall) =>
  startsServer(call) ||
  /(?:^|\.)(?:run|serve|start|main|launch|serve_forever)$|^os\.exec|^subprocess\./.test(call.name);
