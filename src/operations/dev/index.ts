export { type AppVersion, develop, type Reload } from './develop.ts';
export { findAppFolders } from './find-app-folders.ts';
export { FolderWatcher } from './folder-watcher.ts';
export { reloadProblems } from './reload-problems.ts';
export { sampleCall } from './sample-call.ts';
