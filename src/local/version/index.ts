export { newestVersionOfToday } from './daily-version.ts';
export { readInstallation } from './installation.ts';
export { isNewer } from './newest-version.ts';
