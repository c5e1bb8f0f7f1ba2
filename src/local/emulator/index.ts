export {
  detectShell,
  evaluationOf,
  exportCommands,
  letInstall,
  shells,
  stopEmulator,
} from './control-emulator.ts';
export {
  knownFolderEmulator,
  prepareReadiness,
  stdinEnd,
  takeFolderData,
  useFolderEmulator,
} from './folder-emulator.ts';
export {
  announceEmulator,
  findEmulatorAt,
  findRunningEmulator,
  listRunningEmulators,
} from './running-emulators.ts';
