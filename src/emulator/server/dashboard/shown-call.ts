import { quoteForShell } from '../../../kernel/command-line.ts';
import { defined } from '../../../kernel/json-text.ts';
import type { CapturedBody } from '../../http/buffered-body.ts';
import type { InspectedCall } from '../../model/inspected-calls.ts';
import { getRunProgress } from '../../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';

type Hide = (text: string) => string;

/** A call as a page shows it: without secrets, and no longer than what was kept. */
export type ShownCall = ReturnType<typeof showCall>;

interface Around {
  app: AppRecord;
  run: RunRecord;
  now: number;
  hide: Hide;
  /** The address of the app. */
  url: string;
}

export function showCall(call: InspectedCall, { app, run, now, hide, url }: Around) {
  const { response, repeats } = call;
  const progress = getRunProgress(run, now);
  const { coldstartMs: start, queueMs, runtimeMs, statusCode = response?.status } = progress;
  const body = showBody(call.body, hide);
  const obstacle = obstacleOf(call.body);
  return {
    ...{ run: call.run, app: app.name, at: formatTime(run.createdAt), method: call.method, path: hide(call.path) },
    ...{ head: headText(call.headers, hide), editableHead: headText(editableHeaders(call), hide), body, repeats },
    response: response && { head: headText(response.headers, hide), body: showBody(response.body, hide) },
    // The status is that of the response while that is sent.
    progress: { ...progress, ...defined({ statusCode }) },
    times: { queue: Math.max(0, queueMs - start), start, app: runtimeMs },
    ...{ obstacle, curl: obstacle === undefined ? curlOf(call, body.text, hide, url) : undefined },
  };
}

/** A command that sends a call again, if its body is text. Its token is not shown: the shell has one. */
function curlOf(call: InspectedCall, text: string | undefined, hide: Hide, url: string): string | undefined {
  if (text === undefined) return undefined;
  const own = { ...editableHeaders(call), authorization: undefined, 'user-agent': undefined };
  const lines = headText(own, hide).split('\n').filter(Boolean);
  const headers = lines.map((line) => `-H ${quoteForShell(line)}`);
  const token = call.headers.authorization === undefined ? [] : ['-H "authorization: Bearer $GANTRY_TOKEN"'];
  const sent = text === '' ? [] : [`--data-raw ${quoteForShell(text)}`];
  // Without `-g`, brackets in an address are several addresses.
  const words = ['curl', '-g', '-X', call.method, ...headers, ...token, ...sent, quoteForShell(url + hide(call.path))];
  return words.join(' ');
}

/** Without those of the former connection and of the browser's page, which the emulator would refuse, and without `Host`. */
export function editableHeaders({ headers }: Pick<InspectedCall, 'headers'>): InspectedCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name)));
}

const ofConnection =
  /^(connection|content-length|expect|host|keep-alive|origin|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade)$/;

/** One header on each line. */
export function headText(headers: InspectedCall['headers'], hide: Hide): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => [values ?? []].flat().map((value) => hide(`${name}: ${value}`)))
    .join('\n');
}

/** Undefined for bytes that are not text, and for text with characters that a page does not show. */
export function textOf(body: CapturedBody): string | undefined {
  const { bytes } = body;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: !body.isWhole });
  return unshown.test(text) ? undefined : text;
}

/** What stands for bytes that are no text, and control characters. */
const unshown = /[^\P{Cc}\n\r\t]|[\ufffd\u202a-\u202e\u2066-\u2069]/u;

/** Its text, if it is one; its size in bytes; and how much of it is shown, if it is not all. */
function showBody(body: CapturedBody, hide: Hide) {
  const text = textOf(body);
  const keptBytes = body.isWhole ? undefined : body.bytes.length;
  return { text: text === undefined ? undefined : hide(text), size: body.size, keptBytes };
}

/** Why a call with this body cannot be sent again. */
function obstacleOf(body: CapturedBody): string | undefined {
  if (body.isWhole) return undefined;
  if (!body.hasEnded) return 'Its body was not received to the end, so it cannot be sent again.';
  return `Only the first ${body.bytes.length} of the ${body.size} bytes of its body were kept, so it cannot be sent again.`;
}
