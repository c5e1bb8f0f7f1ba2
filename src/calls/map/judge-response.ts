import { safeParse } from 'valibot';
import type { GantryError } from '../../kernel/errors.ts';
import { isGatewayStatus, isRefusedStatus, isSuccessStatus } from '../../platform/api/transient-failures.ts';
import type { Context } from '../../platform/context.ts';
import { FunctionReply } from '../../platform/contract/invocation.ts';
import {
  type AppResponse,
  type BufferedResponse,
  type CallAuth,
  type CallTarget,
  loadResponseErrors,
} from '../invoke/index.ts';
import type { JudgedCall, MapError, MapOutcome } from './results-file.ts';

export interface JudgeSettings {
  target: CallTarget;
  auth: CallAuth;
  /** Whether the app has a server of its own, which may use any status for a single input. */
  hasOwnServer: boolean;
}

/** What a response says: what became of the call, or that it was refused and had no effect. */
export type Judgment = { result: JudgedCall; concernsAll?: () => Promise<GantryError> } | { refused: GantryError };

/** Throws MapStopped for what would happen to all calls. */
export async function judgeResponse(
  context: Context,
  settings: JudgeSettings,
  response: AppResponse,
  read: BufferedResponse,
): Promise<Judgment> {
  const { status } = response;
  const isFromFunction = safeParse(FunctionReply, read.body).success;
  const { body, encoding, run } = read;
  if (isSuccessStatus(status)) {
    return { result: { ...judgeSuccess(settings, response, read, isFromFunction), run } };
  }
  const { responseError, responseMessage } = await loadResponseErrors();
  const asError = () => responseError(context, response, settings.auth, { body, encoding });
  if (!isFromFunction && isRefusedStatus(status)) return { refused: await asError() };
  const concernsAll = !isFromFunction && mayConcernAll(status);
  if (concernsAll && !settings.hasOwnServer) throw new MapStopped(await asError());
  const { why: message = `HTTP ${status}` } = responseMessage(read);
  const error = { code: codeOf(status, isFromFunction), message, statusCode: status };
  return { result: { status: 'failed', error, run }, ...(concernsAll && { concernsAll: asError }) };
}

function codeOf(status: number, isFromFunction: boolean): MapError['code'] {
  return !isFromFunction && isGatewayStatus(status) ? 'unavailable' : 'app-error';
}

function judgeSuccess(
  settings: JudgeSettings,
  response: AppResponse,
  read: BufferedResponse,
  isFromFunction: boolean,
): MapOutcome {
  const { body, encoding } = read;
  if (isFromFunction) return { status: 'succeeded', result: (body as { result: unknown }).result ?? null };
  const message = whyNoResult(settings, response, read);
  if (message !== undefined) {
    return { status: 'failed', error: { code: 'unavailable', message, statusCode: response.status } };
  }
  return { status: 'succeeded', result: body ?? null, ...(encoding === 'base64' && { encoding }) };
}

/** A wrong token, a missing function, an unpaid plan, another address, a gateway of another host. */
function mayConcernAll(status: number): boolean {
  return (status >= 300 && status < 400) || [401, 402, 403, 404, 405, 407, 410, 421, 451].includes(status);
}

/** Why a 2xx response is not the app's result: somebody else sent it, or it is incomplete. */
function whyNoResult(
  { target: { name }, hasOwnServer }: JudgeSettings,
  { type }: AppResponse,
  { body, encoding, run, statusCode }: BufferedResponse,
): string | undefined {
  const isPage = type === 'text/html' || (encoding === 'text' && /^\s*<(!doctype|html)/i.test(String(body)));
  if (isPage && !(hasOwnServer && run)) return `a web page came instead of the result of ${name}`;
  const isEmpty = encoding !== 'json' && body === '';
  if (isEmpty) return hasOwnServer || run || statusCode === 204 ? undefined : `the response of ${name} is empty`;
  const saysJson = /^application\/(?:[\w.-]+\+)?json$/.test(type);
  return saysJson && encoding !== 'json' ? `the response of ${name} is not the JSON that its type promises` : undefined;
}

/** That would happen to all calls: the map ends, and the input keeps no result. */
export class MapStopped extends Error {
  constructor(readonly reason: GantryError) {
    super(reason.message);
  }
}
