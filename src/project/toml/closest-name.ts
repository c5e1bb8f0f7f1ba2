/** The most similar name, for "did you mean". Ignores case; at most one letter in four may differ. */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const maxDistance = Math.max(1, Math.floor(Math.max(name.length, written.length) / 4));
    if (Math.abs(name.length - written.length) > maxDistance) continue;
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= maxDistance && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** The Levenshtein distance. */
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
