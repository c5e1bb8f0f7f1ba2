import { createCipheriv, createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder of its own; what is in it goes with the temporary folder of the test file. */
export function newFolder(files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-test-'));
  lay(folder, files);
  return folder;
}

/** For a test file whose subject is a file system that keeps change times: one in memory does not (own-machine.ts). */
export function onDisk(): void {
  const folder = mkdtempSync(join(process.env.GANTRY_TEST_DISK ?? tmpdir(), 'tests-'));
  process.env.TMPDIR = folder;
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
}

/** Makes files in a folder, and the folders they lie in. */
export function lay(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** The paths of all that is no folder, in order. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !lstatSync(join(folder, path)).isDirectory())
    .sort();
}

/** SHA-256 of each file. */
export function hashesIn(folder: string): Record<string, string> {
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(filesIn(folder).map((path) => [path, hash(path)]));
}

/** Bytes that do not shrink, and the same in each run. */
export function noise(bytes: number, seed = 'noise'): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** What was said but for lines of progress, which come when something takes longer than a second. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^project .*\n/, '').replace(/^(Copying|Comparing|Looking|Reading).*\n/gm, '');
}

/** Descriptors of this process that lead into a folder. */
export function descriptorsIn(folder: string): number {
  if (process.platform !== 'linux') return 0;
  const real = realpathSync(folder);
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(real);
    } catch {
      return false;
    }
  }).length;
}
