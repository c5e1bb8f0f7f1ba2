import type { IncomingMessage } from 'node:http';
import type { Platform } from '../../endpoints/platform.ts';
import { readForm } from '../../http/read-request.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { type CallsPlace, callsAddress, hasCallsKey, parseCallsPath } from '../../model/dashboard-address.ts';
import type { InspectedCall } from '../../model/inspected-calls.ts';
import { callPage, callsPage } from './call-pages.ts';
import { type CallForm, readEditedCall } from './edited-call.ts';
import { htmlReply } from './html-reply.ts';
import { messagePage } from './pages.ts';
import { sendAgain } from './send-again.ts';
import { type ShownCall, showCall } from './shown-call.ts';

/** Whether it is a page of calls. */
export function isCallsPage({ pathname }: URL): boolean {
  return parseCallsPath(pathname) !== undefined;
}

/** Shows the last calls of a project or one of them, and sends one again. */
export async function showCalls(request: IncomingMessage, url: URL, platform: Platform): Promise<ServerReply> {
  const place = parseCallsPath(url.pathname);
  if (!place || !hasCallsKey(url, place.project, platform.store)) return noKey;
  const wanted = place.isSent ? ['POST'] : ['GET', 'HEAD'];
  if (!wanted.includes(request.method ?? '')) {
    return jsonReply({ message: `method ${request.method} not allowed: use ${wanted[0]}` }, 405);
  }
  const link = (run?: string, isSent?: boolean) =>
    callsAddress('', { project: place.project, run, isSent }, platform.store);
  if (place.run === undefined) return htmlReply(200, callsPage({ ...listCalls(place, platform), link }));
  const call = platform.inspected.get(place.run);
  const shown = call && show(call, place, platform);
  if (!call || !shown) return gone;
  if (!place.isSent) return htmlReply(200, callPage(shown, link), { forms: true });
  const problem = shown.obstacle ?? (await send(call, await readForm(request), platform));
  if (typeof problem === 'string') return htmlReply(400, callPage(shown, link, problem), { forms: true });
  return { status: 303, headers: { location: link(problem.run), 'cache-control': 'no-store' }, body: '' };
}

function listCalls(place: CallsPlace, platform: Platform) {
  const calls = platform.inspected.list().flatMap((call) => show(call, place, platform) ?? []);
  return { project: place.project, calls };
}

/** Undefined for a call of another project, and for one whose run was deleted with its app. */
function show(call: InspectedCall, { project }: CallsPlace, platform: Platform): ShownCall | undefined {
  const { store, now, hideSecrets: hide } = platform;
  const [app, run] = [store.apps.get(call.app), store.runs.get(call.run)];
  if (!run || app?.project !== project) return undefined;
  return showCall(call, { app, run, now: now(), hide });
}

/** Resolves to the new run, or to what is wrong. */
async function send(call: InspectedCall, form: CallForm, platform: Platform): Promise<{ run: string } | string> {
  const sent = readEditedCall(call, form, platform.hideSecrets);
  if (typeof sent === 'string') return sent;
  const result = await sendAgain(call, sent, platform);
  return 'run' in result ? result : `It was not accepted: ${platform.hideSecrets(result.refusal)}`;
}

const noKey = htmlReply(
  403,
  messagePage('No access', 'Press i in the terminal of gantry dev. The address is a new one after each start.'),
);

const gone = htmlReply(
  404,
  messagePage('Call not found', 'Only the last calls are kept, and only of apps that still exist.'),
);
