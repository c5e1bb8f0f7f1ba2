/** An answer that is no value but bytes, to be written as they are. JSON cannot hold it. */
export class Pour {
  /** `into` hands on piece by piece: each is written before the next is asked for. */
  constructor(readonly into: (take: (bytes: Uint8Array) => Promise<void>) => Promise<void>) {}
}
