/** What tests of commands share: emulators, folders, and a command line that runs in this process. */
export { empty } from './account.ts';
export { altering } from './altering.ts';
export { answering } from './answering.ts';
export { fixture, smallApp } from './app.ts';
export { type Emulator, emulatorForAll, emulatorForEach, startEmulator } from './emulators.ts';
export { filesIn, lay, newFolder, noise, onDisk } from './files.ts';
export {
  address,
  configFolder,
  fullDisk,
  gantry,
  jsonLines,
  keys,
  type Line,
  type Outcome,
  type Setting,
  startsHere,
  targetOf,
  wideTerminal,
} from './gantry.ts';
export { homeless } from './homeless.ts';
export { type Answer, type Answering, type Call, inFrontOf } from './in-front-of.ts';
export { listening, serving } from './listening.ts';
export { agree, secretsIn, someone } from './login.ts';
export { machine, shellProgram, withGit, withoutHome } from './machine.ts';
export { repositoryOf } from './repository.ts';
export { deployWeb, print, record, recordMany } from './runs.ts';
export { expectErrorDocument, expectNoTrace, temporaryFiles } from './traces.ts';
export { widthOf } from './width.ts';
