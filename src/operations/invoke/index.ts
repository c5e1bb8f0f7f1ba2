export { parseParameters } from './arguments.ts';
export type { AsyncRun } from './async-call.ts';
export { type AppEvent, readEvents } from './events.ts';
export { invokeApp } from './invoke-app.ts';
export {
  type AppResponse,
  findRunId,
  isTextResponse,
  readResponse,
  responseHead,
  responseSummary,
} from './response.ts';
