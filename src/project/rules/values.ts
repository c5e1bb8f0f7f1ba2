import type { Key } from '../key.ts';
import { type SectionName, sectionNames, sections } from '../schema.ts';
import { closestName } from '../toml/closest-name.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import type { Rule } from './rule.ts';

/** Values outside of the documented range get a warning, not an error: the server decides. */
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
    const meant = closestName(
      item,
      known.filter((name) => !items.includes(name)),
    );
    const mended = items.length > 1 ? items.map((other) => (other === item ? meant : other) ?? other) : meant;
    yield (strict ? errorAt : warningAt)(
      `${section}.${key}`,
      `${key} ${toToml(item)} is not ${strict ? 'valid' : 'a value the platform documents'}`,
      {
        why: `${strict ? 'it is' : 'documented:'} ${oneOf(known)}`,
        fix: meant && tomlAssignment(key, toToml(mended ?? meant)),
      },
    );
  }
}

function* outsideRange(
  section: SectionName,
  key: string,
  { unit }: Key,
  [least, most = Number.POSITIVE_INFINITY]: NonNullable<Key['range']>,
  value: unknown,
): Generator<ConfigIssue> {
  if (typeof value !== 'number' || (value >= least && value <= most)) return;
  const range = most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  yield warningAt(`${section}.${key}`, `${key} ${value} is outside the documented range`, {
    why: unit ? `${range} ${unit}` : range,
    fix: `${key} = ${value < least ? least : most}`,
  });
}

/** "v1 or v2" */
function oneOf(values: readonly string[]): string {
  return values.join(', ').replace(/, ([^,]+)$/, ' or $1');
}
