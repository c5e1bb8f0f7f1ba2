import { realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { attempt, ConflictError } from '../errors.ts';
import { announce } from './announcements.ts';
import { makePrivateFolder } from './folders.ts';
import { type Lock, waitForLock } from './lock.ts';
import { isAbandoned, ownedIn } from './owner.ts';
import { readJsonSync } from './regular-file.ts';

interface ClaimTarget {
  /** A file that will be written, or a folder that will be filled. */
  path: string;
  kind: 'file' | 'folder';
}

interface ClaimOptions extends ClaimTarget {
  delay: (ms: number) => Promise<void>;
  onWait: (pid: number) => void;
}

const maxWaitMs = 10 * 60_000;
/** Pause between two attempts, which doubles each time. */
const pauseMs = { first: 200, max: 3_200 };
const lockWaitMs = 10_000;

/** Waits while another process writes to the path, a parent or a child; throws a ConflictError after ten minutes. */
export async function claimTarget(state: string, { path, kind, delay, onWait }: ClaimOptions): Promise<Lock> {
  const folder = join(state, 'claims');
  makePrivateFolder(folder);
  const wanted = { path: realPath(path), kind };
  let waitedMs = 0;
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.max)) {
    const claim = await tryClaim(folder, wanted);
    if ('release' in claim) return claim;
    if (waitedMs === 0) onWait(claim.pid);
    if (waitedMs >= maxWaitMs) throw stillClaimed(path, claim);
    await delay(pause);
    waitedMs += pause;
  }
}

type OtherClaim = ReturnType<typeof liveClaims>[number];

async function tryClaim(folder: string, wanted: ClaimTarget): Promise<Lock | OtherClaim> {
  const lock = await waitForLock(`${folder}.lock`, lockWaitMs);
  if (!lock) throw new ConflictError(`${folder}.lock is held by another process`, { fix: `remove ${folder}.lock` });
  try {
    const other = liveClaims(folder).find(({ target }) => contains(target, wanted) || contains(wanted, target));
    return other ?? { release: announce(folder, wanted).withdraw };
  } finally {
    lock.release();
  }
}

/** Takes the current time from the new lock, because the clock of the disk may differ. */
function liveClaims(folder: string) {
  const now = statSync(`${folder}.lock`).mtimeMs;
  return ownedIn(folder, /\.json$/).flatMap(({ owner, path: file }) => {
    if (isAbandoned(file, owner, now)) {
      rmSync(file, { force: true });
      return [];
    }
    const target = readTarget(file);
    return target ? [{ pid: owner.pid, file, target }] : [];
  });
}

function readTarget(file: string): ClaimTarget | undefined {
  const { path, kind }: Partial<Record<keyof ClaimTarget, unknown>> = Object(readJsonSync(file));
  return typeof path === 'string' && (kind === 'file' || kind === 'folder') ? { path, kind } : undefined;
}

function contains(outer: ClaimTarget, inner: ClaimTarget): boolean {
  if (outer.path === inner.path) return true;
  return outer.kind === 'folder' && inner.path.startsWith(outer.path.endsWith(sep) ? outer.path : outer.path + sep);
}

/** Resolves symbolic links as far as the path exists. */
function realPath(path: string): string {
  const parent = dirname(path);
  return attempt(() => realpathSync(path)) ?? (parent === path ? path : join(realPath(parent), basename(path)));
}

function stillClaimed(path: string, { pid, file }: OtherClaim): ConflictError {
  return new ConflictError(`another gantry (process ${pid}) is still writing to ${path}`, {
    fix: `wait for it to finish; if it no longer runs, rm ${file}`,
  });
}
