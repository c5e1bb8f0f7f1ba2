import { mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../clock.ts';
import { attempt, systemCode } from '../errors.ts';
import { namesIn } from './folders.ts';
import {
  isAbandoned,
  isAlive,
  isOrphaned,
  type LockOwner,
  newOwnerName,
  parseOwnerName,
  startHeartbeat,
} from './owner.ts';

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
  return ownersIn(path)
    .map(({ owner }) => owner)
    .find((owner) => isAlive(owner) !== false);
}

export function removeDeadLocks(folder: string): void {
  for (const name of namesIn(folder)) {
    const owner = parseOwnerName(name.slice(name.lastIndexOf('.') + 1));
    const path = join(folder, name);
    if (owner && isOrphaned(path, owner)) rmSync(path, { recursive: true, force: true });
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

/** Codes for renaming a folder onto one that is not empty. */
const notEmptyCodes = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY']);
