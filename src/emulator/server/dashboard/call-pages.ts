import { quoteForShell } from '../../../kernel/command-line.ts';
import { defined } from '../../../kernel/json-text.ts';
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
import { type CapturedBody, maxCapturedBytes } from '../../http/captured-body.ts';
import { type InspectedCall, maxInspectedCalls } from '../../model/inspected-calls.ts';
import { getRunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';
import { clock, logView, ms, runWord, type ShownLine } from './pages.ts';

type Hide = (text: string) => string;

type ShownCall = ReturnType<typeof showCall>;

/** A call as a page shows it: without secrets, and no longer than what was kept. */
export function showCall(
  call: InspectedCall,
  app: AppRecord,
  run: RunRecord,
  { hideSecrets: hide, now, url }: Platform,
) {
  const { response } = call;
  const progress = getRunProgress(run, now());
  const { coldstartMs: start, queueMs, runtimeMs, statusCode = response?.status } = progress;
  return {
    run: call.run,
    app: app.name,
    at: formatTime(run.createdAt),
    method: call.method,
    path: hide(call.path),
    head: headText(call.headers, hide),
    body: showBody(call.body, hide),
    curl: curlOf(call, hide, appEndpoint(app, url)),
    response: response && { head: headText(response.headers, hide), body: showBody(response.body, hide) },
    // The status is that of the response while that is sent.
    progress: { ...progress, ...defined({ statusCode }) },
    times: { queue: Math.max(0, queueMs - start), start, app: runtimeMs },
  };
}

/** A command that sends a call again, if its body is text that was kept. Its token is not shown: the shell has one. */
function curlOf(call: InspectedCall, hide: Hide, url: string): string | undefined {
  const text = call.body.isWhole ? showBody(call.body, hide).text : undefined;
  if (text === undefined) return undefined;
  const own = { ...ownHeaders(call), authorization: undefined, 'user-agent': undefined };
  const lines = headText(own, hide).split('\n').filter(Boolean);
  const headers = lines.map((line) => `-H ${quoteForShell(line)}`);
  const token = call.headers.authorization === undefined ? [] : ['-H "authorization: Bearer $GANTRY_TOKEN"'];
  const sent = text === '' ? [] : [`--data-raw ${quoteForShell(text)}`];
  // Without `-g`, brackets in an address are several addresses.
  const words = ['curl', '-g', '-X', call.method, ...headers, ...token, ...sent, quoteForShell(url + hide(call.path))];
  return words.join(' ');
}

/** Without those of the former connection and of the browser's page, which the emulator would refuse, and without `Host`. */
function ownHeaders({ headers }: InspectedCall): InspectedCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name)));
}

const ofConnection =
  /^(connection|content-length|expect|host|keep-alive|origin|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade)$/;

/** One header on each line. */
function headText(headers: InspectedCall['headers'], hide: Hide): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => hide(`${name}: ${value}`)))
    .join('\n');
}

/** What stands for bytes that are no text, and control characters. */
const unshown = /[^\P{Cc}\n\r\t]|[\ufffd\u202a-\u202e\u2066-\u2069]/u;

/** Its text, if a page can show it; its size in bytes; and how much of it is shown, if it is not all. */
function showBody({ bytes, isWhole, size }: CapturedBody, hide: Hide) {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: !isWhole });
  return { text: unshown.test(text) ? undefined : hide(text), size, keptBytes: isWhole ? undefined : bytes.length };
}

/** Where a page is, and what makes the address of another page of calls. */
interface Links extends Required<Pick<PageParts, 'trail'>> {
  link: (run?: string) => string;
}

/** The last calls of a project, newest first. */
export function callsPage(calls: readonly ShownCall[], { trail, link }: Links): WebPage {
  const rows = calls.map((call) => [
    html`<a href="${link(call.run)}">${call.method} <bdi>${wrapping(call.path)}</bdi></a>`,
    html`<bdi>${wrapping(call.app)}</bdi>`,
    runWord(call.progress),
    call.at.slice(11, 19),
    ms(call.times.queue),
    ms(call.times.start),
    ms(call.times.app),
  ]);
  const none = html`No calls yet. Call an app: <code>gantry invoke</code>`;
  const table = rowsTable(['Call', 'App', 'Status', 'UTC', 'Queue', 'Start', 'Runtime'], rows, none);
  return webPage('Calls', pageSection('calls', 'Last calls', table, filterField), {
    server: 'emulator',
    refresh: 2,
    trail,
    intro: html`<p>The last ${maxInspectedCalls} calls, and ${maxCapturedBytes / 1024} KiB of each body. They are in memory only.</p>`,
  });
}

/** A call: what was sent, received and printed, and how long it took. */
export function callPage(call: ShownCall, lines: readonly ShownLine[], trail: Links['trail']): WebPage {
  const { run, app, at, method, path, head, body, response, curl } = call;
  const isRunning = call.progress.endedAt === undefined;
  const noResponse = isRunning ? 'The app is working on it.' : 'There is none.';
  const content = html`${pageSection('time', 'Time', timesView(call.times))}
${pageSection('request', 'Request', messageView(head, body), curl !== undefined && copyButton(curl, 'Copy as curl'))}
${pageSection('response', 'Response', response ? messageView(response.head, response.body) : html`<p>${noResponse}</p>`)}
${pageSection('log', 'Log', logView(lines), filterField)}`;
  return webPage(`${method} ${path}`, content, {
    server: 'emulator',
    refresh: isRunning ? 1 : 0,
    trail,
    sections: { request: 'request', response: 'response', log: 'log' },
    intro: html`<p>${runWord(call.progress)} <bdi>${wrapping(app)}</bdi> ${clock(at, true)}, run ${wrapping(run)}</p>`,
  });
}

function messageView(head: string, { text, size, keptBytes }: ShownCall['body']): Html {
  const kept = keptBytes !== undefined && html`<p class="quiet">The first ${keptBytes} of ${size} bytes.</p>`;
  const missing = size === 0 ? 'No body.' : `${size} bytes that are not text.`;
  const isShown = size > 0 && text !== undefined;
  return html`<pre tabindex="0" class="quiet">${wrapping(head)}</pre>${kept}
${isShown ? html`<pre tabindex="0">${wrapping(text)}</pre>` : html`<p class="quiet">${missing}</p>`}`;
}

/** How the time is divided. */
function timesView({ queue, start, app }: ShownCall['times']): Html {
  return html`<p>queue ${ms(queue)}, start ${ms(start)}, runtime ${ms(app)}</p>`;
}
