/** The most similar name, for "did you mean". */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = differingLetters(written, name);
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Whether one name may be meant by the other. */
export function isSimilar(written: string, name: string): boolean {
  return differingLetters(written, name) !== undefined;
}

/** How many letters differ, if it is at most one in four. Ignores case. */
function differingLetters(written: string, name: string): number | undefined {
  const maxDistance = Math.max(1, Math.floor(Math.max(name.length, written.length) / 4));
  if (Math.abs(name.length - written.length) > maxDistance) return undefined;
  const distance = editDistance(written.toLowerCase(), name.toLowerCase());
  return distance <= maxDistance ? distance : undefined;
}

/** The Levenshtein distance, where two letters in the wrong order are one mistake. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] && i > 1 && j > 1;
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = above;
  }
  return row[to.length] ?? 0;
}
