export { develop, type Version } from './develop.ts';
export { sampleCall } from './sample-call.ts';
