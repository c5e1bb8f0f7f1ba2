/** The platform's region where none is given (spec 4.11). */
export const defaultRegion = 'us-east-1';

/** Whether a word looks like the name of a region: `us-east-1`, `us-central1`, `global`. */
export function looksLikeRegion(word: string): boolean {
  return /^(global|[a-z]{2}-[a-z]+-?\d)$/.test(word);
}
