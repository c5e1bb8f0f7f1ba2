import { posix } from 'node:path';
import type { PythonCall } from '../../app/python/facts.ts';
import { closestName } from '../../kernel/closest-name.ts';
import type { Module, ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { ownRoutes } from './tables.ts';

/** Whether the app answers the checks of the platform, where all of its routes are known. */
export function* lookAtChecks(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const { healthcheck_endpoint: healthcheck, readycheck_endpoint: readycheck } = shipment.config.custom ?? {};
  const wanted = Object.entries({ healthcheck, readycheck }).filter(([, path]) => (path ?? '/') !== '/' && path !== '');
  const paths = wanted.map(([, path = '']) => path);
  const routes = wanted.length > 0 ? routesOf(shipment, graph, paths) : undefined;
  if (!routes) return;
  for (const [check, path = ''] of wanted) {
    const plain = `/${path.replace(/^\/+|\?.*$/g, '').replace(/\/$/, '')}`;
    if (routes.some((route) => matches(route, plain))) continue;
    const meant = routes.find((route) => /health|live|ready|ping|status/i.test(route)) ?? closestName(plain, routes);
    yield {
      cause: 'health-check-failed',
      captured: { path: plain, check },
      at: { setting: `runtime.custom.${check}_endpoint` },
      title: `the app has no ${plain}, which the platform asks for`,
      why: `its routes are ${routes.slice(0, 6).join(', ')}`,
      fix: meant && `${check}_endpoint = "${meant}"`,
    };
  }
}

function matches(route: string, path: string): boolean {
  const plain = route.replace(/\/$/, '');
  const pattern = plain
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{[^}]*:path\}|<path:[^>]*>/g, '.*')
    .replace(/\{[^}]*\}|<[^>]*>|:\w+/g, '[^/]+');
  return plain === path || route === path || (/[{<:]/.test(plain) && new RegExp(`^${pattern}$`).test(path));
}

/** The routes of the app; undefined if there may be more. `paths` are asked for. */
function routesOf(shipment: Shipment, graph: ModuleGraph, paths: readonly string[]): readonly string[] | undefined {
  const base = shipment.dockerfile()?.stage.base ?? '';
  const texts = [base, ...shipment.started().map(({ words: [program = ''] }) => posix.basename(program))];
  const own = ownRoutes.find(([server]) => texts.some((each) => server.test(each)));
  if (own) return own[1];
  if (shipment.servers().some(({ module, script }) => module ?? script)) return pythonRoutes(graph, pathsSet(shipment));
  return shipment.isDocker ? textRoutes(shipment, paths) : undefined;
}

/** Frameworks whose routes are in the calls that are known here. */
const frameworks =
  /^(?:django|fastapi|flask|starlette|quart|bottle|aiohttp|sanic|litestar|tornado|falcon|fastmcp)(?:\.|$)/;
/** What brings routes by itself. */
const bringsRoutes = /^(?:rest_framework|gradio|litserve|bentoml|fastapi_health|healthcheck|connexion|mcp)(?:\.|$)/;

/** Variables that have a path which routes may be below. */
const pathsSet = (shipment: Shipment) =>
  new Map(
    shipment.started().flatMap(({ environment }) => [...environment].filter(([name]) => /ROOT|PREFIX|BASE/.test(name))),
  );

function pythonRoutes(graph: ModuleGraph, variables: ReadonlyMap<string, string>): string[] | undefined {
  const modules = [...graph.modules.values()];
  const imports = modules.flatMap(({ facts }) => facts.imports.map(({ module }) => module));
  if (!imports.some((each) => frameworks.test(each)) || imports.some((each) => bringsRoutes.test(each)))
    return undefined;
  const calls = modules.flatMap((module) => module.facts.calls.map((call) => ({ module, call })));
  const routers = new Routers(calls, graph, variables);
  const said = calls.map(({ module, call }) => ({ module, call, ...routeOf(call) }));
  const routes = said.flatMap(({ module, call, route }) =>
    route === undefined ? [] : routers.prefixesOf(call, module).map((prefix) => joined(prefix, route)),
  );
  const hasRoutes = routes.length > 0 || calls.some(({ call }) => call.isDecorator && posting.test(call.name));
  if (said.some(({ isOpen }) => isOpen) || !hasRoutes) return undefined;
  const own = Object.entries(ofFrameworks).flatMap(([name, paths]) =>
    imports.some((each) => each.split('.')[0] === name) ? paths : [],
  );
  return [...new Set([...routes, ...routers.mounted, ...own])];
}

