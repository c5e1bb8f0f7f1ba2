import { type IncomingMessage, request } from 'node:http';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { Platform } from '../../endpoints/platform.ts';
import { maxCapturedBytes } from '../../http/captured-body.ts';
import { isAppHost } from '../../http/origin.ts';
import { readForm } from '../../http/read-request.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { type CallsPlace, callsAddress, hasCallsKey, parseCallsPath } from '../../model/dashboard-address.ts';
import { type InspectedCall, maxInspectedCalls } from '../../model/inspected-calls.ts';
import { type Html, html } from './html.ts';
import { htmlReply } from './html-reply.ts';
import { clock, messagePage, page } from './pages.ts';
import { editableHeaders, headText, type ShownCall, showCall, textOf } from './shown-call.ts';

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

/** The run of the new call, or why it is none: the emulator's reply to it. */
type SendResult = { run: string } | { refusal: string };

/** Sends a call to its app once more, as its caller would. Resolves when it has arrived, while the app may be working. */
async function sendAgain(call: InspectedCall, sent: Sent, platform: Platform): Promise<SendResult> {
  const { inspected, store, url } = platform;
  const app = store.apps.get(call.app);
  if (!app) return { refusal: 'the app was deleted' };
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
      response.once('close', () => done({ refusal: `${response.statusCode} ${text}` }));
    });
    outgoing.once('error', (error) => done({ refusal: error.message }));
    outgoing.once('close', end);
    outgoing.end(sent.body);
  });
}

const maxRefusal = 2_000;

/** Makes the address of a page of calls. */
type LinkTo = (run?: string, isSent?: boolean) => string;

/** The last calls of a project, newest first. */
function callsPage({ project, calls, link }: { project: string; calls: readonly ShownCall[]; link: LinkTo }) {
  const rows = calls.map(
    (call) =>
      html`<tr><td><a href="${link(call.run)}">${call.method} <bdi>${call.path}</bdi></a> <span class="quiet"><bdi>${call.app}</bdi></span></td><td>${statusWord(call)}</td><td class="number">${call.at.slice(11, 19)}</td><td class="number">${ms(call.times.queue)}</td><td class="number">${ms(call.times.start)}</td><td class="number">${ms(call.times.app)}</td></tr>`,
  );
  const table = html`<table><thead><tr><th>Call</th><th>Status</th><th class="number">UTC</th><th class="number">Queue</th><th class="number">Start</th><th class="number">App</th></tr></thead>
<tbody>${rows}</tbody></table>`;
  return page(
    `Calls of ${project}`,
    html`<h1>Calls of ${project}</h1>
<p class="quiet">The last ${maxInspectedCalls} calls, and ${kibibytes(maxCapturedBytes)} of each body. They are in memory only.</p>
${calls.length > 0 ? table : html`<p>No calls yet. Call an app: <code>gantry invoke</code></p>`}`,
    html`<meta http-equiv="refresh" content="2">`,
  );
}

/** A call: what was sent and received, how long it took, and a form that sends it again. */
function callPage(call: ShownCall, link: LinkTo, problem?: string): string {
  const { run, app, at, method, path, head, body, response, isRunning } = call;
  const content = html`<p><a href="${link()}">All calls</a></p>
<h1>${method} <bdi>${path}</bdi></h1>
<p>${statusWord(call)} <bdi>${app}</bdi> <span class="quiet">${clock(at, true)}, run ${run}</span></p>
${call.repeats !== undefined && html`<p>Sends <a href="${link(call.repeats)}">run ${call.repeats}</a> again.</p>`}
${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
<h2>Time</h2>
${timesView(call.times)}
<h2>Request</h2>
${messageView(head, body)}
<h2>Response</h2>
${response ? messageView(response.head, response.body) : html`<p>${isRunning ? 'The app is working on it.' : 'There is none.'}</p>`}
<h2>Send again</h2>
${call.obstacle === undefined ? sendForms(call, link) : html`<p>${call.obstacle}</p>`}`;
  const refresh = isRunning && problem === undefined;
  return page(`${method} ${path}`, content, refresh ? html`<meta http-equiv="refresh" content="1">` : html``);
}

function messageView(head: string, { text, size, keptBytes }: ShownCall['body']): Html {
  const kept = keptBytes !== undefined && html`<p class="quiet">The first ${keptBytes} of ${size} bytes.</p>`;
  const shown =
    size === 0
      ? html`<p class="quiet">No body.</p>`
      : text === undefined
        ? html`<p class="quiet">${size} bytes that are not text.</p>`
        : html`<pre tabindex="0">${text}</pre>`;
  return html`<pre tabindex="0" class="head">${head}</pre>${kept}${shown}`;
}

function sendForms({ run, method, path, editableHead, body }: ShownCall, link: LinkTo): Html {
  const action = link(run, true);
  const asItWas = html`<form method="post" action="${action}"><button>Send as it was</button></form>`;
  const bodyField = html`<label>Body <textarea name="body" rows="8" spellcheck="false">
${body.text}</textarea></label>`;
  return html`${asItWas}
<details><summary>Edit and send</summary>
<form method="post" action="${action}">
<label>Method <input name="method" value="${method}" size="8" required></label>
<label>Path <input name="path" value="${path}" required spellcheck="false"></label>
<label>Headers <textarea name="head" rows="5" spellcheck="false">
${editableHead}</textarea></label>
${body.text === undefined ? html`<p class="quiet">The body is not text: it is sent as it was.</p>` : bodyField}
<button>Send</button>
</form></details>`;
}

/** How the time is divided, as a bar and as text. */
function timesView({ queue, start, app }: ShownCall['times']): Html {
  const parts = [
    ['queue', queue],
    ['start', start],
    ['app', app ?? 0],
  ] as const;
  const total = Math.max(1, queue + start + (app ?? 0));
  let left = 0;
  const bars = parts.map(([name, length]) => {
    const x = left;
    left += (length / total) * barWidth;
    return html`<rect class="${name}" x="${x.toFixed(1)}" y="0" width="${((length / total) * barWidth).toFixed(1)}" height="${barHeight}"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 ${barWidth} ${barHeight}" preserveAspectRatio="none" role="img" aria-label="queue ${ms(queue)}, start ${ms(start)}, app ${ms(app)}">${bars}</svg>
<p><span class="queue-text">queue ${ms(queue)}</span>, <span class="start-text">start ${ms(start)}</span>, <span class="app-text">app ${ms(app)}</span></p>`;
}

const barWidth = 720;
const barHeight = 12;

function statusWord({ status, isRunning }: ShownCall): Html {
  if (isRunning) return html`<span class="busy">${status ?? 'running'}</span>`;
  const outcome = runOutcome({ statusCode: status ?? -1 });
  const word = /^(canceled|closed)$/.test(outcome) ? outcome : status;
  return html`<span class="${outcome === 'succeeded' ? 'good' : 'bad'}">${word}</span>`;
}

/** `240 ms`, `1.2 s` */
function ms(time: number | undefined): string {
  if (time === undefined) return '-';
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

function kibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`;
}
