export { callPlatform } from './raw-call.ts';
