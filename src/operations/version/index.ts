export { type Installation, installMethods, readInstallation } from './installation.ts';
export { findNewestVersion, isNewer } from './newest-version.ts';
