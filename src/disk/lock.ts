import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isAbandoned, isAlive, type LockOwner, newOwnerName, parseOwnerName, startHeartbeat } from './owner.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes a lock that only one process holds at a time, or returns undefined while another living process holds it.
 *
 * A lock is a folder with one file in it, whose name is the owner's. It is taken by renaming a folder that already
 * holds that file onto the lock: the system refuses that while the lock is not empty, so owner and lock appear in one
 * step. A dead owner is removed by its own name, which can never be the name of whoever took the lock since.
 */
export function takeLock(path: string): Lock | undefined {
  const name = newOwnerName();
  const prepared = `${path}.${name}`;
  mkdirSync(prepared, { mode: 0o700 });
  try {
    writeFileSync(join(prepared, name), '\n', { mode: 0o600 });
    removeAbandoned(path, statSync(prepared).mtimeMs);
    if (!renamedOnto(prepared, path)) return undefined;
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
  const stopHeartbeat = startHeartbeat(join(path, name), '\n');
  return {
    release() {
      stopHeartbeat();
      rmSync(join(path, name), { force: true });
      removeIfEmpty(path);
    },
  };
}

/** Waits up to `waitMs` for a lock that is held only for moments. Returns undefined if it is still held then. */
export async function waitForLock(path: string, waitMs: number): Promise<Lock | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = takeLock(path);
    if (lock || performance.now() > end) return lock;
    await setTimeout(10 + Math.random() * 40);
  }
}

/** The process that holds a lock; undefined if nobody does. */
export function lockHolder(path: string): LockOwner | undefined {
  return ownersIn(path)
    .map(({ owner }) => owner)
    .find((owner) => isAlive(owner) !== false);
}

/** Removes locks and prepared locks in a folder whose owners are dead. */
export function removeDeadLocks(folder: string): void {
  for (const name of namesIn(folder)) {
    const owner = parseOwnerName(name.slice(name.lastIndexOf('.') + 1));
    if (owner && isAlive(owner) === false) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function removeAbandoned(path: string, now: number): void {
  for (const { name, owner } of ownersIn(path)) {
    const file = join(path, name);
    if (isAbandoned(file, owner, now)) rmSync(file, { force: true });
  }
}

function ownersIn(path: string): { name: string; owner: LockOwner }[] {
  return namesIn(path).flatMap((name) => {
    const owner = parseOwnerName(name);
    return owner ? [{ name, owner }] : [];
  });
}

function renamedOnto(prepared: string, path: string): boolean {
  // Windows does not replace an empty folder.
  removeIfEmpty(path);
  try {
    renameSync(prepared, path);
    return true;
  } catch (error) {
    const isHeld = refusals.has((error as NodeJS.ErrnoException).code ?? '');
    if (isHeld && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return false;
    throw error;
  }
}

/** What systems answer when a folder is renamed onto one that is not empty. */
const refusals = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY']);

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {}
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
