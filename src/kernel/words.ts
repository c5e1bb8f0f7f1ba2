type WordOf<Line extends string> = Line extends `${infer Word} ${infer Rest}` ? Word | WordOf<Rest> : Line;

/** The words of some lines, as a list: `words('a b', 'c')`. */
export function words<const Line extends string>(...lines: readonly Line[]): WordOf<Line>[] {
  return lines.flatMap((line) => line.split(' ') as WordOf<Line>[]);
}
