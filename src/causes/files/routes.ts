import { posix } from 'node:path';
import type { PythonCall } from '../../app/python/facts.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import type { ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { ownRoutes } from './tables.ts';

/** Whether the app answers the checks of the platform, where all of its routes are known. */
export function* lookAtChecks(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const { healthcheck_endpoint: healthcheck, readycheck_endpoint: readycheck } = shipment.config.custom ?? {};
  const wanted = Object.entries({ healthcheck, readycheck }).filter(([, path]) => (path ?? '/') !== '/' && path !== '');
  const routes = wanted.length > 0 ? routesOf(shipment, graph) : undefined;
  if (!routes) return;
  for (const [check, path = ''] of wanted) {
    const plain = `/${path.replace(/^\/+|\?.*$/g, '').replace(/\/$/, '')}`;
    if (routes.some((route) => matches(route, plain))) continue;
    const meant = routes.find((route) => /health|live|ready|ping|status/i.test(route)) ?? closestName(plain, routes);
    yield {
      cause: 'health-check-failed',
      severity: 'warning',
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

/** The routes of the app; undefined if there may be more. */
function routesOf(shipment: Shipment, graph: ModuleGraph): readonly string[] | undefined {
  const base = shipment.dockerfile()?.stage.base ?? '';
  const texts = [base, ...shipment.started().map(({ words }) => posix.basename(words[0] ?? ''))];
  const own = ownRoutes.find(([server]) => texts.some((each) => server.test(each)));
  if (own) return own[1];
  if (shipment.servers().some(({ module, script }) => module ?? script)) return pythonRoutes(graph);
  return shipment.isDocker ? textRoutes(shipment) : undefined;
}

/** Frameworks whose routes are in the calls that are known here. */
const frameworks = /^(?:django|fastapi|flask|starlette|quart|bottle|aiohttp|sanic|litestar|tornado|falcon)(?:\.|$)/;
/** What brings routes by itself. */
const bringsRoutes = /^(?:rest_framework|gradio|litserve|bentoml|fastapi_health|healthcheck|connexion|mcp)(?:\.|$)/;

function pythonRoutes(graph: ModuleGraph): string[] | undefined {
  const modules = [...graph.modules.values()];
  const imports = modules.flatMap(({ facts }) => facts.imports.map(({ module }) => module));
  if (!imports.some((each) => frameworks.test(each)) || imports.some((each) => bringsRoutes.test(each)))
    return undefined;
  const said = modules.flatMap(({ facts }) => facts.calls.map(routeOf));
  const routes = said.flatMap(({ route }) => (route === undefined ? [] : [route]));
  if (said.some(({ isOpen }) => isOpen) || routes.length === 0) return undefined;
  const prefixes = new Set([
    '',
    ...said.flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix.replace(/\/$/, '')])),
  ]);
  const all = [...prefixes].flatMap((prefix) => routes.map((route) => prefix + route));
  const own = imports.some((each) => /^fastapi(?:\.|$)/.test(each)) ? ['/docs', '/openapi.json', '/redoc'] : [];
  return [...new Set([...all, ...own])];
}

interface Route {
  route?: string | undefined;
  prefix?: string | undefined;
  /** Whether it brings routes that are not known. */
  isOpen?: boolean;
}

const routing =
  /\.(?:get|post|put|patch|delete|head|options|route|api_route|add_api_route|add_route|add_url_rule|websocket|add_get|add_post|view)$|(?:^|\.)(?:Route|route|path|re_path|url|get|post)$/;
const mounting =
  /(?:^|\.)(?:mount|Mount|mount_gradio_app|Instrumentator|ASGIApp|wrap_app|make_asgi_app|add_health\w*|setup_health)$/;
const including = /(?:^|\.)(?:include_router|register_blueprint)$/;

/** What a call says of routes. */
function routeOf({ name, arguments: given, keywords, isDecorator }: PythonCall): Route {
  const prefix = keywords.prefix ?? keywords.url_prefix ?? keywords.root_path;
  if (mounting.test(name)) return { prefix: given[0], isOpen: given[0] === undefined || given[0] === '/' };
  if (including.test(name))
    return { prefix, isOpen: prefix === undefined && ('prefix' in keywords || 'url_prefix' in keywords) };
  // Routes of Django begin without a slash, and those that include others are prefixes.
  if (/^django\.urls\.(?:re_)?path$/.test(name)) return { route: `/${given[0] ?? ''}`, prefix: `/${given[0] ?? ''}` };
  if (!routing.test(name)) return { prefix };
  const path = given.find((each) => each !== undefined && (each.startsWith('/') || each === ''));
  const route = path ?? keywords.path ?? keywords.rule;
  return { prefix, route, isOpen: route === undefined && (isDecorator || /add_|(?:^|\.)(?:Route|path)$/.test(name)) };
}

/** Of another language: texts that are paths. */
function textRoutes(shipment: Shipment): string[] | undefined {
  const sources = shipment.paths.filter((file) => /\.(?:go|rs|[cm]?[jt]s|rb|php|java|kt)$/.test(file));
  const texts = sources.map((file) => shipment.text(file) ?? '');
  const found = texts.flatMap((text) =>
    [...text.matchAll(/["'`](\/[\w./{}:<>*-]*)["'`]/g)].map(([, path = '']) => path),
  );
  const routes = [...new Set(found)].filter((path) => !/\.\w+$|^\/\.\.|^\/+$/.test(path));
  return routes.length > 0 && !found.includes('/*') ? routes : undefined;
}
