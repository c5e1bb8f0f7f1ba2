export { newestVersionOfToday } from './daily-version.ts';
export { type Installation, installMethods, readInstallation } from './installation.ts';
export { findNewestVersion, isNewer } from './newest-version.ts';
