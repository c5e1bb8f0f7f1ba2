import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { ConflictError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { compareListings } from '../builds/index.ts';
import { differingFiles, type Proof, proofOf, proofTexts, readListing } from './prove-files.ts';

/** Builds that served before the one to return to, whose files are compared: each is a request. */
const maxCompared = 3;

/** What two builds with equal lists have in common. */
const hasText: Record<Proof, string> = {
  sha256: 'the files of',
  crc32: 'the files of',
  sizes: 'files of the same names and sizes as',
  paths: 'files of the same names as',
};

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
 * rolled back from that, and a rollback would bring it back. What proves the files of a target is enough. But names alone are
 * the same in most builds: if the build to return to has them, too, that is only a warning.
 */
export async function checkNoReturn(context: Context, app: string, { live, target, earlier }: Return): Promise<void> {
  const { api, progress, project } = context;
  const listing = earlier.length > 0 ? await readListing(api, project, app, live) : undefined;
  if (!listing) return;
  const hasSame = async (build: string) => {
    const other = await readListing(api, project, app, build);
    return other !== undefined && differingFiles(compareListings(other, listing)) === undefined;
  };
  const proof = proofOf(listing);
  const why = `compared by ${proofTexts[proof]}: somebody may have rolled back from ${shortBuild(target)}, and a rollback would bring it back`;
  for (const build of earlier.slice(0, maxCompared)) {
    if (!(await hasSame(build))) continue;
    const unknown = `build ${shortBuild(live)} of ${app}, which was not deployed from here,`;
    const earlierOne = `${shortBuild(build)}, which served before ${shortBuild(target)}`;
    const fix = gantryCommand`rollback ${app} BUILD`;
    if (proof === 'paths' && (await hasSame(target))) {
      return progress.warn({
        severity: 'warning',
        message: `whether ${unknown} has the files of ${earlierOne}, is not known`,
        why,
        fix,
      });
    }
    const details = { app, build: live, same: build, target };
    throw new ConflictError(`${unknown} has ${hasText[proof]} ${earlierOne}`, { why, fix, details });
  }
}
