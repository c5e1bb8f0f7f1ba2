export { callPlatform } from './call-platform.ts';
