export { buildLog } from './build-log.ts';
export { cancellableBuild, stopBuild } from './cancel-build.ts';
export { latestBuild, namedBuild } from './find-build.ts';
export { followBuild } from './follow-build.ts';
export { askedBuild } from './get-build.ts';
export { type ZipEntry, zipEntries } from './zip-entries.ts';
