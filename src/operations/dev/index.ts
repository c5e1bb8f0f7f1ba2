export { type AppVersion, develop } from './develop.ts';
export { sampleCall } from './sample-call.ts';
