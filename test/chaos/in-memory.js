import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where the files of tests are: in memory, where that is possible. Half of what the system did for the tests was to write
 * and remove them on a disk. `TMPDIR` names another folder.
 */
export function temporaryFolder() {
  const inMemory = '/dev/shm';
  return process.env.TMPDIR === undefined && isRoomy(inMemory) ? inMemory : realpathSync(tmpdir());
}

/**
 * Whether it has room for the files of tests, and starts programs.
 * @param {string} folder
 */
function isRoomy(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const place = mkdtempSync(join(folder, 'tests-'));
    try {
      writeFileSync(join(place, 'starts'), '#!/bin/sh\n', { mode: 0o755 });
      execFileSync(join(place, 'starts'));
    } finally {
      rmSync(place, { recursive: true });
    }
    return Math.min(bavail * bsize, freemem()) > 4 * 2 ** 30;
  } catch {
    return false;
  }
}
