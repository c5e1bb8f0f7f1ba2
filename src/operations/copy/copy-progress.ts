import type { Retry } from '../../api/retry.ts';
import type { Context } from '../../context.ts';
import type { ExitName, GantryError } from '../../errors.ts';
import { count, duration, fileSummary, size } from '../../output/format.ts';
import type { Step } from '../../output/progress.ts';

/** A file or folder that got another name, because its own would have led to another one's content. */
export interface RenamedEntry {
  path: string;
  as: string;
}

export interface FailedFile {
  path: string;
  reason: string;
  /** As in `gantry help exit-codes`. */
  code: ExitName;
}

/** Failures, retries and the like that are told one by one; the rest is counted. */
const toldOneByOne = 10;
/** Names that are listed of what is going to be done. */
export const maxListedPaths = 20;
/** Between two looks of a person at the line of progress. */
const glanceMs = 100;

/** Counts what becomes of the files, and says so. */
export class CopyProgress {
  files = 0;
  bytes = 0;
  skipped = 0;
  resumedBytes = 0;
  readonly failed: FailedFile[] = [];
  /** Paths that were changed, so that the disk can tell them apart. */
  readonly renamed: RenamedEntry[] = [];
  /** Failures since something last went well, if all are of one kind. */
  consecutiveFailures = 0;
  #foundFiles = 0;
  #foundBytes = 0;
  #isFound = false;
  #settledBytes = 0;
  #unconfirmedFiles = 0;
  #unconfirmedBytes = 0;
  #movedBytes = 0;
  #retries = 0;
  #told = 0;
  #leftOut = 0;
  #leftovers = 0;
  #planned = 0;
  #lookedAt = 0;
  #step: Step | undefined;
  readonly #startedAt: number;

  constructor(private readonly context: Pick<Context, 'progress' | 'elapsed'>) {
    this.#startedAt = context.elapsed();
  }

