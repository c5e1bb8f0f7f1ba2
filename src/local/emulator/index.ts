export {
  detectShell,
  evaluationOf,
  exportCommands,
  letInstall,
  shells,
  stopEmulator,
} from './control-emulator.ts';
export {
  findEmulator,
  knownFolderEmulator,
  stdinEnd,
  takeFolderData,
  useFolderEmulator,
} from './folder-emulator.ts';
export {
  announceEmulator,
  findEmulatorAt,
  listRunningEmulators,
} from './running-emulators.ts';
