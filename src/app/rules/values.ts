import { type SectionName, sectionNames, sections } from '../schema.ts';
import type { Key } from '../schema-keys.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { documentedValues } from '../toml/suggestions.ts';
import type { Rule } from './rule.ts';

/** Warns about undocumented values: the platform may accept them. */
export const valuesRule: Rule = function* ({ sections: draft }) {
  for (const name of sectionNames) {
    const keys: Record<string, Key> = sections[name].keys;
    const values: Record<string, unknown> = draft[name] ?? {};
    for (const [key, value] of Object.entries(values)) {
      const facts = keys[key];
      if (facts?.oneOf) yield* outsideList(name, key, facts, facts.oneOf, value);
      if (facts?.range) yield* outsideRange(name, key, facts, facts.range, value);
    }
  }
};

function* outsideList(section: SectionName, key: string, { strict }: Key, known: readonly string[], value: unknown) {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
  for (const item of items.filter((item) => !known.includes(item))) {
    const meant = documentedValues(
      key,
      item,
      known.filter((name) => !items.includes(name)),
    );
    const lines = meant.map((value) => {
      const fixed = items.length > 1 ? items.map((other) => (other === item ? value : other)) : value;
      return tomlAssignment(key, toToml(fixed));
    });
    yield (strict ? errorAt : warningAt)(
      `${section}.${key}`,
      strict ? `invalid ${key} ${toToml(item)}` : `${key} ${toToml(item)} is not a documented value`,
      {
        why: `${strict ? 'expected' : 'documented:'} ${oneOf(known)}`,
        fix: lines.length > 0 ? lines.join(' or ') : undefined,
      },
    );
  }
}

function* outsideRange(
  section: SectionName,
  key: string,
  { unit }: Key,
  [min, max = Number.POSITIVE_INFINITY]: NonNullable<Key['range']>,
  value: unknown,
): Generator<ConfigIssue> {
  if (typeof value !== 'number' || (value >= min && value <= max)) return;
  const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  yield warningAt(`${section}.${key}`, `${key} ${value} is outside the documented range`, {
    why: unit ? `${range} ${unit}` : range,
    fix: `${key} = ${value < min ? min : max}`,
  });
}

/** `v1 or v2`. */
function oneOf(values: readonly string[]): string {
  return values.join(', ').replace(/, ([^,]+)$/, ' or $1');
}
