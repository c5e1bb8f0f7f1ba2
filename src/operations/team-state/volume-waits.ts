import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import { timeoutSignal } from '../waiting/index.ts';
import { quietly } from './quiet-volume.ts';

/** How long a command waits for the volume at most, and how much longer for each byte that it sends or receives. */
const maxWaitMs = 10_000;
const msPerByte = 1_000 / 2 ** 20;
/** The volume's share of what `--timeout` has left, and what it gets in any case. */
const share = 0.25;
const minWaitMs = 1_000;
/** A volume that did not reply in time is not waited for again so soon. */
const restMs = 60_000;

/** The halves of what is done with a volume: one may fail while the other works. */
type Half = 'read' | 'write';

/** What a command does with the volume, bounded: one that hangs takes little of its time, and that once. */
export class VolumeWaits {
  readonly #silentAt: Record<Half, number> = { read: Number.NEGATIVE_INFINITY, write: Number.NEGATIVE_INFINITY };

  /** `bytes`: how many are sent or received. Throws UnavailableError if there is no reply in time. */
  async inTime<T>(
    context: Context,
    { half, bytes = 0 }: { half: Half; bytes?: number },
    work: (quiet: Context) => Promise<T>,
  ): Promise<T> {
    const { elapsed, end, signal } = context;
    // One that cannot be read is not written to either: to write, one reads.
    const silentAt = half === 'read' ? this.#silentAt.read : Math.max(this.#silentAt.read, this.#silentAt.write);
    if (elapsed() - silentAt < restMs) throw noReply();
    const leftMs = end.at === undefined ? Number.POSITIVE_INFINITY : end.at - elapsed();
    const waitMs = Math.min(maxWaitMs + bytes * msPerByte, Math.max(minWaitMs, leftMs * share));
    const quiet = quietly(context, timeoutSignal(waitMs, noReply, signal));
    try {
      return await work(quiet);
    } finally {
      if (quiet.signal.aborted && !signal.aborted) this.#silentAt[half] = elapsed();
    }
  }
}

function noReply(): UnavailableError {
  return new UnavailableError('no reply in time');
}
