import type { IncomingMessage, ServerResponse } from 'node:http';
import { runOutcome } from '../../platform/contract/run-outcome.ts';
import type { RunRecord } from '../model/state/records.ts';
import type { Store } from '../model/state/store.ts';

/** A call of an app that has ended, for those who watch the emulator. */
export interface ServedCall {
  app: string;
  method: string;
  /** Below the app, with the query. */
  path: string;
  /** Absent if the caller disconnected before there was a response. */
  status?: number | undefined;
  /** Until the last byte of the response. */
  durationMs: number;
  /** An asynchronous call is reported when it was accepted, and again when its run has ended. */
  kind: 'call' | 'accepted' | 'ended' | 'websocket';
  /** Whether the response was sent completely, or the WebSocket closed. */
  isComplete: boolean;
  /** Status of the run whose response or WebSocket broke off. Absent if the caller disconnected. */
  runStatus?: number | undefined;
  /** Absent if the call was refused before there was one. */
  run?: string | undefined;
}

export type OnCall = (call: ServedCall) => void;

/** Reports a request to an app once its response has ended. Ignores other requests. */
export function observeCall(request: IncomingMessage, response: ServerResponse, watched: Watched): void {
  const { url: target = '', method = '' } = request;
  const started = performance.now();
  response.once('close', () => {
    const status = response.headersSent ? response.statusCode : undefined;
    const kind = status === 202 && /[?&]async=(true|1)\b/.test(target) ? 'accepted' : 'call';
    const run = response.getHeader('x-request-id');
    const facts = { method, kind, durationMs: performance.now() - started } as const;
    const end = { status, isComplete: response.writableFinished, run: run === undefined ? undefined : String(run) };
    reportCall(target, { ...facts, ...end }, watched);
  });
}

/** How the request for a WebSocket was answered, and whether the response or the socket ended as it should. */
export type SocketEnd = Pick<ServedCall, 'status' | 'isComplete' | 'run'>;

/** Reports what became of a call, or of a WebSocket that was closed, broke off or was refused. */
export function reportCall(target: string, call: Omit<ServedCall, 'app' | 'path'>, { store, onCall }: Watched): void {
  const [, app, path] = /^\/v4\/[^/?]+\/([^/?]+)(.*)$/s.exec(target) ?? [];
  if (app === undefined) return;
  const runStatus = call.isComplete ? undefined : endOf(store.runs.get(call.run ?? ''));
  onCall?.({ app, path: path || '/', ...call, runStatus });
}

/** The end of a run that ended by itself, not because its caller disconnected. */
function endOf(run: RunRecord | undefined): number | undefined {
  return run && runOutcome(run) !== 'closed' ? run.statusCode : undefined;
}

interface Watched {
  store: Store;
  onCall?: OnCall | undefined;
}

export function reportEndedRun(id: string, path: string, { store, onCall }: Watched): void {
  const run: RunRecord | undefined = store.runs.get(id);
  const app = run && store.apps.get(run.app);
  if (!run || !app || !onCall) return;
  const { method, statusCode: status, pendingMs, proxyQueueMs, containerQueueMs, runtimeMs = 0 } = run;
  const durationMs = pendingMs + proxyQueueMs + containerQueueMs + runtimeMs;
  onCall({ app: app.name, method, path, status, durationMs, kind: 'ended', isComplete: true, run: id });
}
