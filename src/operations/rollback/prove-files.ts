import type { Api } from '../../api/client.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { getBuildZipContents } from '../../contract/builds.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { type BuildFile, parseZipContents } from '../builds/index.ts';
import type { FileChanges } from '../deploy/index.ts';
import { waitForChange } from '../waiting/index.ts';

/** How two lists of files were compared: some entries of the platform may have no checksum, or not even a size. */
export type Proof = 'checksums' | 'sizes' | 'paths';

/** Pauses between looks at a build that was just uploaded, in ms. */
const pausesMs = [100, 250, 500, 1_000];

/** The files of a build (spec 4.8); undefined if the platform does not list them. */
export async function readListing(api: Api, project: string, app: string, build: string) {
  try {
    const { zipFiles } = await api(getBuildZipContents, { project, app, build });
    const files = parseZipContents(zipFiles).filter(({ path }) => !path.endsWith('/'));
    return files.length > 0 ? files : undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The files of a build whose upload has just ended; undefined if the platform does not list them yet. */
export function waitForListing({ api, project, delay }: Context, app: string, build: string) {
  return waitForChange(
    () => readListing(api, project, app, build),
    (files) => files !== undefined,
    delay,
    pausesMs,
  );
}

/** Compares by path, size and checksum, as far as both lists have them. */
export function compareListings(before: readonly BuildFile[], now: readonly BuildFile[]): FileChanges {
  const missing = new Map(before.map((file) => [file.path, file]));
  const changes: FileChanges = { added: [], changed: [], removed: [], unchanged: 0, unverified: 0 };
  for (const file of now) {
    const old = missing.get(file.path);
    missing.delete(file.path);
    if (!old) changes.added.push(file.path);
    else if (isOther(old.size, file.size) || isOther(old.crc32, file.crc32)) changes.changed.push(file.path);
    else {
      changes.unchanged++;
      if (old.crc32 === undefined || file.crc32 === undefined) changes.unverified++;
    }
  }
  changes.removed = [...missing.keys()];
  return changes;
}

/** What the comparison with this list can show. */
export function proofOf(listing: readonly BuildFile[]): Proof {
  if (listing.every(({ crc32 }) => crc32 !== undefined)) return 'checksums';
  return listing.every(({ size }) => size !== undefined) ? 'sizes' : 'paths';
}

/** `main.py and 2 more`; undefined if nothing differs. */
export function differingFiles({ added, changed, removed }: FileChanges): string | undefined {
  const [first, ...others] = [...added, ...changed, ...removed];
  if (first === undefined) return undefined;
  return others.length > 0 ? `${first} and ${others.length} more` : first;
}

/** What was found differs from the files of the build to return to. */
export function differentFilesError(message: string, app: string, changes: FileChanges): ConflictError {
  const { added, changed, removed } = changes;
  return new ConflictError(message, {
    why: `different: ${differingFiles(changes)}`,
    fix: gantryCommand`builds list ${app}`,
    details: { app, added, changed, removed },
  });
}

function isOther(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
