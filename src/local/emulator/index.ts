export {
  endFolderEmulator,
  findEmulator,
  knownFolderEmulator,
  stdinEnd,
  takeFolderData,
  useFolderEmulator,
} from './folder-emulator.ts';
export {
  announceEmulator,
  detectShell,
  evaluationOf,
  exportCommands,
  findEmulatorAt,
  letInstall,
  listRunningEmulators,
  shells,
  stopEmulator,
} from './running-emulators.ts';
