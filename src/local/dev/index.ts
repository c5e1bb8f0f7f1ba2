export type { Reload } from './develop.ts';
export { findAppFolders } from './find-app-folders.ts';
export { reloadProblems } from './reload-problems.ts';
export { replayCall } from './replay-call.ts';
export { type AppAddresses, type AppLine, type DevPlatform, DevSession, type ReadyApp } from './session.ts';
