import type { GantryError } from '../../kernel/errors.ts';
import { printablePath } from '../../kernel/output/format.ts';

/** Maximum number of paths listed before a question or in a dry run. */
export const maxListedPaths = 20;

/** Prefix of errors that leave open whether the file was uploaded. */
export const unconfirmedPrefix = 'uploaded, but not confirmed: ';

export function fileFailureText(path: string, { message }: GantryError): string {
  if (!message.startsWith(unconfirmedPrefix)) return `${printablePath(path)} was not copied: ${message}`;
  return `${printablePath(path)} was uploaded, but not confirmed: ${message.slice(unconfirmedPrefix.length)}`;
}
