/** All combinations of words. */
export function* everyCell<Facts extends Record<string, string>>(
  words: {
    readonly [Name in keyof Facts]: readonly Facts[Name][];
  },
): Generator<Facts> {
  const names = Object.keys(words) as (keyof Facts)[];
  const count = names.reduce((product, name) => product * words[name].length, 1);
  for (let number = 0; number < count; number++) {
    let rest = number;
    const cell = {} as Facts;
    for (const name of names) {
      cell[name] = words[name][rest % words[name].length] as Facts[keyof Facts];
      rest = Math.floor(rest / words[name].length);
    }
    yield cell;
  }
}