/** What frameworks answer themselves. */
const ofFrameworks = { fastapi: ['/docs', '/openapi.json', '/redoc'], fastmcp: ['/mcp', '/sse'] };

const joined = (prefix: string, route: string) => `${prefix.replace(/\/$/, '')}/${route}`.replace(/\/{2,}/g, '/');

interface CallOf {
  module: Module;
  call: PythonCall;
}

/** Objects that have routes, and where they are mounted. */
class Routers {
  /** Below these, anything may be answered. */
  readonly mounted: string[] = [];
  /** Of what is mounted without a name that is known: any route may be below it. */
  private readonly anywhere: string[] = [''];
  private readonly includes = new Map<string, { parent: string; prefix: string }[]>();
  private readonly made = new Map<string, string>();
  /** The objects that calls make. */
  private readonly owners = new Map<PythonCall, string>();

  constructor(calls: readonly CallOf[], graph: ModuleGraph, variables: ReadonlyMap<string, string>) {
    for (const { module, call } of calls) {
      this.make(module, call);
      if (including.test(call.name)) this.include(module, call, graph, calls);
      else if (/^litestar\.(?:\w+\.)*Router$/.test(call.name)) this.anywhere.push(prefixIn(call));
    }
    for (const { facts } of graph.modules.values()) {
      for (const { value } of facts.texts) if (variables.has(value)) this.anywhere.push(variables.get(value) ?? '');
      if (facts.imports.some(({ name }) => name === 'Controller')) this.anywhere.push(facts.values.get('path') ?? '');
    }
  }

  /** `ops = Blueprint("ops", url_prefix="/ops")`. */
  private make({ path, facts }: Module, call: PythonCall): void {
    const { name, line, keywords } = call;
    const own = [...facts.names].find(([, each]) => each.line === line && each.made === name)?.[0];
    if (own === undefined) return;
    this.owners.set(call, `${path}:${own}`);
    this.made.set(`${path}:${own}`, keywords.prefix ?? keywords.url_prefix ?? '');
  }

  private include(module: Module, call: PythonCall, graph: ModuleGraph, calls: readonly CallOf[]): void {
    const references = Object.entries(call.references).filter(([key]) => !/prefix|name|methods/.test(key));
    const children = references.flatMap(([, text]) => objectOf(text, module, graph) ?? []);
    const prefix = prefixIn(call);
    const parent = `${module.path}:${call.written.split('.')[0]}`;
    const isMount = /(?:mount|add_subapp)$/i.test(call.name);
    if (call.references.routes !== undefined) this.anywhere.push(prefix);
    else if (children.length > 0)
      for (const child of children) this.includes.set(child, [...(this.includes.get(child) ?? []), { parent, prefix }]);
    else if (isMount && !calls.some((each) => each.call.inside === call && routing.test(each.call.name)))
      this.mounted.push(`${prefix}/{rest:path}`);
    else if (isMount) return;
    else this.anywhere.push(prefix);
  }

  prefixesOf(call: PythonCall, { path }: Module): string[] {
    let inner = '';
    let owner = `${path}:${call.written.split('.')[0]}`;
    for (let outer = call.inside; outer; outer = outer.inside) {
      owner = this.owners.get(outer) ?? owner;
      if (/(?:^|\.)(?:Mount|path|re_path)$/.test(outer.name)) inner = joined(outer.arguments[0] ?? '', inner);
    }
    const own = this.prefixes(owner, 0);
    return this.anywhere.flatMap((each) => own.map((one) => joined(joined(each, one), inner)));
  }

