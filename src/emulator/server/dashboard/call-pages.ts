import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import { maxCapturedBytes } from '../../http/captured-body.ts';
import { maxInspectedCalls } from '../../model/inspected-calls.ts';
import { type Html, html } from './html.ts';
import { clock, page } from './pages.ts';
import type { ShownCall } from './shown-call.ts';

/** Makes the address of a page of calls. */
type LinkTo = (run?: string, isSent?: boolean) => string;

/** The last calls of a project, newest first. */
export function callsPage({ project, calls, link }: { project: string; calls: readonly ShownCall[]; link: LinkTo }) {
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
export function callPage(call: ShownCall, link: LinkTo, problem?: string): string {
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
