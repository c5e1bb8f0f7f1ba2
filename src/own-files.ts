import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker, WorkerOptions } from 'node:worker_threads';

/**
 * The files of the program itself, by their path below this module. They are on the disk, or in the executable if the
 * program is a single one (docs/decisions/0011). No other module asks where they are.
 */

/** Whether the program and Node are one executable. `process.execPath` is then the program. */
export function isExecutable(): boolean {
  return archive() !== undefined;
}

/** Throws if there is no such file. */
export function readOwnFile(path: string): string {
  return archive()?.getAsset(path, 'utf8') ?? readFileSync(join(import.meta.dirname, path), 'utf8');
}

/** @public The build puts calls of it into the program (build/library-parts.js). */
export function readOwnBytes(path: string): Uint8Array {
  const asset = archive()?.getAsset(path);
  return asset ? new Uint8Array(asset) : readFileSync(join(import.meta.dirname, path));
}

/** For another program to open; undefined in an executable, where it is no file. */
export function ownFilePath(path: string): string | undefined {
  return archive() ? undefined : join(import.meta.dirname, path);
}

export function startOwnWorker(path: string, options: WorkerOptions): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const source = archive()?.getAsset(path, 'utf8');
  if (source === undefined) return new Worker(join(import.meta.dirname, path), options);
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), options);
}

/** Where the program is: the executable, or the folder of its files. */
export function ownLocation(): string {
  return archive() ? process.execPath : import.meta.dirname;
}

/** What starts gantry again: the program, and the arguments before the words of the command line. */
export function ownCommand(): [program: string, ...args: string[]] {
  const program = process.execPath;
  const script = process.argv[1];
  return archive() || !script ? [program] : [program, script];
}

/** What starts the program of the package that this module is in. */
export function packageCommand(): string[] {
  return [process.execPath, join(import.meta.dirname, '../bin/gantry.cjs')];
}

function archive() {
  const sea = process.getBuiltinModule('node:sea');
  return sea.isSea() ? sea : undefined;
}
