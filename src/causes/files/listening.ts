import { isPlainImage } from '../../app/image-contents.ts';
import type { PythonCall } from '../../app/python/facts.ts';
import { readPython } from '../../app/python/read-python.ts';
import { sections } from '../../app/schema.ts';
import { flagOf, listensBy } from '../../app/shell.ts';
import { groupsOf, lineWith, matchesIn } from '../../kernel/groups.ts';
import { defined } from '../../kernel/json-text.ts';
import type { LookedApp } from './looked-app.ts';
import type { Module } from './modules.ts';
import { say } from './said.ts';
import type { StartedCommand } from './script-commands.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment, StartedServer } from './shipment.ts';
import { type ListeningPlace, sourcesListen } from './source-listening.ts';

const isNumber = (text = '') => /^\d{2,5}$/.test(text);
const isLocal = (host = '') => /^(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/.test(host);

/** Whether the platform can reach what is started: at its port, and not only from inside. */
export function* lookAtListening(app: LookedApp): Generator<SeenCause> {
  const { custom } = app.shipment.config;
  if (!custom) return;
  const port = String(custom.port ?? sections['runtime.custom'].keys.port.default);
  const places = placesOf(app);
  yield* otherPort(places, port, custom.port !== undefined);
  yield* otherExposed(app.shipment, places, port);
  yield* onlyLocal(app.shipment, places, port);
}

function* onlyLocal(shipment: Shipment, places: readonly ListeningPlace[], port: string): Generator<SeenCause> {
  const { docker_base_image_url: base = 'debian:' } = shipment.config.deployment;
  const isReachable = places.some((each) => each.port === port || (each.host !== undefined && !isLocal(each.host)));
  for (const each of places) {
    const isOther = isReachable && each.port !== port;
    // An image can say it in its environment.
    const isOfImage = each.isUsual === true && !isPlainImage(base);
    if (isLocal(each.host) && !isOther && !isOfImage) yield local(each, port);
  }
}

/** What the commands and the code say; without those, the sources of other languages and the image. */
function placesOf(app: LookedApp): ListeningPlace[] {
  const { shipment } = app;
  const commands = shipment.started().map(({ words: [program = ''] }) => program);
  const front = commands.find((each) => isFront.test(each));
  if (front !== undefined) return [...frontListens(shipment), { host: '0.0.0.0', at: undefined, what: front }];
  const said = [...commandsListen(shipment), ...codeListens(app)];
  return said.length === 0 && shipment.isDocker ? sourcesListen(shipment) : said;
}

/** The ports of nginx, by the files that the app brings to its folder. A variable may be a port, too. */
function frontListens(shipment: Shipment): ListeningPlace[] {
  const configs = [...shipment.stage().files].flatMap(([path, file]) =>
    /^\/etc\/nginx\/.*conf/.test(path) ? [file] : [],
  );
  const places = configs.flatMap((file) =>
    matchesIn(shipment.read(file), /^\s*listen\s+(?:\S*:)?(\d+|\$\S+?)(?=[\s;])/gm).map(
      ({ match: [, port], line }) => ({
        host: '0.0.0.0',
        port,
        at: { file, line },
        what: file,
      }),
    ),
  );
  return places.some(({ port }) => port?.startsWith('$')) ? [] : places;
}

/** On another port it may be something else of the app. */
const local = (
  { host = '', port, at, what, isUsual, isSetting, keyword }: ListeningPlace,
  wanted: string,
): SeenCause => {
  const isSure = !isUsual && !isSetting && (what === 'the command' || port === wanted);
  return say(
    'bound-to-localhost',
    { host, what, said: isUsual ? undefined : host, keyword },
    { isCertain: isSure, at },
  );
};

function* otherPort(places: readonly ListeningPlace[], port: string, isSet: boolean): Generator<SeenCause> {
  const numbered = places.filter((each) => isNumber(each.port));
  const first = numbered.find(({ host }) => !isLocal(host)) ?? numbered[0];
  if (!first || numbered.some((each) => each.port === port)) return;
  const facts = { port: first.port, what: first.what, wanted: port, default: isSet ? undefined : port };
  yield say('wrong-port', facts, {
    at: isSet && first.at?.setting !== undefined ? { setting: 'runtime.custom.port' } : first.at,
  });
}

function* otherExposed(shipment: Shipment, places: readonly ListeningPlace[], port: string): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [first, ...others] = docker?.stage.ports ?? [];
  const isKnown = places.some((each) => isNumber(each.port));
  if (!docker || !first || isKnown || !isNumber(first.port)) return;
  if ([first, ...others].some((each) => each.port === port)) return;
  const at = { file: docker.path, line: first.line };
  yield say('wrong-port exposed', { port: first.port, wanted: port }, { at });
}

