import { defined } from '../kernel/json-text.ts';
import { releaseNames } from '../kernel/version.ts';
import { type Section, sectionNames, sections } from './schema.ts';
import { isHardwareDefault, type Key, type SettingKind } from './schema-keys.ts';

type SchemaFact = '$schema' | '$id' | 'title' | 'description' | 'type' | 'default' | 'pattern' | 'additionalProperties';
type SchemaLimit = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems';

export interface ConfigSchema extends Partial<Record<SchemaFact, unknown>>, Partial<Record<SchemaLimit, number>> {
  enum?: readonly string[];
  items?: ConfigSchema;
  anyOf?: ConfigSchema[];
  properties?: Record<string, ConfigSchema>;
  required?: string[];
}

/** Where editors load the schema from: a server of the files of npm packages. Undefined until ours is one. */
export const schemaAddress = releaseNames.npm
  ? `https://unpkg.com/${releaseNames.npm}/dist/cerebrium.schema.json`
  : undefined;

/** For editors: draft 7 is the newest that TOML plug-ins support. Rejects also what is only a warning of `check`. */
export function configJsonSchema(): ConfigSchema {
  const cerebrium: ConfigSchema = table('Everything the platform reads.');
  for (const name of sectionNames) addSection(name.split('.'), sections[name], cerebrium);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...(schemaAddress && { $id: schemaAddress }),
    title: 'cerebrium.toml',
    ...table('How an app is built, run and scaled.', { cerebrium }, ['cerebrium']),
  };
}

function addSection([name = '', ...below]: readonly string[], section: Section, into: ConfigSchema): void {
  into.properties ??= {};
  if (below.length === 0) {
    into.properties[name] = { ...sectionSchema(section) };
    if (requiredKeys(section).length > 0) into.required = [...(into.required ?? []), name];
    return;
  }
  into.properties[name] ??= table(`Sections of ${name}.`);
  addSection(below, section, into.properties[name]);
}

function sectionSchema(section: Section): ConfigSchema {
  const keys = Object.entries(section.keys).map(([name, key]) => [name, keySchema(key)] as const);
  const schema = table(section.about, Object.fromEntries(keys), requiredKeys(section));
  return section.entries ? { ...schema, additionalProperties: keySchema(section.entries) } : schema;
}

function requiredKeys({ keys }: Section): string[] {
  return Object.keys(keys).filter((name) => keys[name]?.required);
}

function table(description: string, properties: Record<string, ConfigSchema> = {}, names: string[] = []): ConfigSchema {
  const schema: ConfigSchema = { type: 'object', description, properties, additionalProperties: false };
  return names.length > 0 ? { ...schema, required: names } : schema;
}

function keySchema(key: Key): ConfigSchema {
  const [minimum, maximum] = key.range ?? [];
  return {
    description: describe(key),
    ...shapes[key.kind](key.oneOf ? { type: 'string', enum: key.oneOf } : { type: 'string' }),
    ...(key.default !== undefined &&
      !isHardwareDefault(key.default) && {
        // A list of one name is written as the name.
        default: key.kind === 'compute' ? [key.default].flat()[0] : key.default,
      }),
    ...defined({ pattern: key.pattern, maxLength: key.maxLength, minimum, maximum }),
  };
}

const shapes: Record<SettingKind, (text: ConfigSchema) => ConfigSchema> = {
  string: (text) => text,
  boolean: () => ({ type: 'boolean' }),
  integer: () => ({ type: 'integer' }),
  number: () => ({ type: 'number' }),
  strings: (text) => ({ type: 'array', items: text }),
  compute: (text) => ({ anyOf: [text, { type: 'array', items: text, minItems: 1 }] }),
  command: (text) => ({
    anyOf: [
      { type: 'array', items: text, minItems: 1 },
      { ...text, minLength: 1 },
    ],
  }),
};

function describe({ about, unit, range, absent, default: value }: Key): string {
  const [min, max] = range ?? [];
  return [
    about,
    range && `${max === undefined ? `${min} or more` : `${min} to ${max}`}${unit ? ` ${unit}` : ''}.`,
    isHardwareDefault(value) && `Default: ${value.cpu} on CPU, ${value.gpu} with an accelerator.`,
    absent && `Default: ${absent}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
