import type { Store } from './state/store.ts';

/** What the platform knows, and the clock by which it is read. */
export interface Model {
  readonly store: Store;
  /** Milliseconds since 1970. The only clock of the emulator's state, so that a test can move it. */
  readonly now: () => number;
}
