import { describe, expect, test } from 'vitest';
import { type ConfigSchema, configJsonSchema } from '../../src/app/json-schema.ts';
import { type Section, sections } from '../../src/app/schema.ts';
import type { Key } from '../../src/app/schema-keys.ts';

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
