/** A plain value inside a JSON value, with its path: `['card.last4', '4242']`. */
export type JsonLeaf = [path: string, value: unknown];

/** All plain values inside a JSON value, to show replies of undocumented shape. */
export function jsonLeaves(value: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = [];
  // Not recursive: a reply may be nested deeper than the call stack allows.
  const stack: JsonLeaf[] = [['', value]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [path, inner] = next;
    if (typeof inner !== 'object' || inner === null) leaves.push([path, inner]);
    else
      for (const [name, child] of Object.entries(inner).reverse()) stack.push([path ? `${path}.${name}` : name, child]);
  }
  return leaves;
}
