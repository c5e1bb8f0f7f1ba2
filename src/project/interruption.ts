import { GantryError, InterruptedError } from '../errors.ts';

/** Stops the work if it was called off, with the error that says so. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw interruption(signal);
}

/** The reason given by whoever aborted, if it is one of ours: it knows whether it was SIGINT or SIGTERM. */
export function interruption(signal: AbortSignal): GantryError {
  return signal.reason instanceof GantryError ? signal.reason : new InterruptedError();
}
