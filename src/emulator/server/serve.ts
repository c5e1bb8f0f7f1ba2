import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAbsolute } from 'node:path';
import { turn } from '../../kernel/clock.ts';
import { systemCode } from '../../kernel/errors.ts';
import { type Endpoint, splitRoute } from '../../platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../platform/contract/index.ts';
import { checkAccess } from '../endpoints/account/access.ts';
import { activationPath, approvalSecret, handleActivation } from '../endpoints/account/activation.ts';
import { captureAddress } from '../endpoints/invocation/webhooks.ts';
import type { Platform } from '../endpoints/platform.ts';
import { equalsInConstantTime } from '../http/owner-check.ts';
import {
  decodeSegment,
  parseAs,
  parseRequestTarget,
  readForm,
  readJson,
  readMultipart,
  requireObject,
  storageTarget,
  withoutNulls,
} from '../http/read-request.ts';
import {
  type ByteStream,
  endWithReply,
  jsonReply,
  RefusalError,
  refusalOf,
  refuse,
  type ServerReply,
  textReply,
} from '../http/reply.ts';
import { dashboardPath } from '../model/dashboard-address.ts';
import { parseFaultOption } from '../model/faults.ts';
import { recordRequest } from '../model/recorded-request.ts';
import { DamagedDataError } from '../model/state/data-folder.ts';
import { formatTime } from '../model/time.ts';
import { applyFault } from './apply-fault.ts';
import { showDashboard } from './dashboard.ts';
import { type IncomingRequest, sendReply } from './exchange.ts';
import { endpointHandlers, matchRoute, storageHandlers } from './routes.ts';
import { restoreState, saveState } from './snapshots.ts';

/** Records a request, then replies or applies a fault. Rejects when the connection breaks. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  platform: Platform,
): Promise<void> {
  let url: URL;
  try {
    url = parseRequestTarget(request, platform.url);
  } catch (error) {
    return endWithReply(response, refusalOf(error));
  }
  if (!url.pathname.startsWith(controlPath)) await platform.changes.ended;
  const route = matchRoute(request.method ?? '', url.pathname);
  const stored = storageTarget(url);
  const target = stored ?? route?.name;
  const call = recordRequest(platform.calls, request, url, target);
  response.setHeader('x-request-id', `req-${call.number}`);
  response.setHeader('date', new Date(platform.now()).toUTCString());

  const incoming = { request, url, route, call };
  const fault = target && platform.faults.take(target);
  const exchange = {
    ...incoming,
    response,
    handle: (body: ByteStream = request) =>
      replyTo(incoming, () =>
        stored
          ? storageHandlers[stored]({ request, url, body, call }, platform)
          : serveEndpoint(incoming, body, platform),
      ),
  };
  if (fault) await applyFault(exchange, fault, platform);
  else await sendReply(exchange, await exchange.handle());
}

async function replyTo({ request }: IncomingRequest, work: () => Promise<ServerReply>): Promise<ServerReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusalError) return error.reply;
    // The client disconnected: nobody would receive a reply.
    if (request.socket.destroyed) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && diskErrors.has(code)) {
      return jsonReply({ message: `the emulator cannot read or write its data: ${message}` }, 507);
    }
    return jsonReply({ message: `the emulator has a bug: ${error instanceof Error ? error.stack : error}` }, 500);
  }
}

/** Errors that are not bugs of the emulator. */
const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG']);

/** Parses a request and encodes its reply as the contract says. */
async function serveEndpoint(
  { request, url, route, call }: IncomingRequest,
  content: ByteStream,
  platform: Platform,
): Promise<ServerReply> {
  if (url.pathname === activationPath) return handleActivation(request, url, platform);
  if (url.pathname.startsWith(dashboardPath)) return showDashboard(request.method, url, platform);
  if (url.pathname.startsWith(controlPath)) return handleControl(request, url, platform);
  const { name, path } = route ?? refuse(404, `route not found: ${call.method} ${call.path}`);
  if (name === 'invoke') return endpointHandlers.invoke({ request, url, body: content, call }, platform);
  const { query, body, form, reply, anonymous }: Endpoint = endpoints[name];
  const pathParams = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, decodeSegment(value)]));
  const caller = anonymous ? undefined : checkAccess(request.headers.authorization, pathParams.project, platform);
  const sent = body && (await bodyReaders[String(form)]?.(request));
  // Endpoints without a token receive credentials: those are not recorded.
  if (body && !anonymous) call.body = sent;
  const params = {
    ...pathParams,
    ...(query && { query: parseAs(query, Object.fromEntries(url.searchParams)) }),
    ...(body && { body: parseAs(body, withoutNulls(requireObject(sent))) }),
  };
  const view = lateView(platform, name, pathParams);
  const result = await endpointHandlers[name](params as never, view, caller);
  if (reply === 'nothing' && result === undefined) return textReply('OK');
  return reply === 'text' ? textReply(String(result)) : jsonReply(result);
}

