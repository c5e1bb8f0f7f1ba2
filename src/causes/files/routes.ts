import { posix } from 'node:path';
import type { PythonCall } from '../../app/python/facts.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { matchesIn } from '../../kernel/groups.ts';
import { isFront } from './listening.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { ownRoutes } from './tables.ts';

/** Whether the app answers the checks of the platform, where all of its routes are known. */
export function* lookAtChecks(app: LookedApp): Generator<SeenCause> {
  const { custom } = app.shipment.config;
  const { healthcheck_endpoint: healthcheck = '/', readycheck_endpoint: readycheck = '/' } = custom ?? {};
  const wanted = Object.entries({ healthcheck, readycheck }).filter(([, path]) => !/^\/?$/.test(path));
  const served = wanted.length > 0 ? routesOf(app) : undefined;
  for (const [check, path] of served ? wanted : []) {
    const plain = `/${path.replace(/^\/+|\?.*$/g, '').replace(/\/$/, '')}`;
    if (served && !answers(served, plain)) yield unanswered(check, plain, served.routes);
  }
}

function unanswered(check: string, path: string, routes: readonly string[]): SeenCause {
  const meant = routes.find((route) => /health|live|ready|ping|status/i.test(route)) ?? closestName(path, routes);
  const at = { setting: `runtime.custom.${check}_endpoint` };
  return say('health-check-failed', { path, check, routes: routes.slice(0, 6).join(', ') || undefined, meant }, { at });
}

const answers = ({ routes, isBelow }: Routes, path: string) =>
  routes.some((route) => matches(route, path) || (isBelow && path.endsWith(route)));

function matches(route: string, path: string): boolean {
  const plain = route.replace(/\/$/, '');
  const pattern = plain
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{[^}]*:path\}|<path:[^>]*>/g, '.*')
    .replace(/\{[^}]*\}|<[^>]*>|:\w+/g, '[^/]+');
  return plain === path || route === path || (/[{<:]/.test(plain) && new RegExp(`^${pattern}$`).test(path));
}

interface Routes {
  routes: readonly string[];
  /** Whether they may be below a path that is not known. */
  isBelow?: boolean;
}

/** The routes of the app; undefined if there may be more. */
function routesOf(app: LookedApp): Routes | undefined {
  const { shipment } = app;
  const texts = [
    shipment.stage().base,
    ...shipment.started().map(({ words: [program = ''] }) => posix.basename(program)),
  ];
  const ofServer = [...ownRoutes].find(([server]) => texts.some((each) => new RegExp(server).test(each)));
  if (ofServer) return { routes: ofServer[1] };
  if (texts.some((each) => isFront.test(each))) return undefined;
  if (shipment.servers().some(({ module, script }) => module ?? script)) return pythonRoutes(app);
  return shipment.isDocker ? otherRoutes(shipment) : undefined;
}

/** How other languages than Python say a route. */
const said =
  /(?:\b(?:get|all|use|route|GET|Get|HandleFunc|Handle|GetMapping|RequestMapping|MapGet)\s*\(?\s*|\bget\s+)["'`](?:GET )?(\/[\w/.-]*)["'`]/g;
/** What answers at any path, or at one that it does not say. */
const answersMore =
  /["'`]\/?[*:{]|createServer|NoRoute|fallback|rescue_from|Handle(?:Func)?\(\s*"\/"|RouteHandler|FileServer|serveStatic|quarkus|micronaut|actuator|terminus|under-pressure|lightship|health_?check|rails/i;

/** The routes that the sources of other languages say; of Spring, which says none, its own. */
function otherRoutes({ stages, read }: Shipment): Routes | undefined {
  const files = new Set(stages.flatMap((stage) => [...stage.files.values()]));
  const sources = [...files].filter((path) =>
    /\.(?:[cm]?[jt]s|go|rs|rb|php|java|kt|cs)$|pom\.xml$|\.gradle(?:\.kts)?$|config\.ru$/.test(path),
  );
  const texts = sources.map(read);
  const routes = texts.flatMap((text) => matchesIn(text, said).map(({ match: [, route = ''] }) => route));
  const isSpring = texts.some((text) => text.includes('SpringApplication'));
  return texts.some((text) => answersMore.test(text)) || (routes.length === 0 && !isSpring)
    ? undefined
    : { routes, isBelow: true };
}

/** Frameworks whose routes are in the calls that are known here. */
const frameworks = /^(?:django|fastapi|flask|starlette|quart|bottle|aiohttp|sanic|tornado|falcon|fastmcp)(?:\.|$)/;
/** What brings routes by itself. */
const bringsRoutes =
  /^(?:rest_framework|gradio|litserve|litestar|bentoml|ninja|fastapi_health|healthcheck|connexion|mcp)(?:\.|$)/;

function pythonRoutes(app: LookedApp): Routes | undefined {
  const imports = [...app.imported()];
  if (!imports.some((each) => frameworks.test(each)) || imports.some((each) => bringsRoutes.test(each)))
    return undefined;
  const calls = app.calls();
  const said = calls.map(routeOf);
  const routes = said.flatMap(({ route }) => (route === undefined ? [] : [`/${route}`.replace(/\/{2,}/g, '/')]));
  const hasRoutes = routes.length > 0 || calls.some((call) => call.isDecorator && posting.test(call.name));
  if (said.some(({ isOpen }) => isOpen) || !hasRoutes) return undefined;
  const ofFramework = Object.entries(ofFrameworks).flatMap(([name, paths]) =>
    imports.some((each) => each.split('.')[0] === name) ? paths : [],
  );
  return {
    routes: [...new Set([...routes, ...ofFramework])],
    isBelow: calls.some(({ name, keywords }) => isPrefix(name, keywords)),
  };
}

/** What frameworks answer themselves. */
const ofFrameworks = { fastapi: ['/docs', '/openapi.json', '/redoc'], fastmcp: ['/mcp', '/sse'] };

interface ServedRoute {
  route?: string | undefined;
  /** Whether it brings routes that are not known. */
  isOpen?: boolean;
}

const routing =
  /\.(?:get|head|route|api_route|add_api_route|add_route|add_url_rule|add_get|view|custom_route)$|(?:^|\.)(?:Route|route|path|re_path|url|get)$/;
/** Routes that answer no GET. */
const posting = /\.(?:post|put|patch|delete|websocket)$/;
/** What answers below a path, whatever is asked. */
const mounting =
  /(?:^|\.)(?:mount|Mount|add_subapp|mount_gradio_app|Instrumentator|ASGIApp|wrap_app|make_asgi_app|add_health\w*|setup_health)$/;
const including = /(?:^|\.)(?:include_router|register_blueprint|blueprint|Blueprint\.group|add_routes)$/;

const isPrefix = (name: string, keywords: PythonCall['keywords']) =>
  including.test(name) || 'prefix' in keywords || 'url_prefix' in keywords;

/** What a call says of routes that answer a GET. */
function routeOf({ name, arguments: given, keywords, isDecorator }: PythonCall): ServedRoute {
  if (mounting.test(name)) return { isOpen: !/static/i.test(given[0] ?? '') };
  // Routes of Django begin without a slash, and those that include others are prefixes.
  if (/^django\.urls\.(?:re_)?path$/.test(name)) return { route: given[0] ?? '' };
  if (!routing.test(name)) return {};
  const path = given.find((each) => each !== undefined && (each.startsWith('/') || each === ''));
  const route = path ?? keywords.path ?? keywords.rule;
  return { route, isOpen: route === undefined && (isDecorator || /add_|(?:^|\.)(?:Route|path)$/.test(name)) };
}
