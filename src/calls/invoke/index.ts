export type { AsyncRun } from './async-call.ts';
export type { EndedRun } from './await-delivery.ts';
export { callApp, callOrThrow, requestTo } from './call.ts';
export {
  type CallAuth,
  type CallHeaders,
  type CallTarget,
  defaultHeaders,
  platformIsHere,
  resolveCallAuth,
  resolveCallTarget,
} from './call-target.ts';
export type { InvokeOptions } from './prepare-call.ts';
export {
  invalidParameter,
  invokeApp,
  noResponseYetError,
  parseParameters,
  prepareCall,
  readJsonData,
} from './prepare-call.ts';
export {
  type AppEvent,
  type AppResponse,
  appEventFields,
  type BufferedResponse,
  decodedChunks,
  deliveredResponse,
  findRunId,
  isTextResponse,
  readAllEvents,
  readEvents,
  readResponse,
  responseHead,
  responseSummary,
} from './response.ts';

/** Loaded for the first response other than 2xx. */
export const loadResponseErrors = () => import('./response-error.ts');

/** Loaded for the first run that is waited for. */
export const loadDeliveryWait = () => import('./await-delivery.ts');
