export { headText, isText, runIdAtStart, summary, wholeOf } from './answer.ts';
export type { StartedRun } from './asynchronous.ts';
export type { AppAnswer } from './call.ts';
export { type AppEvent, eventsOf } from './events.ts';
export { invokeApp } from './invoke-app.ts';
export { readParameters } from './parameters.ts';