/** What answers in front of the server of the app, and listens by settings of its own. */
export const isFront = /^(?:\S*\/)?(?:nginx|caddy|haproxy|envoy|traefik|socat|httpd|apache2\w*)$/;

/** What the commands say, and what servers do if they say nothing. */
function commandsListen(shipment: Shipment): ListeningPlace[] {
  const servers = shipment.servers();
  if (servers.length === 0) return shipment.started().flatMap(otherProgram);
  return servers.flatMap((server) => serverListens(server, shipment));
}

function serverListens(server: StartedServer, shipment: Shipment): ListeningPlace[] {
  const { program, host, port, at, words } = server;
  const usual = listensBy(program);
  const what = 'the command';
  if (!usual) return host || port ? [{ host, port, at, what }] : [];
  if (words.some((word) => /^(?:--fd|--uds|unix:)/.test(word))) return [];
  if (host || port) return [{ ...usual, ...defined({ host, port }), at, what, isUsual: host === undefined }];
  const config = configOf(shipment, server);
  if (config !== undefined) return [boundIn(shipment, config) ?? []].flat();
  // Variables may say it, too.
  return setsAddress(server) ? [] : [{ ...usual, at, what, isUsual: true }];
}

/** The file of settings that gunicorn or hypercorn reads. */
export function configOf(shipment: Shipment, { words, program, cwd }: StartedServer): string | undefined {
  const named = flagOf(words, '-c', '--config')?.replace(/^(?:file|python):/, '');
  if (named !== undefined) return shipment.fileAt(named, cwd) ?? named;
  return program === 'gunicorn' ? shipment.fileAt('gunicorn.conf.py', cwd) : undefined;
}

