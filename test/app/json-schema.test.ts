import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { type ConfigSchema, configJsonSchema } from '../../src/app/json-schema.ts';
import { type Section, sections } from '../../src/app/schema.ts';
import type { Key } from '../../src/app/schema-keys.ts';
import { projectTemplate } from '../../src/app/template.ts';

const schema = configJsonSchema();

/** The schema of a dotted name below `cerebrium`. */
function at(name: string): ConfigSchema | undefined {
  return ['cerebrium', ...name.split('.')].reduce<ConfigSchema | undefined>(
    (outer, key) => outer?.properties?.[key],
    schema,
  );
}

const keys = Object.entries<Section>(sections).flatMap(([section, { keys }]) =>
  Object.entries<Key>(keys).map(([name, key]) => [`${section}.${name}`, key] as const),
);

describe('the JSON Schema', () => {
  test.each(keys)('describes %s like the table of keys', (name, key) => {
    const found = at(name);
    expect(found?.description).toContain(key.about);
    expect([found?.minimum, found?.maximum]).toEqual([key.range?.[0], key.range?.[1]]);
    const text = found?.anyOf?.find(({ enum: names }) => names) ?? found?.items ?? found;
    expect(text?.enum).toEqual(key.oneOf);
  });

  test.each(Object.entries<Section>(sections))('has the section %s, closed to unknown keys', (name, section) => {
    expect(at(name)).toMatchObject({ type: 'object', description: section.about });
    expect(at(name)?.additionalProperties).toEqual(
      section.entries ? expect.objectContaining({ type: 'string' }) : false,
    );
  });

  test('has defaults as a user would write them', () => {
    expect(at('hardware.compute')?.default).toBe('CPU');
    expect(at('deployment.disable_auth')?.default).toBe(true);
    expect(at('hardware.gpu_count')?.default).toBeUndefined();
    expect(at('hardware.gpu_count')?.description).toContain('Default: 0 on CPU, 1 with an accelerator.');
    expect(at('hardware.region')?.description).toContain('Default: picked by the platform.');
  });

  test('is draft 7, requires a name, and is plain JSON', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(at('deployment')?.required).toEqual(['name']);
    expect(schema.properties?.cerebrium?.required).toEqual(['deployment']);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});

describe('the JSON Schema finds nothing wrong with', () => {
  const realworld = new URL('../../fixtures/realworld/', import.meta.url);
  const names = readdirSync(realworld).filter((name) => !name.includes('langchain'));

  test.each(names)('%s', (name) => {
    expect([...faults(parse(readFileSync(new URL(name, realworld), 'utf8')), schema)]).toEqual([]);
  });

  test('what gantry init writes', () => {
    expect([...faults(parse(projectTemplate({ name: 'a' })['cerebrium.toml']), schema)]).toEqual([]);
  });
});

test('the JSON Schema finds mistakes', () => {
  const wrong = parse(
    '[cerebrium]\nhardware = { compute = [], cpu = "2", gpu = 1 }\nscaling.cooldown = -1\ndeployment = {}',
  );
  expect([...faults(wrong, schema)]).toEqual([
    ...['cerebrium.hardware.compute', 'cerebrium.hardware.cpu', 'cerebrium.hardware.gpu'],
    ...['cerebrium.scaling.cooldown', 'cerebrium.deployment.name'],
  ]);
});

/** A validator of as much of JSON Schema as ours uses: the paths at fault. */
function* faults(value: unknown, rules: ConfigSchema, path: readonly string[] = []): Generator<string> {
  if (rules.anyOf) {
    if (!rules.anyOf.some((one) => [...faults(value, one)].length === 0)) yield path.join('.');
  } else if (!matches(value, rules)) yield path.join('.');
  else if (Array.isArray(value)) for (const item of value) yield* faults(item, rules.items ?? {}, path);
  else if (typeof value === 'object' && value !== null) {
    for (const name of rules.required ?? []) if (!Object.hasOwn(value, name)) yield [...path, name].join('.');
    for (const [name, inner] of Object.entries(value)) {
      const known = rules.properties?.[name] ?? rules.additionalProperties;
      if (typeof known === 'object') yield* faults(inner, known, [...path, name]);
      else yield [...path, name].join('.');
    }
  }
}

function matches(value: unknown, { type, enum: names, minimum, maximum, minItems, minLength }: ConfigSchema): boolean {
  const kinds = Array.isArray(value) ? ['array'] : Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
  if (typeof type === 'string' && !kinds.includes(type)) return false;
  if (typeof value === 'number') return value >= (minimum ?? value) && value <= (maximum ?? value);
  if (Array.isArray(value)) return value.length >= (minItems ?? 0);
  return typeof value !== 'string' || (value.length >= (minLength ?? 0) && (names?.includes(value) ?? true));
}
