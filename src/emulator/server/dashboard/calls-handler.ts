import { type IncomingMessage, request } from 'node:http';
import {
  copyButton,
  filterField,
  type Html,
  html,
  type PageParts,
  pageSection,
  rowsTable,
  type WebPage,
  webPage,
  wrapping,
} from '../../../kernel/output/page-kit/page-kit.ts';
import { appEndpoint } from '../../endpoints/apps/view.ts';
import type { Platform } from '../../endpoints/platform.ts';
import { maxCapturedBytes } from '../../http/buffered-body.ts';
import { isAppHost } from '../../http/origin.ts';
import { readForm } from '../../http/read-request.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { type CallsPlace, callsAddress, dashboardAddress, hasKey } from '../../model/dashboard-address.ts';
import { type InspectedCall, maxInspectedCalls } from '../../model/inspected-calls.ts';
import { readRunLog } from './handler.ts';
import { clock, logView, messageReply, ms, runWord, type ShownLine, short } from './pages.ts';
import { editableHeaders, headText, type ShownCall, showCall, textOf } from './shown-call.ts';

/** Shows the last calls of a project or one of them, and sends one again. */
export async function showCalls(
  request: IncomingMessage,
  url: URL,
  place: CallsPlace,
  platform: Platform,
): Promise<ServerReply> {
  if (!hasKey(url, 'calls', place.project, platform.store)) return noKey;
  const wanted = place.isSent ? ['POST'] : ['GET', 'HEAD'];
  if (!wanted.includes(request.method ?? '')) {
    return jsonReply({ message: `method ${request.method} not allowed: use ${wanted[0]}` }, 405);
  }
  const link: CallLink = (run, isSent) => callsAddress('', { project: place.project, run, isSent }, platform.store);
  const home = [place.project, dashboardAddress('', { project: place.project }, platform.store)] as const;
  if (place.run !== undefined) return showOneCall(place.run, { request, place, home, link }, platform);
  const calls = platform.inspected.list().flatMap((call) => show(call, place, platform)?.shown ?? []);
  return { status: 200, ...callsPage(calls, { trail: [home], link }) };
}

type CallLink = (run?: string, isSent?: boolean) => string;

interface CallRequest {
  request: IncomingMessage;
  place: CallsPlace;
  home: readonly [string, string];
  link: CallLink;
}

async function showOneCall(id: string, { request, place, home, link }: CallRequest, platform: Platform) {
  const call = platform.inspected.get(id);
  const found = call && show(call, place, platform);
  if (!call || !found) return gone;
  const { shown, app, run } = found;
  const lines = readRunLog(app, run, platform);
  const trail = [home, ['All calls', link()] as const];
  if (!place.isSent) return { status: 200, ...callPage(shown, lines, { trail, link }) };
  const problem = shown.obstacle ?? (await send(call, await readForm(request), platform));
  if (typeof problem === 'string') return { status: 400, ...callPage(shown, lines, { trail, link, problem }) };
  return { status: 303, headers: { location: link(problem.run), 'cache-control': 'no-store' }, body: '' };
}

/** Undefined for a call of another project, and for one whose run was deleted with its app. */
function show(call: InspectedCall, { project }: CallsPlace, platform: Platform) {
  const { store, now, hideSecrets: hide, url } = platform;
  const [app, run] = [store.apps.get(call.app), store.runs.get(call.run)];
  if (!run || app?.project !== project) return undefined;
  return { shown: showCall(call, { app, run, now: now(), hide, url: appEndpoint(app, url) }), app, run };
}

/** Resolves to the new run, or to what is wrong. */
async function send(call: InspectedCall, form: CallForm, platform: Platform): Promise<{ run: string } | string> {
  const sent = readEditedCall(call, form, platform.hideSecrets);
  if (typeof sent === 'string') return sent;
  const result = await sendAgain(call, sent, platform);
  return typeof result === 'string' ? `It was not accepted: ${platform.hideSecrets(result)}` : result;
}

const noKey = messageReply(
  403,
  'No access',
  'Press i in the terminal of gantry dev. The address is a new one after each start.',
);

const gone = messageReply(404, 'Call not found', 'Only the last calls are kept, and only of apps that still exist.');

/** The fields of the form on the page of a call; none of them if it is sent as it was. */
type CallForm = Partial<Record<'method' | 'path' | 'head' | 'body', string>>;

/**
 * What a form says to send. What was not edited is sent as it was, also where the page hides a secret; where an edited
 * text has a place of a hidden secret, nobody knows what belongs there. Returns what is wrong as text.
 */
