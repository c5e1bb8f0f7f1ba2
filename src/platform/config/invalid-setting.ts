import type { GantryError } from '../../kernel/errors.ts';

/** Handles an invalid setting. If it does not throw, the setting is ignored, as in `gantry doctor`. */
export type OnInvalidSetting = (error: GantryError) => void;

export function throwInvalid(error: GantryError): never {
  throw error;
}
