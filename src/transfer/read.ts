import { retrying } from '../api/retry.ts';
import type { Engine } from './engine.ts';
import type { RemoteContent } from './remote-content.ts';

/** The content of a remote file from its beginning to its end. When the line breaks it goes on where it has broken. */
export async function* readContent(content: RemoteContent, engine: Engine): AsyncGenerator<Buffer> {
  let pieces: AsyncGenerator<Buffer> | undefined;
  let at = 0;
  const next = async () => {
    const range = at === 0 ? undefined : { start: at, end: content.bytes };
    pieces ??= (await content.get(range, engine.signal)).pieces;
    try {
      return await pieces.next();
    } catch (error) {
      pieces = undefined;
      throw error;
    }
  };
  try {
    for (;;) {
      const { done, value } = await retrying(next, (error) => error.facts.retryable === true, engine);
      if (done) return;
      at += value.length;
      yield value;
    }
  } finally {
    await pieces?.return(undefined);
  }
}
