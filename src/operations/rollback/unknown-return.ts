import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { ConflictError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { compareListings } from '../builds/index.ts';
import { differingFiles, proofOf, readListing } from './prove-files.ts';

/** Builds that served before the one to return to, whose files are compared: each is a request. */
const maxCompared = 3;

interface Return {
  /** The build that serves. Nobody on record has deployed it. */
  live: string;
  /** The build to return to. */
  target: string;
  /** Builds that served before that one, the latest first. */
  earlier: readonly string[];
}

/**
 * Throws ConflictError if the live build has the files of one that served before the build to return to: somebody may have
 * rolled back from that, and a rollback would bring it back.
 */
export async function checkNoReturn(
  { api, project }: Context,
  app: string,
  { live, target, earlier }: Return,
): Promise<void> {
  if (earlier.length === 0) return;
  const listing = await readListing(api, project, app, live);
  if (!listing || !/^(sha256|crc32)$/.test(proofOf(listing))) return;
  for (const build of earlier.slice(0, maxCompared)) {
    const other = await readListing(api, project, app, build);
    const changes = other && compareListings(other, listing);
    if (!changes || changes.unverified > 0 || differingFiles(changes) !== undefined) continue;
    throw new ConflictError(
      `build ${shortBuild(live)} of ${app}, which was not deployed from here, has the files of ${shortBuild(build)}, which served before ${shortBuild(target)}`,
      {
        why: `somebody may have rolled back from ${shortBuild(target)}: a rollback would bring it back`,
        fix: gantryCommand`rollback ${app} BUILD`,
        details: { app, build: live, same: build, target },
      },
    );
  }
}