function readEditedCall(call: InspectedCall, form: CallForm, hide: (text: string) => string): Sent | string {
  const { method = call.method, path = hide(call.path), head } = form;
  if (!/^[A-Z]+$/.test(method)) return 'The method must be a word in capital letters, such as POST.';
  if (!/^\/[!-~]*$/.test(path)) return 'The path must begin with / and have no spaces: write them as %20.';
  const headers = head === undefined ? call.headers : readHeaders(call, lines(head), hide);
  const body = readBody(call, form.body, hide);
  const edited = path === hide(call.path) ? call.path : path;
  if (typeof headers === 'string') return headers;
  if (body === undefined || isHidden(edited)) return hiddenText;
  return { method, path: edited, headers, body };
}

const hiddenText = `Type the value where the text has [hidden]: it is a secret that this page does not show.`;

function isHidden(text: string): boolean {
  return text.includes('[hidden]');
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Lines that are as they were shown have the value that they had. */
function readHeaders({ headers }: InspectedCall, given: string[], hide: (text: string) => string) {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  );
  const known = new Map(pairs.map(([name = '', value = '']) => [headText({ [name]: value }, hide), value]));
  const read: Record<string, string[]> = {};
  for (const line of given) {
    const [, name, typed = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\0\r\n]*)$/.exec(line) ?? [];
    if (name === undefined) return `A header is one line, "name: value", not: ${line}`;
    const value = known.get(line) ?? typed;
    if (!known.has(line) && isHidden(value)) return hiddenText;
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) return `A header cannot have such characters: ${line}`;
    const key = name.toLowerCase();
    read[key] = [...(read[key] ?? []), value];
  }
  return read;
}

/** Undefined if a secret is missing. Forms send every line end as CRLF. */
function readBody({ body }: InspectedCall, given: string | undefined, hide: (text: string) => string) {
  if (given === undefined) return body.bytes;
  const before = textOf(body) ?? '';
  const typed = given.replaceAll('\r\n', '\n');
  if (typed === hide(before).replaceAll('\r\n', '\n')) return body.bytes;
  if (isHidden(typed)) return undefined;
  return Buffer.from(before.includes('\r\n') ? typed.replaceAll('\n', '\r\n') : typed);
}

/** What is sent: a call as it was, or edited. */
interface Sent extends Pick<InspectedCall, 'method' | 'path' | 'headers'> {
  body: Buffer;
}

/**
 * Sends a call to its app once more, as its caller would. Resolves when it has arrived, while the app may be working: to
 * its run, or to why it is none.
 */
async function sendAgain(call: InspectedCall, sent: Sent, platform: Platform): Promise<{ run: string } | string> {
  const { inspected, store, url } = platform;
  const app = store.apps.get(call.app);
  if (!app) return 'the app was deleted';
  const { host } = call.headers;
  // At an origin of its own, an app is called at the root.
  const atOrigin = isAppHost(`${host}`);
  const base = atOrigin ? '' : `/v4/${encodeURIComponent(app.project)}/${encodeURIComponent(app.name)}`;
  return new Promise((done) => {
    const { header, end } = inspected.expect(call.run, (run) => done({ run }));
    const address = new URL(url);
    const outgoing = request({
      ...{ host: address.hostname, port: address.port, agent: false, method: sent.method, path: base + sent.path },
      headers: {
        ...editableHeaders(sent),
        ...header,
        ...(atOrigin && { host: `${host}` }),
        'content-length': sent.body.length,
      },
    });
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < maxRefusal) text += part;
      });
      response.once('close', () => done(`${response.statusCode} ${text}`));
    });
    outgoing.once('error', (error) => done(error.message));
    outgoing.once('close', end);
    outgoing.end(sent.body);
  });
}

const maxRefusal = 2_000;

/** Where a page is, what makes the address of another page of calls, and what was wrong with the call that was sent. */
interface Links extends Required<Pick<PageParts, 'trail'>> {
  link: (run?: string, isSent?: boolean) => string;
  problem?: string;
}

