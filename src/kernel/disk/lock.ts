import { mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../clock.ts';
import { attempt, systemCode } from '../errors.ts';
import { isAbandoned, isAlive, isOrphaned, type LockOwner, newOwnerName, ownedIn, startHeartbeat } from './owner.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes a lock that one process holds at a time. Returns undefined while another live process holds it.
 *
 * A lock is a folder with one file, whose name identifies the owner. Taking it renames a prepared folder onto the lock,
 * which fails while the lock is not empty, so owner and lock appear atomically. The file of a dead owner is removed by its
 * name, which no later owner can have.
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
      attempt(() => rmdirSync(path));
    },
  };
}

/** Waits up to `waitMs` for a lock that is held briefly. Returns undefined if it is still held. */
export async function waitForLock(path: string, waitMs: number): Promise<Lock | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = takeLock(path);
    if (lock || performance.now() > end) return lock;
    await pause(10 + Math.random() * 40);
  }
}

export function lockHolder(path: string): LockOwner | undefined {
  return ownedIn(path).find(({ owner }) => isAlive(owner) !== false)?.owner;
}

export function removeDeadLocks(folder: string): void {
  for (const { path, owner } of ownedIn(folder, /^.*\./s)) {
    if (isOrphaned(path, owner)) rmSync(path, { recursive: true, force: true });
  }
}

function removeAbandoned(lock: string, now: number): void {
  for (const { path, owner } of ownedIn(lock)) {
    if (isAbandoned(path, owner, now)) rmSync(path, { force: true });
  }
}

function renamedOnto(prepared: string, path: string): boolean {
  // Windows does not replace an empty folder.
  attempt(() => rmdirSync(path));
  try {
    renameSync(prepared, path);
    return true;
  } catch (error) {
    const isHeld = notEmptyCodes.has(systemCode(error));
    if (isHeld && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return false;
    throw error;
  }
}

const notEmptyCodes = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY']);
