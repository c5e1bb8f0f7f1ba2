import { setMaxListeners } from 'node:events';
import { FailedError } from '../../kernel/errors.ts';
import { maxLarge, type RequestLimiter } from './request-limiter.ts';

/** How a file is divided: all parts have `partBytes` bytes except the last, which may be shorter. */
export interface PartPlan {
  bytes: number;
  partBytes: number;
  count: number;
}

/** A part of an upload or a range of a download, numbered from 1. */
export interface Part {
  number: number;
  offset: number;
  length: number;
}

/** A part that is where it belongs. */
export interface DonePart {
  number: number;
  /** The ETag of a part that was sent. */
  etag?: string | undefined;
  /** The state of the SHA-256 of the file after this part, if the source is hashed in its order. */
  sha256State?: string | undefined;
}

export interface SentPart extends DonePart {
  etag: string;
}

/** A copy of one file in parts, and what is told of it while it goes on. */
export interface PartsCopy<Attempt, Done extends DonePart = DonePart> {
  plan: PartPlan;
  saved?: { attempt: Attempt; parts: Done[] } | undefined;
  /** Called before the first `onPart`, and again if the copy starts over. */
  onStarted: (attempt: Attempt) => void;
  onPart: (part: DonePart) => void;
  /** Requests of files with a lower order run first. */
  order: number;
}

export const mib = 1024 * 1024;
/** The limits of object storage (docs/platform.md#volumes). */
export const maxParts = 10_000;
export const minPartBytes = 5 * mib;
const maxFileBytes = 5 * mib * mib;

/** Beyond this, longer parts save little, and a retry costs more. */
const maxPreferredBytes = 16 * mib;
/** With fewer, most connections would wait for the last parts. */
const partsPerConnection = 4;

/** Parts of whole MiB, longer than preferred if there would be more than 10,000. An empty file is one part. */
export function planParts(bytes: number, preferredBytes = preferredPartBytes(bytes)): PartPlan {
  if (bytes > maxFileBytes) throw new FailedError('it is larger than 5 TiB, the maximum of object storage');
  const neededBytes = Math.ceil(bytes / maxParts / mib) * mib;
  const partBytes = Math.max(minPartBytes, Math.ceil(preferredBytes / mib) * mib, neededBytes);
  return { bytes, partBytes, count: Math.max(1, Math.ceil(bytes / partBytes)) };
}

/** Several parts for each connection that may be used, so that few connections are idle in the end. */
export function preferredPartBytes(bytes: number, connections = maxLarge): number {
  return Math.min(maxPreferredBytes, bytes / (connections * partsPerConnection));
}

export function partAt({ bytes, partBytes }: PartPlan, number: number): Part {
  const offset = (number - 1) * partBytes;
  return { number, offset, length: Math.min(partBytes, bytes - offset) };
}

export function bytesOf(plan: PartPlan, parts: readonly DonePart[] = []): number {
  return parts.reduce((sum, { number }) => sum + partAt(plan, number).length, 0);
}

/** The parts that are not done yet, in their order. */
export function* missingParts(plan: PartPlan, done: { has(number: number): boolean }): Generator<Part> {
  for (let number = 1; number <= plan.count; number++) if (!done.has(number)) yield partAt(plan, number);
}

/** Runs `count` workers concurrently. On the first failure, aborts the others, waits for them, then rethrows it. */
export async function runWorkers(
  count: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (count <= 1) return count === 1 ? work(signal) : undefined;
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  setMaxListeners(0, either);
  await Promise.all(Array.from({ length: count }, () => work(either).catch((error) => failure.abort(error))));
  failure.signal.throwIfAborted();
}

/** Works on the parts of a file that are not done yet, in their order, as many at a time as there may be requests. */
export async function forEachPart(
  plan: PartPlan,
  done: { has(number: number): boolean; readonly size: number },
  { requests, signal }: { requests: Pick<RequestLimiter, 'maxLarge'>; signal: AbortSignal },
  work: (part: Part, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const missing = missingParts(plan, done);
  await runWorkers(Math.min(requests.maxLarge, plan.count - done.size), signal, async (stop) => {
    for (const part of missing) {
      if (stop.aborted) return;
      await work(part, stop);
    }
  });
  signal.throwIfAborted();
}
