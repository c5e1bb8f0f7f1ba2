/** Aborts when stdin ends: the process that started this one is gone. This one does not wait for it. */
export function stdinEnd(stdin: AsyncIterable<unknown>): AbortSignal {
  const end = new AbortController();
  const read = async () => {
    for await (const _ of stdin);
  };
  const abort = () => end.abort();
  void read().then(abort, abort);
  (stdin as { unref?: () => void }).unref?.();
  return end.signal;
}