/** How a body is read, by the endpoint's `form`. */
const bodyReaders: Record<string, (request: IncomingMessage) => Promise<unknown>> = {
  false: readJson,
  true: readForm,
  multipart: readMultipart,
};

const shownLate: readonly EndpointName[] = ['getAppLogs', 'getBuildLogs', 'listContainers', 'listRuns', 'getRunsChart'];

/**
 * The platform as a late reply shows it: lists and logs as they were some time ago. Refuses what names a record that is too
 * young: an app is not in the table of the authorizer yet, a build or a run not in the database.
 */
function lateView(platform: Platform, name: EndpointName, path: Record<string, string>): Platform {
  const { store, late } = platform;
  // The platform's own client changes what it has just created without a second try.
  if (late.ms === 0 || splitRoute(endpoints[name].route).method !== 'GET') return platform;
  const check = (kind: string, records: ReadonlyMap<string, { createdAt: number }>, status: number) => {
    const { createdAt = 0 } = records.get(path[kind] ?? '') ?? {};
    if (createdAt > late.seenAt()) refuse(status, `${kind} ${path[kind]} is not known`);
  };
  check('app', store.apps, 403);
  check('build', store.builds, 404);
  check('run', store.runs, 404);
  return shownLate.includes(name) ? { ...platform, now: late.seenAt } : platform;
}

/** Not a path of the platform: commands of `gantry emulator` and the kits for tests request what is below. */
const controlPath = '/emulator/';

/**
 * Does what the owner asks for if the body has the owner's secret: `{"secret": "…"}`. Signals cannot end a process
 * gracefully on Windows, and tests in other processes cannot call the emulator itself.
 */
async function handleControl(request: IncomingMessage, url: URL, platform: Platform): Promise<ServerReply> {
  const name = url.pathname.slice(controlPath.length);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) refuse(404, `route not found: ${request.method} ${url.pathname}`);
  if (request.method !== 'POST') refuse(405, `method ${request.method} not allowed: use POST`);
  const { secret, ...body } = Object(await readJson(request)) as Record<string, unknown>;
  if (!equalsInConstantTime(String(secret), approvalSecret(platform.store))) refuse(403, 'wrong secret');
  try {
    return await action(body, platform);
  } catch (error) {
    if (error instanceof RangeError) refuse(400, error.message);
    if (error instanceof DamagedDataError) refuse(409, error.message);
    if (systemCode(error) === 'EEXIST') refuse(409, (error as Error).message);
    throw error;
  }
}

type ControlAction = (body: Record<string, unknown>, platform: Platform) => ServerReply | Promise<ServerReply>;

const actions: Record<string, ControlAction> = {
  stop(_, { requestStop }) {
    // After the reply is sent.
    void turn().then(requestStop);
    return jsonReply({ message: 'stopping' }, 202);
  },

  /** `faults`, each as `--fault` takes it. They are added to those that wait, or replace them. */
  fail({ faults, replace }, platform) {
    if (!Array.isArray(faults)) return refuse(400, 'faults must be a list of texts');
    const parsed = faults.map((each) => parseFaultOption(String(each)));
    if (replace === true) platform.faults.clear();
    for (const { target, faults } of parsed) platform.faults.add(target, ...faults);
    return jsonReply({ faults: parsed.length });
  },

  advance({ ms }, { clock }) {
    if (typeof ms !== 'number') refuse(400, 'ms must be a number');
    clock.advance(ms);
    return jsonReply({ now: formatTime(clock.now()) });
  },

  install(_, { runner }) {
    runner.installsPackages = true;
    return jsonReply({ installs: true });
  },

  async save({ folder }, platform) {
    await saveState(pathOf(folder), platform);
    return jsonReply({ apps: appNames(platform) });
  },

  async restore({ folder }, platform) {
    await restoreState(pathOf(folder), platform);
    return jsonReply({ apps: appNames(platform) });
  },

  webhooks(_, { url, captured }) {
    return jsonReply({ url: captureAddress(url), deliveries: captured });
  },
};

function pathOf(folder: unknown): string {
  return typeof folder === 'string' && isAbsolute(folder) ? folder : refuse(400, 'folder must be an absolute path');
}

function appNames({ store }: Platform): string[] {
  return [...store.apps.values()].map(({ name }) => name).sort();
}
