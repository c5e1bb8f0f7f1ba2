import {
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Script, ScriptOptions } from 'node:vm';
import { readVariable } from '../kernel/environment.ts';
import { attempt, systemCode } from '../kernel/errors.ts';
import { underUsualFlags } from '../kernel/v8-flags.ts';
import { version } from '../kernel/version.ts';
import { isExecutable, ownLocation } from '../own-files.ts';
import { resolveFolders } from '../platform/config/folders.ts';

/** Loads code that an earlier run compiled (decisions/0014). The first run creates the folder, the second fills it. */
export function useCodeCache(): void {
  if (readVariable(process.env, 'NODE_DISABLE_COMPILE_CACHE') || isExecutable()) return;
  const { cache } = resolveFolders(process.env);
  const folder = join(cache, 'code', `${version}-node-${process.version}-${process.arch}`);
  if (!isPrivateFolder(folder)) {
    createFolder(cache, folder);
    return;
  }
  const module = process.getBuiltinModule('node:module') as unknown as Loader;
  if (module.enableCompileCache) module.enableCompileCache(folder);
  else compileInto(folder, module);
}

/** A user who can write to the folder decides what the program does. */
function isPrivateFolder(folder: string): boolean {
  const { uid = -1, mode = 0 } = attempt(() => lstatSync(folder)) ?? {};
  const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR;
  return isFolder && (process.platform === 'win32' || (uid === process.getuid?.() && (mode & 0o022) === 0));
}

/** In a new home as well, which has no `.cache`, but not in a home that does not exist. Removes the code of other versions. */
function createFolder(cache: string, folder: string): void {
  const parent = dirname(folder);
  const given = readVariable(process.env, 'GANTRY_CONFIG_DIR');
  // It may be read-only, or a file.
  attempt(() => {
    for (const path of [...(given ? [] : [dirname(cache)]), cache, parent]) mkdirUnlessThere(path);
    for (const name of readdirSync(parent)) {
      if (!name.startsWith(`${version}-`)) rmSync(join(parent, name), { recursive: true, force: true });
    }
    mkdirUnlessThere(folder);
  });
}

function mkdirUnlessThere(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Node's own loader of CommonJS. */
interface Loader {
  /** Since Node 22.8. */
  enableCompileCache?: (folder: string) => unknown;
  wrapper?: [before: string, after: string];
  prototype: { _compile?: (this: NodeModule, source: string, path: string) => unknown };
}

/** For versions of Node without a code cache of their own. */
function compileInto(folder: string, { prototype, wrapper: [before, after] = ['', ''] }: Loader): void {
  const compile = prototype._compile;
  if (!compile || !before) return;
  const { Script, constants: vm } = process.getBuiltinModule('node:vm');
  const added = new Map<string, { script: Script; source: FileFacts }>();
  prototype._compile = function (source, path) {
    if (dirname(path) !== ownLocation()) return compile.call(this, source, path);
    const file = join(folder, `${basename(path)}.bin`);
    // The file may be another one by the end of the run.
    const facts = statSync(path);
    const cachedData = readCode(file, facts);
    const options: ScriptOptions = {
      filename: path,
      columnOffset: -before.length,
      importModuleDynamically: vm.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData && { cachedData }),
    };
    const script = underUsualFlags(() => new Script(before + source + after, options));
    if (!cachedData || script.cachedDataRejected) added.set(file, { script, source: facts });
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, this.require.bind(this), this, path, dirname(path));
  };
  // Functions are compiled when they are first called, so most of what a run needs is known when it ends.
  process.once('exit', () => {
    underUsualFlags(() => {
      for (const [file, { script, source }] of added) writeCode(file, source, script.createCachedData());
    });
  });
}

type FileFacts = Pick<Stats, 'mtimeMs' | 'size'>;

/** The head of a compiled file: modification time and size of its source, and the checksum of the code, each as a double. */
const headBytes = 24;

/** V8 verifies less, and a single wrong bit may end the process. */
function readCode(file: string, source: FileFacts): Buffer | undefined {
  const content = attempt(() => readFileSync(file)) ?? Buffer.alloc(0);
  const code = content.subarray(headBytes);
  return content.subarray(0, headBytes).equals(headOf(source, code)) ? code : undefined;
}

function writeCode(file: string, source: FileFacts, code: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, Buffer.concat([headOf(source, code), code]), { flag: 'wx', mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function headOf({ mtimeMs, size }: FileFacts, code: Buffer): Buffer {
  const { crc32 } = process.getBuiltinModule('node:zlib') as unknown as { crc32: (bytes: Uint8Array) => number };
  return Buffer.from(new Float64Array([mtimeMs, size, crc32(code)]).buffer);
}
