import { ConflictError, FailedError, NotFoundError } from '../errors.ts';

interface Stopping<Stopped> {
  /** How it ended, if that is as asked; nothing while it goes on. Throws when it ended in another way. */
  look: () => Promise<Stopped | undefined>;
  /** Throws unless it is to be. */
  agreed: () => Promise<void>;
  cancel: () => Promise<Stopped>;
}

/** Stops a build or a run, once `agreed` has not thrown. It may end by itself at any moment. */
export async function stop<Stopped>({ look, agreed, cancel }: Stopping<Stopped>): Promise<Stopped> {
  const ended = await look();
  if (ended) return ended;
  await agreed();
  try {
    return await cancel();
  } catch (error) {
    if (![ConflictError, FailedError, NotFoundError].some((kind) => error instanceof kind)) throw error;
    // It may have ended meanwhile, or by the first try of a call whose answer was lost.
    const endedNow = await look();
    if (endedNow) return endedNow;
    throw error;
  }
}
