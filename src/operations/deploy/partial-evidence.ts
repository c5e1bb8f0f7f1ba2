/** What a build is made of after a partial upload, by the platform's own list of its files. */
import type { Api } from '../../api/client.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { buildPhase } from '../../contract/builds.ts';
import { FailedError, PendingError } from '../../errors.ts';
import { type BuildFile, fetchBuild } from '../builds/index.ts';
import { Deadline, pollUntil, throwUnlessTransient } from '../waiting/index.ts';
import type { SentFile } from './deploy-record.ts';
import { readBuildFiles, readReadyBuild } from './partial-upload.ts';

/** The build is not made of all files of the app, as far as can be seen. */
export class IncompleteBuildError extends FailedError {
  constructor(
    readonly build: string,
    message: string,
    /** The platform has built what was sent, and nothing else. */
    readonly isOnlyPart: boolean,
  ) {
    super(message);
  }
}

export interface UploadedPart {
  app: string;
  build: string;
  /** The build that the other files come from. */
  base: string;
  sent: readonly BuildFile[];
  unchanged: readonly SentFile[];
}

/** How long the platform may take to list the files. */
const maxListingMs = 60_000;
const pauses = { firstMs: 500, maxMs: 5_000, growth: 1.5 };

/** Returns if the build has all files with their sizes and checksums. Throws IncompleteBuildError otherwise. */
export async function checkUploadedPart(context: Context, part: UploadedPart): Promise<void> {
  const { build } = part;
  const step = context.progress.step(`Checking the files of build ${build}`);
  try {
    const verdict = await readVerdict(context, part);
    const isWhole = verdict === 'whole' || (verdict === 'unverified' && (await hasSameBase(context, part)));
    if (!isWhole) throw new IncompleteBuildError(build, texts[verdict](part), verdict === 'only-part');
    step.done(`Build ${build} has all ${part.sent.length + part.unchanged.length} files`);
  } catch (error) {
    step.fail();
    throw error;
  }
}

async function readVerdict(context: Context, part: UploadedPart): Promise<Verdict> {
  const { app, build } = part;
  const fix = gantryCommand`builds files ${app} ${build}`;
  const work = { name: `build ${build} of ${app}`, fix, details: { app, build } };
  try {
    return await pollUntil(
      context,
      {
        poll: (api) => readListing(api, { project: context.project, app, build }),
        deadline: new Deadline(context, maxListingMs, () => new PendingError('no list of files in time')),
        pauses,
        onFailure: (error, silentMs) => throwUnlessTransient(error, silentMs, work),
      },
      ({ files, hasEnded }) => (files.length > 0 ? judge(files, part) : hasEnded ? 'unlisted' : undefined),
    );
  } catch (error) {
    if (error instanceof PendingError) return 'unlisted';
    throw error;
  }
}

/** The files are listed at some time between the upload and the end of the build. */
async function readListing(api: Api, params: { project: string; app: string; build: string }): Promise<Listing> {
  const files = await readBuildFiles(api, params);
  if (files) return { files, hasEnded: false };
  const { status } = await fetchBuild(api, params);
  return { files: [], hasEnded: buildPhase(status) !== 'in progress' };
}

interface Listing {
  files: BuildFile[];
  hasEnded: boolean;
}

/** `unverified`: the sizes are right, and there are no checksums. */
type Verdict = 'whole' | 'unverified' | 'only-part' | 'other' | 'unlisted';

const texts: Record<Verdict, (part: UploadedPart) => string> = {
  'only-part': ({ build }) => `the platform built only what was sent (build ${build})`,
  whole: ({ build }) => `build ${build} has all files`,
  other: ({ build, base }) => `the files of build ${build} are not those of ${base} with the changes`,
  unlisted: ({ build }) => `the platform does not list the files of build ${build}`,
  unverified: ({ base }) => `${base} is not the latest ready build any more`,
};

function judge(files: readonly BuildFile[], { sent, unchanged }: UploadedPart): Verdict {
  const listed = new Map(files.map((file) => [file.path, file]));
  const has = ({ path, size, crc32 }: BuildFile) => {
    const file = listed.get(path);
    return file?.size === size && (file?.crc32 === undefined || file.crc32 === crc32);
  };
  const isSent = sent.every(has);
  if (isSent && listed.size === sent.length) return 'only-part';
  if (!isSent || !unchanged.every(has) || listed.size !== sent.length + unchanged.length) return 'other';
  return files.every(({ crc32 }) => crc32 !== undefined) ? 'whole' : 'unverified';
}

/** Another deploy may have ended meanwhile, and the platform may have taken the files of its build. */
async function hasSameBase(context: Context, { app, base, build }: UploadedPart): Promise<boolean> {
  const ready = await readReadyBuild(context, app);
  return ready === base || ready === build;
}