  get seconds(): number {
    return (this.context.elapsed() - this.#startedAt) / 1000;
  }

  start(title: string): void {
    this.#step = this.context.progress.step(title);
  }

  finish(): void {
    this.#step?.clear();
    this.#step = undefined;
    const unlisted = this.#planned - maxListedPaths;
    if (unlisted > 0) this.context.progress.note(`  and ${unlisted} more`);
    const others = this.#leftOut - toldOneByOne;
    if (others > 0) this.context.progress.note(`and ${others} more are left out`);
    const otherNames = this.renamed.length - toldOneByOne;
    if (otherNames > 0) this.context.progress.note(`and ${otherNames} more are renamed`);
    const more = this.failed.length - toldOneByOne;
    if (more > 0) this.context.progress.note(`and ${count(more, 'failure')} more: --json lists them all`);
  }

  /** `bytes` may come later, by `sized`. */
  found(bytes = 0): void {
    this.#foundFiles++;
    this.#foundBytes += bytes;
  }

  /** The size of a file that was found without one. */
  sizeKnown(bytes: number): void {
    this.#foundBytes += bytes;
  }

  /** From now on it is known how much there is in all. */
  allFound(): void {
    this.#isFound = true;
  }

  /** Bytes that went over the line; fewer than none when they have to go again. */
  transferred(bytes: number): void {
    this.#movedBytes += bytes;
    this.#look();
  }

  retried({ reason, attempt, tries, delayMs }: Retry): void {
    this.#retries++;
    if (this.#told++ < toldOneByOne) {
      this.context.progress.note(`${reason.message}; trying again in ${duration(delayMs)} (${attempt} of ${tries})`);
    }
    this.#look();
  }

  /** A file is copied from its beginning once more. */
  restarted(path: string, { message }: GantryError): void {
    this.#retries++;
    if (this.#told++ < toldOneByOne) this.context.progress.note(`${printablePath(path)}: ${message}; copying it again`);
  }

  /** A file was sent, but is not known to have arrived. */
  uploaded(bytes: number): void {
    this.#unconfirmedFiles++;
    this.#unconfirmedBytes += bytes;
    this.#look();
  }

  /** A sent file was looked up: it is counted as copied or failed next. */
  confirmationEnded(bytes: number): void {
    this.#unconfirmedFiles--;
    this.#unconfirmedBytes -= bytes;
  }

  copied(path: string, bytes: number, resumedBytes = 0): void {
    this.files++;
    this.bytes += bytes;
    this.resumedBytes += resumedBytes;
    this.consecutiveFailures = 0;
    this.#settle(bytes);
    this.context.progress.event('file', { path, status: 'copied', bytes });
  }

  /** What would be copied, were it no dry run. */
  wouldCopy(path: string, bytes: number): void {
    this.files++;
    this.bytes += bytes;
    this.#settle(bytes);
    if (this.#planned++ < maxListedPaths) this.context.progress.note(`  copies ${printablePath(path)}`);
    this.context.progress.event('file', { path, status: 'would-copy', bytes });
  }

  /** A file is copied as the user's that may be an unfinished download. */
  warnLeftover(path: string): void {
    if (this.#leftovers++ >= toldOneByOne) return;
    this.context.progress.warn({
      severity: 'warning',
      message: `${printablePath(path)} may be an unfinished download of a gantry with other settings; copying it`,
      fix: "delete it, or pass --exclude '.gantry-*'",
    });
  }

  fileRenamed(renamed: RenamedEntry): void {
    this.renamed.push(renamed);
    const { progress } = this.context;
    if (this.renamed.length <= toldOneByOne) {
      progress.note(
        `${printablePath(renamed.path)} is saved as ${printablePath(renamed.as)}: this disk does not tell it apart`,
      );
    }
    progress.event('file', { ...renamed, status: 'renamed' });
  }

  skip(path: string, reason: string, bytes = 0): void {
    this.skipped++;
    this.consecutiveFailures = 0;
    this.#settle(bytes);
    this.context.progress.event('file', { path, status: 'skipped', reason });
  }

  /** The same of something that is no file, or a link that is not followed: nobody asked for that by a flag. */
  skipWithNote(path: string, reason: string): void {
    if (this.#leftOut++ < toldOneByOne) this.context.progress.note(`${printablePath(path)} is left out: ${reason}`);
    this.skip(path, reason);
  }

  /** `isOfOneFile`: the error is no sign that other files will fail as well. */
  fail(path: string, error: GantryError, bytes = 0, isOfOneFile = false): void {
    const last = this.failed.at(-1);
    if (!isOfOneFile) this.consecutiveFailures = last?.code === error.exit ? this.consecutiveFailures + 1 : 1;
    this.failed.push({ path, reason: error.message, code: error.exit });
    this.#settle(bytes);
    if (this.failed.length <= toldOneByOne) {
      const { why, fix } = error.facts;
      this.context.progress.warn({
        severity: 'warning',
        message: failureText(path, error),
        ...(why && { why }),
        ...(fix && { fix }),
      });
    }
    this.context.progress.event('file', { path, status: 'failed', reason: error.message, code: error.exit });
  }

  #settle(bytes: number): void {
    this.#settledBytes += bytes;
    this.#look();
  }

  #look(): void {
    const now = this.context.elapsed();
    if (!this.#step || now - this.#lookedAt < glanceMs) return;
    this.#lookedAt = now;
    this.#step.update({ text: this.#text(now) });
  }

  #text(now: number): string {
    const { files, skipped, failed } = this;
    const settled = files + skipped + failed.length + this.#unconfirmedFiles;
    const settledBytes = this.#settledBytes + this.#unconfirmedBytes;
    const seconds = (now - this.#startedAt) / 1000;
    const rate = seconds > 0 ? Math.max(0, this.#movedBytes) / seconds : 0;
    const done = Math.min(this.#foundBytes, Math.max(settledBytes, this.#movedBytes + this.resumedBytes));
    const left = rate > 0 && seconds > 1 ? ((this.#foundBytes - done) / rate) * 1000 : 0;
    return [
      this.#isFound ? `${settled} of ${count(this.#foundFiles, 'file')}` : count(settled, 'file'),
      this.#isFound && this.#foundBytes > 0
        ? `${Math.floor((done / this.#foundBytes) * 100)} % of ${size(this.#foundBytes)}`
        : size(done),
      rate > 0 ? `${size(rate)}/s` : '',
      this.#isFound && left >= 1000 ? `${duration(left)} left` : '',
      this.#retries > 0 ? count(this.#retries, 'retry', 'retries') : '',
    ]
      .filter(Boolean)
      .join(', ');
  }
}

/** How the message of an error begins that leaves open whether the file arrived. */
export const unconfirmedPrefix = 'it was sent, but could not be confirmed: ';

/** What a line says of a file that failed. */
export function failureText(path: string, { message }: GantryError): string {
  if (!message.startsWith(unconfirmedPrefix)) return `${printablePath(path)} is not copied: ${message}`;
  return `${printablePath(path)} was sent, but could not be confirmed: ${message.slice(unconfirmedPrefix.length)}`;
}

/** A name with line ends or the like in it, on one line. */
export function printablePath(path: string): string {
  return /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
}

/** `340 files, 1.2 GiB to default:/x in 4.0 s (300 MiB/s)`, and what else there is to say of a copy. */
export function copySummaryText(sum: {
  to: string;
  files: number;
  bytes: number;
  skipped: number;
  failed: readonly unknown[];
  resumedBytes: number;
  seconds: number;
}): string {
  const sentBytes = sum.bytes - sum.resumedBytes;
  const rate = sum.seconds > 0 && sentBytes > 0 ? ` (${size(sentBytes / sum.seconds)}/s)` : '';
  return [
    `${fileSummary(sum.files, sum.bytes)} to ${sum.to} in ${duration(sum.seconds * 1000)}${rate}`,
    sum.resumedBytes > 0 ? `${size(sum.resumedBytes)} of it by an earlier try` : '',
    sum.skipped > 0 ? `${sum.skipped} left out` : '',
    sum.failed.length > 0 ? `${sum.failed.length} failed` : '',
  ]
    .filter(Boolean)
    .join('; ');
}
