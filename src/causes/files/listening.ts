import type { PythonCall } from '../../app/python/facts.ts';
import { sections } from '../../app/schema.ts';
import { listensBy } from '../../app/shell.ts';
import type { Module, ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment, StartedCommand } from './shipment.ts';

/** Where something says that it listens. */
interface Listening {
  host?: string | undefined;
  port?: string | undefined;
  at: SeenCause['at'];
  /** What says it. */
  what: string;
  /** Whether the host is only what the server takes if nothing is said. */
  isUsual?: boolean;
}

const isLocal = (host = '') => /^(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/.test(host);

/** Whether the platform can reach what is started: at its port, and not only from inside. */
export function* lookAtListening(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const { custom, deployment } = shipment.config;
  const port = String(custom?.port ?? sections['runtime.custom'].keys.port.default);
  const found = [...commandsListen(shipment), ...codeListens(shipment, graph)];
  yield* otherPort(found, port, custom?.port !== undefined);
  yield* otherExposed(shipment, found, port);
  const isReachable = found.some(({ host }) => host !== undefined && !isLocal(host));
  for (const each of found) {
    const isOther = isReachable && each.port !== port;
    // An image can say it in its environment.
    const isOfImage = each.isUsual === true && deployment.docker_base_image_url !== undefined;
    if (isLocal(each.host) && !isOther && !isOfImage) yield local(each, port);
  }
}

/** On another port it may be something else of the app. */
const local = ({ host, port, at, what, isUsual }: Listening, wanted: string): SeenCause => ({
  cause: 'bound-to-localhost',
  severity: isUsual || (what !== 'the command' && port !== wanted) ? 'warning' : 'error',
  captured: { host: host ?? '' },
  at,
  why: isUsual ? `${what} does not say where it listens` : `${what} listens on ${host}`,
});

function* otherPort(found: readonly Listening[], port: string, isSet: boolean): Generator<SeenCause> {
  const known = found.filter((each) => /^\d+$/.test(each.port ?? ''));
  // The config file is compared with itself elsewhere.
  const first = known.find(({ at }) => at === undefined || 'file' in at);
  if (!first || known.some((each) => each.port === port)) return;
  yield {
    cause: 'wrong-port',
    severity: 'warning',
    captured: { port: first.port ?? '' },
    at: first.at,
    title: `${first.what} listens on port ${first.port}, but port is ${port}`,
    why: isSet ? undefined : 'port is not set and defaults to 8000',
    fix: `port = ${first.port}`,
  };
}

function* otherExposed(shipment: Shipment, found: readonly Listening[], port: string): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [first, ...others] = docker?.stage.ports ?? [];
  const isKnown = found.some((each) => /^\d+$/.test(each.port ?? ''));
  if (!docker || !first || isKnown || !/^\d+$/.test(first.port)) return;
  if ([first, ...others].some((each) => each.port === port)) return;
  yield {
    cause: 'wrong-port',
    severity: 'warning',
    captured: { port: first.port },
    at: { file: docker.path, line: first.line },
    title: `the Dockerfile exposes port ${first.port}, but port is ${port}`,
    fix: `port = ${first.port}`,
  };
}

/** What the commands say, and what servers do if they say nothing. */
function commandsListen(shipment: Shipment): Listening[] {
  const servers = shipment.servers();
  if (servers.length === 0) return shipment.started().flatMap(otherProgram);
  return servers.flatMap((server): Listening[] => {
    const { program, host, port, at, words } = server;
    const usual = listensBy(program);
    if (!usual) return host || port ? [{ host, port, at, what: 'the command' }] : [];
    const config = configOf(shipment, server);
    if (config !== undefined) return configListens(shipment, config);
    if (words.some((word) => /^(?:--fd|--uds|unix:)/.test(word))) return [];
    const set = variablesOf(server);
    const own = host ?? set.host;
    return [
      {
        host: own ?? usual.host,
        port: port ?? set.port ?? usual.port,
        at,
        what: 'the command',
        isUsual: own === undefined,
      },
    ];
  });
}

type StartedServer = ReturnType<Shipment['servers']>[number];

function configOf(shipment: Shipment, { words, program }: StartedServer): string | undefined {
  const flag = words.findIndex((word) => /^(?:-c|--config)$/.test(word));
  const named = flag < 0 ? undefined : shipment.fileAt(words[flag + 1]?.replace(/^file:/, '') ?? '');
  return named ?? (program === 'gunicorn' ? shipment.fileAt('gunicorn.conf.py') : undefined);
}