  private prefixes(object: string, depth: number): string[] {
    const own = this.made.get(object) ?? '';
    const outer = depth > 5 ? [] : (this.includes.get(object) ?? []);
    const found = outer.flatMap(({ parent, prefix }) =>
      this.prefixes(parent, depth + 1).map((each) => joined(joined(each, prefix), own)),
    );
    return found.length > 0 ? found : [own];
  }
}

const prefixIn = ({ name, keywords, arguments: given }: PythonCall) =>
  keywords.prefix ?? keywords.url_prefix ?? (/(?:mount|add_subapp|Router)$/i.test(name) ? given[0] : undefined) ?? '';

/** The module and the name of what `items.router` or `router` stands for. */
function objectOf(reference: string, module: Module, graph: ModuleGraph): string | undefined {
  const [first = '', second] = reference.split('.');
  const link = module.links.find(({ found }) => found.as === first);
  const named = link?.found.name;
  const part =
    link && named !== undefined ? graph.partOf(link.target === 'above' ? undefined : link.target, named) : undefined;
  const target = part ?? link?.target;
  if (!link) return module.facts.names.has(first) ? `${module.path}:${first}` : undefined;
  if (typeof target !== 'string' || !graph.modules.has(target)) return undefined;
  return part === undefined && named !== undefined ? `${target}:${named}` : second && `${target}:${second}`;
}

interface Route {
  route?: string | undefined;
  /** Whether it brings routes that are not known. */
  isOpen?: boolean;
}

const routing =
  /\.(?:get|head|route|api_route|add_api_route|add_route|add_url_rule|add_get|view|custom_route)$|(?:^|\.)(?:Route|route|path|re_path|url|get)$/;
/** Routes that answer no GET. */
const posting = /\.(?:post|put|patch|delete|websocket)$/;
const mounting =
  /(?:^|\.)(?:mount_gradio_app|Instrumentator|ASGIApp|wrap_app|make_asgi_app|add_health\w*|setup_health)$/;
const including = /(?:^|\.)(?:include_router|register_blueprint|mount|Mount|add_subapp|blueprint|Blueprint\.group)$/;

/** What a call says of routes that answer a GET. */
function routeOf({ name, arguments: given, keywords, isDecorator, inside }: PythonCall): Route {
  if (mounting.test(name)) return { isOpen: true };
  if (including.test(name)) return { isOpen: 'prefix' in keywords && keywords.prefix === undefined };
  // Routes of Django begin without a slash, and those that include others are prefixes.
  if (/^django\.urls\.(?:re_)?path$/.test(name)) return { route: `/${given[0] ?? ''}` };
  if (!routing.test(name)) return {};
  const path = given.find((each) => each !== undefined && (each.startsWith('/') || each === ''));
  const route = path ?? keywords.path ?? keywords.rule;
  const isRoute = isDecorator || /add_|(?:^|\.)(?:Route|path)$/.test(name);
  return { route, isOpen: route === undefined && isRoute && inside === undefined };
}

/** Of another language: texts that are paths. One that ends what is asked for may be below a prefix. */
function textRoutes(shipment: Shipment, paths: readonly string[]): string[] | undefined {
  const sources = shipment.paths.filter((file) => /\.(?:go|rs|[cm]?[jt]s|rb|php|java|kt|cs)$/.test(file));
  const texts = sources.map((file) => shipment.read(file));
  const found = texts.flatMap((text) =>
    [...text.matchAll(/["'`](\/[\w./{}:<>*-]*)["'`]/g)].map(([, path = '']) => path),
  );
  const routes = [...new Set(found)].filter((path) => !/\.\w+$|^\/\.\.|^\/+$/.test(path));
  const mayBeBelow = paths.some((path) => routes.some((route) => path !== route && path.endsWith(route)));
  return routes.length > 0 && !mayBeBelow && !found.includes('/*') ? routes : undefined;
}
