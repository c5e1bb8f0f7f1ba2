import type { CapturedBody } from '../../http/captured-body.ts';
import type { InspectedCall } from '../../model/inspected-calls.ts';
import { getRunProgress } from '../../model/runs/run-progress.ts';
import type { AppRecord, RunRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';

type Hide = (text: string) => string;

/** A call as a page shows it: without secrets, and no longer than what was kept. */
export interface ShownCall {
  run: string;
  app: string;
  at: string;
  method: string;
  path: string;
  head: string;
  /** The headers that can be edited. */
  editableHead: string;
  body: ShownBody;
  response: { head: string; body: ShownBody } | undefined;
  /** The status of the run, or of the response while it is sent; absent before. */
  status: number | undefined;
  isRunning: boolean;
  /** In ms. */
  times: { queue: number; start: number; app: number | undefined };
  repeats: string | undefined;
  /** Why it cannot be sent again. */
  obstacle: string | undefined;
}

interface ShownBody {
  /** Undefined if it is not text. */
  text: string | undefined;
  /** In bytes, of the whole body. */
  size: number;
  /** How much of it is shown, if it is not all. */
  keptBytes: number | undefined;
}

export function showCall(
  call: InspectedCall,
  { app, run, now, hide }: { app: AppRecord | undefined; run: RunRecord; now: number; hide: Hide },
): ShownCall {
  const { response } = call;
  const progress = getRunProgress(run, now);
  const { coldstartMs: start, queueMs, runtimeMs, statusCode } = progress;
  return {
    run: call.run,
    app: app?.name ?? '',
    at: formatTime(run.createdAt),
    method: call.method,
    path: hide(call.path),
    head: headText(call.headers, hide),
    editableHead: headText(editableHeaders(call), hide),
    body: showBody(call.body, hide),
    response: response && { head: headText(response.headers, hide), body: showBody(response.body, hide) },
    status: statusCode ?? response?.status,
    isRunning: progress.endedAt === undefined,
    times: { queue: Math.max(0, queueMs - start), start, app: runtimeMs },
    repeats: call.repeats,
    obstacle: app ? obstacleOf(call.body) : 'The app was deleted.',
  };
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

function showBody(body: CapturedBody, hide: Hide): ShownBody {
  const text = textOf(body);
  const keptBytes = body.isWhole ? undefined : body.bytes.length;
  return { text: text === undefined ? undefined : hide(text), size: body.size, keptBytes };
}

/** Why a call with this body cannot be sent again. */
export function obstacleOf(body: CapturedBody): string | undefined {
  if (body.isWhole) return undefined;
  if (!body.hasEnded) return 'Its body was not received to the end, so it cannot be sent again.';
  return `Only the first ${body.bytes.length} of the ${body.size} bytes of its body were kept, so it cannot be sent again.`;
}
