import type { GantryError } from '../../kernel/errors.ts';

/** That would happen to all calls: the map ends, and the input keeps no result. */
export class MapStopped extends Error {
  constructor(readonly reason: GantryError) {
    super(reason.message);
  }
}