/** The last calls of a project, newest first. */
function callsPage(calls: readonly ShownCall[], { trail, link }: Links): WebPage {
  const rows = calls.map((call) => [
    html`<a href="${link(call.run)}">${call.method} <bdi>${wrapping(call.path)}</bdi></a>`,
    ...[html`<bdi>${wrapping(call.app)}</bdi>`, runWord(call.progress), call.at.slice(11, 19)],
    ...[ms(call.times.queue), ms(call.times.start), ms(call.times.app)],
  ]);
  const none = html`No calls yet. Call an app: <code>gantry invoke</code>`;
  const table = rowsTable(['Call', 'App', 'Status', 'UTC', 'Queue', 'Start', 'Runtime'], rows, none);
  return webPage('Calls', pageSection('calls', 'Last calls', table, filterField), {
    ...{ server: 'emulator', refresh: 2, trail },
    intro: html`<p>The last ${maxInspectedCalls} calls, and ${maxCapturedBytes / 1024} KiB of each body. They are in memory only.</p>`,
  });
}

/** A call: what was sent, received and printed, how long it took, and a form that sends it again. */
function callPage(call: ShownCall, lines: readonly ShownLine[], { trail, link, problem }: Links): WebPage {
  const { run, app, at, method, path, head, body, response, curl } = call;
  const isRunning = call.progress.endedAt === undefined;
  const noResponse = isRunning ? 'The app is working on it.' : 'There is none.';
  const content = html`${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
${pageSection('time', 'Time', timesView(call.times))}
${pageSection('request', 'Request', messageView(head, body), curl !== undefined && copyButton(curl, 'Copy as curl'))}
${pageSection('response', 'Response', response ? messageView(response.head, response.body) : html`<p>${noResponse}</p>`)}
${pageSection('log', 'Log', logView(lines), filterField)}
${pageSection('again', 'Send again', call.obstacle === undefined ? sendForms(call, link) : html`<p>${call.obstacle}</p>`)}`;
  return webPage(`${method} ${path}`, content, {
    ...{ server: 'emulator', forms: true, refresh: problem !== undefined ? undefined : isRunning ? 1 : 0 },
    trail,
    sections: { request: 'request', response: 'response', log: 'log', again: 'send again' },
    intro: html`<p>${runWord(call.progress)} <bdi>${wrapping(app)}</bdi> ${clock(at, true)}, run ${wrapping(run)}</p>
${call.repeats !== undefined && html`<p>Sends <a href="${link(call.repeats)}">run ${short(call.repeats)}</a> again.</p>`}`,
  });
}

function messageView(head: string, { text, size, keptBytes }: ShownCall['body']): Html {
  const kept = keptBytes !== undefined && html`<p class="quiet">The first ${keptBytes} of ${size} bytes.</p>`;
  const missing = size === 0 ? 'No body.' : `${size} bytes that are not text.`;
  const isShown = size > 0 && text !== undefined;
  return html`<pre tabindex="0" class="quiet">${wrapping(head)}</pre>${kept}
${isShown ? html`<pre tabindex="0">${wrapping(text)}</pre>` : html`<p class="quiet">${missing}</p>`}`;
}

function sendForms({ run, method, path, editableHead, body }: ShownCall, link: Links['link']): Html {
  const action = link(run, true);
  const bodyField = html`<label>Body <textarea name="body" rows="8" spellcheck="false">
${body.text}</textarea></label>`;
  return html`<form method="post" action="${action}"><button>Send as it was</button></form>
<details><summary>Edit and send</summary>
<form method="post" action="${action}">
<label>Method <input name="method" value="${method}" required></label>
<label>Path <input name="path" value="${path}" required spellcheck="false"></label>
<label>Headers <textarea name="head" rows="5" spellcheck="false">
${editableHead}</textarea></label>
${body.text === undefined ? html`<p class="quiet">The body is not text: it is sent as it was.</p>` : bodyField}
<button>Send</button>
</form></details>`;
}

/** How the time is divided, as a bar and as text. */
function timesView({ queue, start, app = 0 }: ShownCall['times']): Html {
  const parts = Object.entries({ queue, start, runtime: app });
  const total = Math.max(1, queue + start + app);
  const text = parts.map(([name, length]) => `${name} ${ms(length)}`).join(', ');
  const kinds = ['quiet', 'busy', 'good'];
  const bars = parts.map(([, length], at) => {
    const before = parts.slice(0, at).reduce((sum, [, each]) => sum + each, 0);
    const [x, width] = [before, length].map((part) => ((part / total) * 100).toFixed(2));
    return html`<rect class="${kinds[at]}" fill="currentColor" x="${x}%" width="${width}%" height="12"/>`;
  });
  const words = parts.map(([name, length], at) => html`<span class="${kinds[at]}">${name} ${ms(length)}</span> `);
  return html`<svg width="100%" height="12" role="img" aria-label="${text}">${bars}</svg>
<p>${words}</p>`;
}
