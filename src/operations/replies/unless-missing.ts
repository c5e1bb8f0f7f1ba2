import { NotFoundError } from '../../errors.ts';

/** What is read, undefined if the platform does not know it: an app that is not deployed yet, a build that is gone. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
}
