/** A value and where it is: `['card.last4', '4242']`. */
export type Leaf = [path: string, value: unknown];

/** Every scalar within a value, to show an answer whose shape is not documented. */
export function leaves(value: unknown): Leaf[] {
  const found: Leaf[] = [];
  // A stack of its own: an answer may be nested deeper than functions can call themselves.
  const work: Leaf[] = [['', value]];
  for (let next = work.pop(); next; next = work.pop()) {
    const [path, inner] = next;
    if (typeof inner !== 'object' || inner === null) found.push([path, inner]);
    else
      for (const [name, child] of Object.entries(inner).reverse()) work.push([path ? `${path}.${name}` : name, child]);
  }
  return found;
}
