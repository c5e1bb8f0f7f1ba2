import { FailedError } from '../errors.ts';

/** How a file is cut: all parts are of one length but the last, which may be shorter. Lengths in bytes. */
export interface PartPlan {
  bytes: number;
  partBytes: number;
  count: number;
}

/** A part, or a range: numbered from 1. */
export interface Part {
  number: number;
  offset: number;
  length: number;
}

export const mib = 1024 * 1024;
/** The limits of object storage (docs/platform.md#volumes). */
export const maxParts = 10_000;
export const minPartBytes = 5 * mib;
const mostBytes = 5 * mib * mib;

/** Large enough that a connection is worth opening, small enough that a lost one costs little. */
export const defaultPartBytes = 16 * mib;

/**
 * Parts of the wanted length, longer where 10,000 of them would not be enough, in whole MiB. An empty file is one empty
 * part. Throws a FailedError beyond 5 TiB.
 */
export function planParts(bytes: number, wanted = defaultPartBytes): PartPlan {
  if (bytes > mostBytes) throw new FailedError('it is larger than 5 TiB, the maximum of object storage');
  const needed = Math.ceil(bytes / maxParts / mib) * mib;
  const partBytes = Math.max(minPartBytes, Math.ceil(wanted / mib) * mib, needed);
  return { bytes, partBytes, count: Math.max(1, Math.ceil(bytes / partBytes)) };
}

export function partAt({ bytes, partBytes }: PartPlan, number: number): Part {
  const offset = (number - 1) * partBytes;
  return { number, offset, length: Math.min(partBytes, bytes - offset) };
}

export function* eachPart(plan: PartPlan): Generator<Part> {
  for (let number = 1; number <= plan.count; number++) yield partAt(plan, number);
}
