import type { Api } from '../../api/client.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { getBuildZipContents } from '../../contract/builds.ts';
import { ConflictError, GantryError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { type BuildFile, compareListings, type FileChanges, parseZipContents } from '../builds/index.ts';
import { unlessMissing, waitForChange } from '../waiting/index.ts';

/** How two lists of files were compared: by what all entries of the platform have. */
export type Proof = (typeof proofs)[number];
export const proofs = ['sha256', 'crc32', 'sizes', 'paths'] as const;
export const proofTexts: Record<Proof, string> = {
  sha256: 'SHA-256',
  crc32: 'CRC-32',
  sizes: 'size only',
  paths: 'name only',
};

/** Pauses between looks at a build that was just uploaded, in ms. */
const pausesMs = [100, 250, 500, 1_000];

/** The files of a build (spec 4.8); undefined if the platform does not list them. */
export async function readListing(api: Api, project: string, app: string, build: string) {
  const listed = await unlessMissing(api(getBuildZipContents, { project, app, build }));
  const files = parseZipContents(listed?.zipFiles).filter(({ path }) => !path.endsWith('/'));
  return files.length > 0 ? files : undefined;
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

/** What the comparison with this list can show. */
export function proofOf(listing: readonly BuildFile[]): Proof {
  if (listing.every(({ sha256 }) => sha256)) return 'sha256';
  if (listing.every(({ sha256, crc32 }) => sha256 || crc32 !== undefined)) return 'crc32';
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

/** Compares the platform's list of the new build with the expected one: the build is canceled if it differs. */
export class FileProof {
  #isDone = false;
  #sent: readonly BuildFile[] = [];

  constructor(
    private readonly context: Context,
    private readonly app: string,
    private readonly restored: string,
    /** Undefined: the new build must have what was sent. */
    private readonly expected: readonly BuildFile[] | undefined,
  ) {}

  /** Right after the upload, when the build can still be canceled. The platform may not list its files yet. */
  async check(build: string, sent: readonly BuildFile[]): Promise<void> {
    this.#sent = sent;
    const { context, app } = this;
    const listing = await waitForListing(context, app, build).catch((error: unknown) => {
      if (error instanceof GantryError && !context.signal.aborted) return undefined;
      throw error;
    });
    if (listing) this.#compare(listing, `build ${shortBuild(build)} was stopped: it does not have the files of build`);
  }

  async finish(build: string): Promise<void> {
    if (this.#isDone) return;
    const { context, app, restored } = this;
    const listing = await readListing(context.api, context.project, app, build);
    const serves = `build ${shortBuild(build)} serves, but`;
    if (listing) return this.#compare(listing, `${serves} it does not have the files of build`);
    throw new ConflictError(`${serves} its files cannot be compared with those of build ${shortBuild(restored)}`, {
      why: 'the platform lists no files of the new build',
      fix: gantryCommand`builds get ${app} ${build}`,
      details: { app, build, restored },
    });
  }

  #compare(listing: readonly BuildFile[], message: string): void {
    this.#isDone = true;
    const changes = compareListings(this.expected ?? this.#sent, listing);
    if (!differingFiles(changes)) return;
    throw differentFilesError(`${message} ${shortBuild(this.restored)}`, this.app, changes);
  }
}
