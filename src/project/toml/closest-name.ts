/**
 * The name a misspelt one was most likely meant to be: "did you mean". Case does not count, and about one
 * letter in four may be wrong; farther away a guess would mislead.
 */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const farthest = Math.max(1, Math.floor(Math.max(name.length, written.length) / 4));
    if (Math.abs(name.length - written.length) > farthest) continue;
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= farthest && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Letters to insert, remove or replace to turn one word into the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