/** `bind` of the settings of gunicorn or hypercorn. */
function configListens(shipment: Shipment, file: string): Listening[] {
  const lines = (shipment.text(file) ?? '').split('\n');
  return lines.flatMap((text, at) => {
    const [, host, port] = /^\s*bind\s*=\s*\[?\s*f?["'](?:\w+:\/\/)?([^"']*):(\d+)["']/.exec(text) ?? [];
    return port === undefined ? [] : [{ host, port, at: { file, line: at + 1 }, what: file }];
  });
}

/** `UVICORN_HOST`, `FLASK_RUN_PORT`; gunicorn takes `PORT`. */
function variablesOf({ program, environment }: StartedServer): { host: string | undefined; port: string | undefined } {
  const from = (name: string) =>
    environment.get(`${program.toUpperCase()}_${name}`) ?? environment.get(`${program.toUpperCase()}_RUN_${name}`);
  const given = program === 'gunicorn' ? environment.get('PORT') : undefined;
  return { host: from('HOST') ?? (given && '0.0.0.0'), port: from('PORT') ?? given };
}

/** Of a program that is not known, only what it surely says. */
function otherProgram({ words, at }: StartedCommand): Listening[] {
  const text = words.join(' ');
  const [, bound, boundPort] =
    /(?:--(?:bind|listen|address|addr|host)[= ]|-[bS]\s+)(?:\w+:\/\/)?(\[[^\]]+\]|[\w.]*):(\d{2,5})\b/.exec(text) ?? [];
  const [, port = boundPort] = /--(?:http-)?port[= ](\d{2,5})\b/.exec(text) ?? [];
  const [, host = bound] = /--(?:host|bind|address)[= ](127\.0\.0\.1|localhost|0\.0\.0\.0)(?=\s|$)/.exec(text) ?? [];
  return host === undefined && port === undefined ? [] : [{ host: host || undefined, port, at, what: 'the command' }];
}

/** Calls that start a server: where it listens if nothing is said. Their first texts are host and port, or both of them. */
const serving: readonly [name: RegExp, host: string, port: string][] = [
  [/^uvicorn\.(?:run|Config)$/, '127.0.0.1', '8000'],
  [/^(?:flask\.Flask|quart\.Quart)\.run$/, '127.0.0.1', '5000'],
  [/^gradio\.\w+(?:\.queue)?\.launch$|^\.launch$/, '127.0.0.1', '7860'],
  [/^bottle\.(?:run|Bottle\.run)$/, '127.0.0.1', '8080'],
  [/^sanic\.Sanic\.run$/, '127.0.0.1', '8000'],
  [/^waitress\.serve$/, '0.0.0.0', '8080'],
  [/^aiohttp\.web\.run_app$/, '0.0.0.0', '8080'],
  [/^litserve\.LitServer\.run$/, '0.0.0.0', '8000'],
  [
    /(?:^|\.)(?:Threading)?(?:HTTP|TCP|WSGI)Server$|(?:^|\.)(?:make_server|run_simple|start_server|create_server)$/,
    '',
    '',
  ],
  [/(?:^|\.)(?:add_insecure_port|listen|bind)$|^websockets\.(?:\w+\.)*serve$/, '', ''],
];

/** What the code starts by itself. A server that loads a module by its name does not run that. */
function codeListens(shipment: Shipment, graph: ModuleGraph): Listening[] {
  const runs = shipment.servers().some(({ script, isRun, program }) => (script ?? isRun) && program !== 'streamlit');
  if (!runs) return [];
  return [...graph.modules.values()].flatMap((module) =>
    module.facts.calls.flatMap((call) => callListens(call, module)),
  );
}

export const startsServer = ({ name }: PythonCall) => serving.some(([pattern]) => pattern.test(name));

function callListens(call: PythonCall, { file }: Module): Listening[] {
  const [, host, port] = serving.find(([pattern]) => pattern.test(call.name)) ?? [];
  if (host === undefined) return [];
  const own = addressOf(call);
  const { keywords, arguments: given, line } = call;
  const saysHost = 'host' in keywords || 'server_name' in keywords;
  const saysPort = 'port' in keywords || 'server_port' in keywords || given.length > 1;
  const found: Listening = { at: { file, line }, what: file, isUsual: own.host === undefined };
  found.host = own.host ?? (saysHost ? undefined : host);
  found.port = own.port ?? (saysPort ? undefined : port);
  return found.host || found.port ? [found] : [];
}

/** What a call says itself: by keywords, as `host:port`, or as one after the other. */
function addressOf({ keywords, arguments: given }: PythonCall): { host: string | undefined; port: string | undefined } {
  const texts = [keywords.listen, keywords.bind, keywords.address].concat(given);
  const address = /^(?:\w+:\/\/)?([\w.]*|\[.*\]):(\d{2,5})$/;
  const [, bound, boundPort] = texts.map((each) => address.exec(each ?? '')).find((each) => each !== null) ?? [];
  const host = keywords.host ?? keywords.server_name ?? keywords.hostname ?? bound;
  const port = keywords.port ?? keywords.server_port ?? boundPort;
  const isPort = (text = '') => /^\d{2,5}$/.test(text);
  return { host: host ?? given.find(isHost), port: port ?? given.find(isPort) };
}

const isHost = (text: string | undefined) => text === '0.0.0.0' || isLocal(text);
