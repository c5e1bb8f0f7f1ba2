/** A value and where it is: `['card.last4', '4242']`. */
export type Leaf = [path: string, value: unknown];

/** Every value within a value: of an answer whose shape is not documented, all can be told (wire §0). */
export function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path ? `${path}.${name}` : name));
}
