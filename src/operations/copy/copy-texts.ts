import type { GantryError } from '../../errors.ts';

/** Maximum number of paths listed before a question or in a dry run. */
export const maxListedPaths = 20;

/** Prefix of errors that leave open whether the file was uploaded. */
export const unconfirmedPrefix = 'uploaded, but not confirmed: ';

export function fileFailureText(path: string, { message }: GantryError): string {
  if (!message.startsWith(unconfirmedPrefix)) return `${printablePath(path)} was not copied: ${message}`;
  return `${printablePath(path)} was uploaded, but not confirmed: ${message.slice(unconfirmedPrefix.length)}`;
}

/** Quotes a path that contains control characters, so that it stays on one line. */
export function printablePath(path: string): string {
  return /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
}
