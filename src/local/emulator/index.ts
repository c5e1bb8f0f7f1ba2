export { controlEmulator } from './control-emulator.ts';
export { knownFolderEmulator, takeFolderData, useFolderEmulator } from './folder-emulator.ts';
export { prepareReadiness } from './readiness.ts';
export {
  announceEmulator,
  findEmulatorAt,
  findRunningEmulator,
  listRunningEmulators,
} from './running-emulators.ts';
export { detectShell, evaluationOf, exportCommands, shells } from './shell.ts';
export {
  findSnapshot,
  listSnapshots,
  removeSnapshot,
  restoreSnapshot,
  type Snapshot,
  saveSnapshot,
} from './snapshots.ts';
export { stdinEnd } from './stdin-end.ts';
export { stopEmulator } from './stop-emulator.ts';
