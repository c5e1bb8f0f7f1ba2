export { parseParameters } from './arguments.ts';
export type { AsyncRun } from './async-call.ts';
export { callApp, callOrThrow } from './call.ts';
export { type CallAuth, type CallHeaders, defaultHeaders, resolveCallAuth } from './call-headers.ts';
export { type CallTarget, resolveCallTarget } from './call-target.ts';
export { deliveredResponse } from './delivered-response.ts';
export { type AppEvent, readEvents } from './events.ts';
export { invokeApp } from './invoke-app.ts';
export type { InvokeOptions } from './invoke-options.ts';
export { platformIsHere } from './platform-is-here.ts';
export { prepareCall } from './prepare-call.ts';
export {
  type AppResponse,
  type BufferedResponse,
  decodedChunks,
  findRunId,
  isTextResponse,
  readResponse,
  responseHead,
  responseSummary,
} from './response.ts';

/** Loaded for the first response other than 2xx. */
export const loadResponseErrors = () => import('./response-error.ts');

/** Loaded for the first run that is waited for. */
export const loadRunPolling = () => import('./wait-for-run.ts');
