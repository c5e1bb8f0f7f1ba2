import { closeSync, fchmodSync, futimesSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exclusively } from './new-file.ts';
import { removedOnExit } from './removed-on-exit.ts';
import { replaceFileSync } from './replace.ts';
import type { TemporaryNames } from './temporary.ts';

interface NewSmallFileOptions {
  names: TemporaryNames;
  /** As in {@link NewFileOptions}. */
  folder: string;
  content: Uint8Array;
  /** Modification time, in ms since 1970. */
  modified: number | undefined;
}

/**
 * A {@link NewFile} whose content is known. Every step is synchronous: going through the thread pool takes several times as
 * long as each of them.
 */
export class NewSmallFile {
  private constructor(readonly path: string) {}

  /** Throws system errors. */
  static create(target: string, { names, folder, content, modified }: NewSmallFileOptions): NewSmallFile {
    const file = new NewSmallFile(join(dirname(target), names.nameIn(folder)));
    const replaced = lstatSync(target, { throwIfNoEntry: false });
    const descriptor = openSync(file.path, exclusively, 0o666);
    removedOnExit.add(file.path);
    try {
      if (replaced?.isFile()) keepMode(descriptor, replaced.mode);
      writeFileSync(descriptor, content);
      if (modified !== undefined) futimesSync(descriptor, modified / 1000, modified / 1000);
    } catch (error) {
      file.discard();
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return file;
  }

  /** Renames it to its target. */
  commit(target: string): void {
    replaceFileSync(this.path, target);
    removedOnExit.delete(this.path);
  }

  /** Best effort. */
  discard(): void {
    try {
      rmSync(this.path, { force: true });
    } catch {
      // It is removed later: the record of temporary names has it.
    }
    removedOnExit.delete(this.path);
  }
}

function keepMode(descriptor: number, mode: number): void {
  try {
    fchmodSync(descriptor, mode & 0o777);
  } catch {
    // Not every disk has modes.
  }
}
