import { type ExitName, exitCodes, type GantryError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { count, duration, groupDigits, printablePath, size } from '../../kernel/output/format.ts';
import type { Step } from '../../kernel/output/progress.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import { choice, type ObjectOf, text } from '../../kernel/shape.ts';
import type { Retry } from '../../platform/api/retry.ts';
import type { Context } from '../../platform/context.ts';

export const failedFileFields = {
  path: text('path'),
  reason: text('why it failed'),
  code: choice(Object.keys(exitCodes) as ExitName[], 'name of an exit code'),
};
export type FailedFile = ObjectOf<typeof failedFileFields>;

/** Failures, retries and the like are printed up to this number, then counted. */
const maxPrinted = 10;
const updateMs = 100;

export class CopyProgress {
  files = 0;
  bytes = 0;
  skipped = 0;
  resumedBytes = 0;
  /** Files that were skipped because they have the checksum of their source. */
  equal = 0;
  readonly failed: FailedFile[] = [];
  /** Failures with the same exit code since the last success. */
  consecutiveFailures = 0;
  /** The totals are final. */
  isComplete = false;
  /** Files that are on the volume, but not confirmed. */
  sentFiles = 0;
  #foundFiles = 0;
  #foundBytes = 0;
  #settledBytes = 0;
  #unconfirmedBytes = 0;
  #transferredBytes = 0;
  #retries = 0;
  #notedSkips = 0;
  readonly planned = new PackedList<string>();
  #updatedAt = 0;
  #step: Step | undefined;
  readonly #startedAt: number;

  constructor(private readonly context: Pick<Context, 'progress' | 'elapsed'>) {
    this.#startedAt = context.elapsed();
  }

  get durationMs(): number {
    return this.context.elapsed() - this.#startedAt;
  }

  start(title: string): void {
    this.#step = this.context.progress.step(title);
  }

  finish(): void {
    this.#step?.clear();
    this.#step = undefined;
    const unlisted = this.planned.length - maxListedPaths;
    if (unlisted > 0) this.context.progress.note(`  and ${groupDigits(unlisted)} more`);
    const others = this.#notedSkips - maxPrinted;
    if (others > 0) this.context.progress.note(`skipped ${groupDigits(others)} more`);
    const more = this.failed.length - maxPrinted;
    if (more > 0) this.context.progress.note(`${count(more, 'more failure')}; pass --json to list them all`);
  }

  found(bytes = 0): void {
    this.#foundFiles++;
    this.#foundBytes += bytes;
  }

  /** Adds bytes sent or received; negative if they have to be transferred again. */
  transferred(bytes: number): void {
    this.#transferredBytes += bytes;
    this.#update();
  }

  retried({ reason, attempt, tries, delayMs }: Retry): void {
    if (this.#retries++ < maxPrinted) {
      this.context.progress.note(`${reason.message}; retrying in ${duration(delayMs)} (${attempt} of ${tries})`);
    }
    this.#update();
  }

  restarted(path: string, { message }: GantryError): void {
    if (this.#retries++ < maxPrinted) this.context.progress.note(`${printablePath(path)}: ${message}; copying again`);
  }

  uploaded(bytes: number): void {
    this.sentFiles++;
    this.#unconfirmedBytes += bytes;
    this.#update();
  }

  /** An uploaded file is no longer pending: it is counted as copied or failed next. */
  confirmationEnded(bytes: number): void {
    this.sentFiles--;
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

  wouldCopy(path: string, bytes: number): void {
    this.files++;
    this.bytes += bytes;
    this.#settle(bytes);
    this.planned.add(path);
    if (this.planned.length <= maxListedPaths) this.context.progress.note(`  would copy ${printablePath(path)}`);
    this.context.progress.event('file', { path, status: 'would-copy', bytes });
  }

  skip(path: string, reason: string, bytes = 0): void {
    this.skipped++;
    this.consecutiveFailures = 0;
    this.#settle(bytes);
    this.context.progress.event('file', { path, status: 'skipped', reason });
  }

  /** Skips an entry that is not a regular file, and says so: no flag asked for that. */
  skipWithNote(path: string, reason: string): void {
    if (this.#notedSkips++ < maxPrinted) this.context.progress.note(`${printablePath(path)} skipped: ${reason}`);
    this.skip(path, reason);
  }

  /** `isFileSpecific`: the error does not suggest that other files will fail too. */
  fail(path: string, error: GantryError, bytes = 0, isFileSpecific = false): void {
    const last = this.failed.at(-1);
    if (!isFileSpecific) this.consecutiveFailures = last?.code === error.exit ? this.consecutiveFailures + 1 : 1;
    this.failed.push({ path, reason: error.message, code: error.exit });
    this.#settle(bytes);
    if (this.failed.length <= maxPrinted) {
      const { why, fix } = error.facts;
      const message = fileFailureText(path, error);
      this.context.progress.warn({ severity: 'warning', message, ...defined({ why, fix }) });
    }
    this.context.progress.event('file', { path, status: 'failed', reason: error.message, code: error.exit });
  }

  #settle(bytes: number): void {
    this.#settledBytes += bytes;
    this.#update();
  }

  #update(): void {
    const now = this.context.elapsed();
    if (!this.#step || now - this.#updatedAt < updateMs) return;
    this.#updatedAt = now;
    this.#step.update({ text: this.#text(now) });
  }

  #text(now: number): string {
    const { files, skipped, failed } = this;
    const settled = files + skipped + failed.length + this.sentFiles;
    const settledBytes = this.#settledBytes + this.#unconfirmedBytes;
    const seconds = (now - this.#startedAt) / 1000;
    const rate = Math.max(0, this.#transferredBytes) / Math.max(seconds, 0.001);
    const done = Math.min(this.#foundBytes, Math.max(settledBytes, this.#transferredBytes + this.resumedBytes));
    const leftMs = rate > 0 && seconds > 1 ? ((this.#foundBytes - done) / rate) * 1000 : 0;
    return [
      this.isComplete ? `${groupDigits(settled)} of ${count(this.#foundFiles, 'file')}` : count(settled, 'file'),
      this.isComplete && this.#foundBytes > 0
        ? `${Math.floor((done / this.#foundBytes) * 100)} % of ${size(this.#foundBytes)}`
        : size(done),
      rate > 0 ? `${size(rate)}/s` : '',
      this.isComplete && leftMs >= 1000 ? `${duration(leftMs)} left` : '',
      this.#retries > 0 ? count(this.#retries, 'retry', 'retries') : '',
    ]
      .filter(Boolean)
      .join(', ');
  }
}

/** Maximum number of paths listed before a question or in a dry run. */
export const maxListedPaths = 20;

export const unconfirmedPrefix = 'uploaded, but not confirmed: ';

export function fileFailureText(path: string, { message }: GantryError): string {
  if (!message.startsWith(unconfirmedPrefix)) return `${printablePath(path)} was not copied: ${message}`;
  return `${printablePath(path)} was uploaded, but not confirmed: ${message.slice(unconfirmedPrefix.length)}`;
}