/** `bind` of a file of settings. */
function boundIn(shipment: Shipment, file: string): ListeningPlace | undefined {
  const text = shipment.read(file);
  const bind = readPython(text, file).values.get('bind') ?? /^\s*bind\s*=\s*\[?\s*["']([^"']+)/m.exec(text)?.[1];
  const [, host, port] = groupsOf(/^(?:\w+:\/\/)?(.*):(\d+)$/, bind);
  return port === undefined ? undefined : { host, port, at: { file, line: lineWith(text, 'bind') }, what: file };
}

/** `UVICORN_HOST`, `FLASK_RUN_PORT`, `GUNICORN_CMD_ARGS`; gunicorn takes `PORT`. */
const setsAddress = ({ environment }: StartedServer) =>
  [...environment.keys()].some((name) => /(?:HOST|PORT|CMD_ARGS)$/.test(name));

/** What a program that is not known surely says. */
function otherProgram({ words, at }: StartedCommand): ListeningPlace[] {
  const text = words.join(' ');
  const [, bound, boundPort] = groupsOf(
    /(?:--(?:bind|listen|address|addr|host)[= ]|-(?:addr|listen|http)[= ]|-[bS]\s+)(?:\w+:\/\/)?(\[[^\]]+\]|[\w.]*):(\d{2,5})\b/,
    text,
  );
  const [, port = boundPort] = groupsOf(/--(?:http-)?port[= ](\d{2,5})\b/, text);
  const [, host = bound] = groupsOf(/--(?:host|bind|address)[= ](127\.0\.0\.1|localhost|0\.0\.0\.0)(?=\s|$)/, text);
  return host === undefined && port === undefined ? [] : [{ host: host || undefined, port, at, what: 'the command' }];
}

const isMcp = /^(?:fastmcp|mcp\.server\.fastmcp)\.FastMCP\.run$/;

/** Calls that start a server: where it listens if nothing is said. Their first texts are host and port, or both of them. */
const serving: readonly [name: RegExp, host: string, port: string, variables?: string][] = [
  [/^uvicorn\.(?:run|Config)$/, '127.0.0.1', '8000'],
  [/^(?:flask\.Flask|quart\.Quart)\.run$/, '127.0.0.1', '5000'],
  [/^gradio\.\w+(?:\.queue)?\.launch$|^\.launch$/, '127.0.0.1', '7860', 'GRADIO_SERVER'],
  [/^bottle\.(?:run|Bottle\.run)$/, '127.0.0.1', '8080'],
  [/^sanic\.Sanic\.run$/, '127.0.0.1', '8000'],
  [/^waitress\.serve$/, '0.0.0.0', '8080'],
  [/^aiohttp\.web\.run_app$/, '0.0.0.0', '8080'],
  [isMcp, '127.0.0.1', '8000'],
  [/^litserve\.LitServer\.run$/, '0.0.0.0', '8000'],
  [
    /(?:^|\.)(?:Threading)?(?:HTTP|TCP|WSGI)Server$|(?:^|\.)(?:make_server|run_simple|start_server|create_server)$/,
    '',
    '',
  ],
  [/(?:^|\.)(?:add_insecure_port|listen|bind)$|^websockets\.(?:\w+\.)*serve$/, '', ''],
];

/** What the code starts by itself. A server that loads a module by its name does not run that. */
function codeListens({ shipment, graph, modules }: LookedApp): ListeningPlace[] {
  const runs = shipment.servers().some(({ script, isRun, program }) => (script ?? isRun) && program !== 'streamlit');
  if (!runs) return [];
  const set = new Map(shipment.started().flatMap(({ environment }) => [...environment]));
  // A class of settings reads variables, with a prefix or without.
  const isSet = (text: string) =>
    [...set.keys()].some((name) => name.endsWith(text.replace(/^.*\./, '').toUpperCase()));
  return modules.flatMap((module) =>
    module.facts.calls.flatMap((call) =>
      callListens(call, module, set, (text) => (isSet(text) ? undefined : graph.valueOf(text, module))),
    ),
  );
}

export const startsServer = ({ name }: PythonCall) => serving.some(([pattern]) => pattern.test(name));

function callListens(
  given: PythonCall,
  { file, facts }: Module,
  set: ReadonlyMap<string, string>,
  read: (reference: string) => string | undefined,
): ListeningPlace[] {
  const row = serving.find(([pattern]) => pattern.test(given.name));
  if (!row) return [];
  const variable = `${row[3]}_NAME`;
  if (setBy(facts).includes(variable)) return [];
  const call = withValues(given, read);
  const address = addressOf(call);
  if (startsStdio(call) || saysElsewhere(call, address)) return [];
  const isSetting = address.host !== undefined && addressOf(given).host === undefined;
  const place: ListeningPlace = {
    at: { file, line: call.line },
    what: file,
    isUsual: address.host === undefined && !set.has(variable),
    isSetting,
    keyword: /gradio|^\.launch/.test(given.name) ? 'server_name' : 'host',
  };
  const { host, port } = usualOf(row, set);
  place.host = address.host ?? unlessSaid(host, call, hostKeywords);
  place.port = address.port ?? (call.arguments.length > 1 ? undefined : unlessSaid(port, call, portKeywords));
  return [place].filter(isKnown);
}

/** In what is not written out, or where the object is made. */
const saysElsewhere = ({ isOpen, name }: PythonCall, { host }: ReturnType<typeof addressOf>) =>
  host === undefined && (isOpen || isMcp.test(name));

/** The variables of the environment that the code sets itself. */
const setBy = ({ environment }: Module['facts']) =>
  environment.filter(({ isNeeded }) => isNeeded === 'set').map(({ name }) => name);

const usualOf = ([, host, port, variables]: (typeof serving)[number], set: ReadonlyMap<string, string>) => ({
  host: set.get(`${variables}_NAME`) ?? host,
  port: set.get(`${variables}_PORT`) ?? port,
});

const isKnown = ({ host, port }: ListeningPlace) => Boolean(host || port);

const hostKeywords = ['host', 'server_name'];
const portKeywords = ['port', 'server_port'];

/** What a server uses if the call has none of these keywords. */
const unlessSaid = (usual: string, { keywords }: PythonCall, names: readonly string[]) =>
  names.some((name) => name in keywords) ? undefined : usual;

/** A call with the values of what it names. */
function withValues(call: PythonCall, read: (reference: string) => string | undefined): PythonCall {
  const textOf = (key: string, text: string | undefined) =>
    text ?? (call.references[key] === undefined ? undefined : read(call.references[key]));
  return {
    ...call,
    arguments: call.arguments.map((text, at) => textOf(String(at), text)),
    keywords: Object.fromEntries(Object.entries(call.keywords).map(([key, text]) => [key, textOf(key, text)])),
  };
}

/** A server of MCP talks over its input and output if nothing else is said. */
export const startsStdio = ({ name, keywords, arguments: [first] }: PythonCall) =>
  isMcp.test(name) &&
  (keywords.transport ?? first ?? 'stdio') === 'stdio' &&
  !('transport' in keywords && keywords.transport === undefined);

/** What a call says itself: by keywords, as `host:port`, or as one after the other. */
function addressOf({ keywords, arguments: given }: PythonCall): { host: string | undefined; port: string | undefined } {
  const texts = [keywords.listen, keywords.bind, keywords.address].concat(given);
  const address = /^(?:\w+:\/\/)?([\w.]*|\[.*\]):(\d{2,5})$/;
  const [, bound, boundPort] = texts.map((each) => address.exec(each ?? '')).find((each) => each !== null) ?? [];
  const host = keywords.host ?? keywords.server_name ?? keywords.hostname ?? bound;
  const port = keywords.port ?? keywords.server_port ?? boundPort;
  return { host: host ?? given.find(isHost), port: port ?? given.find(isNumber) };
}

const isHost = (text: string | undefined) => text === '0.0.0.0' || isLocal(text);
