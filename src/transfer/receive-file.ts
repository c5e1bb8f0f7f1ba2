import { UnavailableError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { md5 } from './hash.ts';
import { PartFile } from './part-file.ts';
import { type Part, type PartPlan, partAt, partsOf } from './parts.ts';
import { receiveRange } from './receive-range.ts';
import { CorruptError } from './refusal.ts';
import { RemoteContent } from './remote-content.ts';
import { plainMd5 } from './send.ts';
import { together } from './together.ts';

export interface FileReceiving {
  target: string;
  plan: PartPlan;
  /** Milliseconds since 1970; the file gets it as its own. */
  modified: number | undefined;
  /** Gives a new signed link. */
  link: () => Promise<string>;
  /** What an earlier try has left in the part file: ranges of this version, which its ETag or its date tells. */
  saved?: { etag: string; ranges: number[] } | undefined;
  /** Ranges beyond this are of this version. */
  onBegun: (etag: string) => void;
  onRange: (number: number) => void;
  /** Looks at the whole of what has come, before it gets its name; throws when that is not right. */
  confirm: (path: string) => Promise<void>;
  /** Whether what has come stays, should it fail: only who remembers it can use it. */
  keep: boolean;
  order: number;
}

/**
 * Receives a file into a part file beside its target, and gives it its name when it is whole and checked. Throws a
 * ChangedError when it became another one meanwhile. Gives how many bytes were there from an earlier try.
 */
export async function receiveFile(receiving: FileReceiving, engine: Engine): Promise<number> {
  const { target, plan, saved, keep, modified } = receiving;
  const resumed = saved && (await PartFile.open(target, plan.bytes, true));
  const file = resumed ?? (await PartFile.open(target, plan.bytes, false));
  if (!file) throw new Error('a new part file is always one');
  const left = resumed ? saved : undefined;
  const receipt = new Receipt(receiving, file, engine, left);
  try {
    await receipt.run();
    await receiving.confirm(file.path);
    await file.finish(target, modified);
    return (left?.ranges ?? []).reduce((sum, number) => sum + partAt(plan, number).length, 0);
  } catch (error) {
    await file.leave(keep && receipt.usable(error));
    throw error;
  }
}

class Receipt {
  readonly #content: RemoteContent;
  /** Of the whole, where that came in one range. */
  #md5: string | undefined;
  readonly #done: Set<number>;

  constructor(
    private readonly receiving: FileReceiving,
    private readonly file: PartFile,
    private readonly engine: Engine,
    saved: FileReceiving['saved'],
  ) {
    this.#content = new RemoteContent(receiving.plan.bytes, receiving.link, engine, saved?.etag);
    this.#done = new Set(saved?.ranges);
  }

  async run(): Promise<void> {
    const { signal, large } = this.engine;
    const { plan } = this.receiving;
    const missing = this.#missing();
    // The first answer tells which content it is; the others must be of the same.
    if (this.#content.version === undefined) await this.#receiveNext(missing, signal);
    const count = Math.min(large.widest, plan.count - this.#done.size);
    await together(count, signal, (stop) => this.#receiveFrom(missing, stop));
    signal.throwIfAborted();
    await this.#check();
  }

  /** Content that is not the one meant, or not what its ETag says, is of no use to a later try. */
  usable(error: unknown): boolean {
    return this.engine.signal.aborted || (error instanceof UnavailableError && !(error instanceof CorruptError));
  }

  *#missing(): Generator<Part> {
    for (const part of partsOf(this.receiving.plan)) if (!this.#done.has(part.number)) yield part;
  }

  async #receiveNext(missing: Generator<Part>, stop: AbortSignal): Promise<boolean> {
    const { value: range, done } = missing.next();
    if (done) return false;
    const { receiving, engine, file } = this;
    const sink = (bytes: Buffer, offset: number) => file.write(bytes, offset);
    const request = { content: this.#content, range, sink, signal: stop, order: receiving.order };
    this.#md5 = await receiveRange({ ...request, hash: receiving.plan.count === 1 }, engine);
    if (this.#done.size === 0 && this.#content.version) receiving.onBegun(this.#content.version);
    this.#done.add(range.number);
    receiving.onRange(range.number);
    return true;
  }

  async #receiveFrom(missing: Generator<Part>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.#receiveNext(missing, stop)));
  }

  /**
   * An ETag is the MD5 of the content, or that of the MD5s of the parts it was uploaded in. Which parts those were nobody
   * says; only when there was but one is it known.
   */
  async #check(): Promise<void> {
    const { hasher } = this.engine;
    const { plan } = this.receiving;
    const [, ofOnePart] = /^(?:W\/)?"?([0-9a-f]{32})-1"?$/i.exec(this.#content.etag ?? '') ?? [];
    const wanted = ofOnePart ?? plainMd5(this.#content.etag ?? '');
    if (!hasher || !wanted) return;
    const arrived = this.#md5 ?? (await hasher.file(this.file.path, 0, plan.bytes));
    const found = ofOnePart ? md5(Buffer.from(arrived, 'hex')) : arrived;
    if (found === wanted.toLowerCase()) return;
    throw new CorruptError('something else arrived than the storage has (MD5)', { retryable: true });
  }
}
