import type { ByteSource } from './byte-source.ts';
import type { Part, SentPart } from './parts.ts';

/** Gives the parts of one upload attempt, in their order. */
export interface PartReader {
  /** Resolves when the part may be sent. */
  take(part: Part, signal: AbortSignal): Promise<TakenPart>;
}

export interface TakenPart {
  /** Opens the content at its start; again for each retry. */
  read(): ByteSource;
  /** Called when the part was sent. Resolves to what the journal keeps of it besides. */
  settle(): Promise<Pick<SentPart, 'sha256State'>>;
  /** Whether it was sent, or failed for this reason. */
  release(failure?: unknown): void;
}

/** For content that can be read again at any place. */
export function directReader(read: (part: Part) => ByteSource): PartReader {
  return { take: async (part) => ({ read: () => read(part), settle: async () => ({}), release: () => {} }) };
}
