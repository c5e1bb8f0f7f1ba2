// npm run dist [-- --target linux-x64 …] [-- --out FOLDER] [-- --node VERSION]: an executable for each platform in an archive, and wheels.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { tarGz, zip } from './archives.js';
import { makeExecutable, nodeLicense } from './executable.js';
import { ownTarget, targets } from './node-binary.js';
import { makePureWheel, makeWheel } from './wheel.js';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    out: { type: 'string', default: 'release' },
    // For a machine on which the usual one does not start.
    node: { type: 'string' },
  },
});
const wanted = values.target ?? [ownTarget];
const unknown = wanted.filter((each) => !targets.includes(/** @type {any} */ (each)) && each !== 'all');
if (unknown.length > 0) throw new Error(`unknown target ${unknown.join(', ')}; known are all, ${targets.join(', ')}`);

mkdirSync(values.out, { recursive: true });
for (const target of targets.filter((each) => wanted.includes('all') || wanted.includes(each))) {
  const windows = target.startsWith('win32');
  const name = windows ? 'gantry.exe' : 'gantry';
  const executable = await makeExecutable(target, join(values.out, target, name), values.node);
  const content = [
    { name, data: readFileSync(executable), executable: true },
    { name: 'LICENSE', data: readFileSync('LICENSE') },
    { name: 'LICENSE-NODE.txt', data: nodeLicense(target) },
    { name: 'THIRD-PARTY-NOTICES.txt', data: readFileSync('dist/THIRD-PARTY-NOTICES.txt') },
    { name: 'gantry.1', data: readFileSync('dist/gantry.1') },
  ];
  const archive = join(values.out, `gantry-${manifest.version}-${target}.${windows ? 'zip' : 'tar.gz'}`);
  writeFileSync(archive, windows ? zip(content) : tarGz(content));
  report(archive);
  report(makeWheel(target, executable, values.out));
}
report(makePureWheel(values.out));

/** @param {string} file */
function report(file) {
  process.stdout.write(`${(readFileSync(file).length / 1e6).toFixed(1).padStart(6)} MB  ${file}\n`);
}
