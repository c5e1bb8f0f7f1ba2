/** A function that works once, when it is first asked. */
export function once<T>(work: () => T): () => T {
  let done: { value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

interface KeyedValues<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** What is stored for a key, made when it is first asked for. */
export function onceFor<Key, Value>(store: KeyedValues<Key, Value>, key: Key, make: () => Value): Value {
  if (!store.has(key)) store.set(key, make());
  return store.get(key) as Value;
}

/** Work that has begun, and that an earlier end may leave unawaited: what it throws is thrown where it is awaited, if at all. */
export function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** Does one work after another. */
export class Sequence {
  /** Resolves when the last one has ended. */
  ended: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.ended.then(work);
    this.ended = result.catch(() => {});
    return result;
  }
}

/** A promise, and what resolves it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** Does some of the work at the same time. Throws the first error once nothing is in progress, and begins nothing after it. */
export async function inLane<Item>(
  concurrency: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      await work(next.value).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (errors.length > 0) throw errors[0];
}
