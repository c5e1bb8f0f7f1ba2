export { prepareReadiness, type Readiness } from './readiness.ts';
export {
  announceEmulator,
  findRunningEmulator,
  listRunningEmulators,
  type RunningEmulator,
} from './running-emulators.ts';
export { detectShell, evaluationOf, exportCommands, type Shell, shells } from './shell.ts';
export { stopEmulator } from './stop-emulator.ts';
