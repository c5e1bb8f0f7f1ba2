/** The most similar name, for "did you mean". */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = differingLetters(written, name);
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
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
  // With an edge of large numbers around it, so that nothing is outside.
  const rows = Array.from({ length: from.length + 2 }, () =>
    new Float64Array(to.length + 2).fill(from.length + to.length),
  );
  const at = (i: number, j: number) => rows[i + 1]?.[j + 1] ?? 0;
  for (let i = 0; i <= from.length; i++) {
    for (let j = 0; j <= to.length; j++) {
      const isSwapped = i > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = at(i - 1, j - 1) + Number(from[i - 1] !== to[j - 1]);
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced;
      const distance = i + j === 0 ? 0 : Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1);
      rows[i + 1]?.fill(distance, j + 1, j + 2);
    }
  }
  return at(from.length, to.length);
}
