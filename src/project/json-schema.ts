import { isHardwareDefault, type Key, type Kind } from './key.ts';
import { type Section, sectionNames, sections } from './schema.ts';

/** A JSON Schema, as far as this one goes. */
export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  default?: unknown;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
}

/**
 * The JSON Schema of cerebrium.toml, for editors. Draft 7 is the newest that TOML plug-ins understand. It marks
 * what `gantry check` tells about single keys, warnings included: an editor has only one colour for both.
 */
export function configJsonSchema(): JsonSchema {
  const cerebrium: JsonSchema = table('Everything the platform reads.');
  for (const name of sectionNames) place(name.split('.'), sections[name], cerebrium);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'cerebrium.toml',
    ...table('How an app is built, run and scaled.', { cerebrium }, ['cerebrium']),
  };
}

/** Puts a section where its dotted name says, making the tables around it. */
function place([name = '', ...below]: readonly string[], section: Section, into: JsonSchema): void {
  into.properties ??= {};
  if (below.length === 0) {
    into.properties[name] = { ...sectionSchema(section) };
    if (required(section).length > 0) into.required = [...(into.required ?? []), name];
    return;
  }
  into.properties[name] ??= table(`Sections of ${name}.`);
  place(below, section, into.properties[name]);
}

function sectionSchema(section: Section): JsonSchema {
  const keys = Object.entries(section.keys).map(([name, key]) => [name, keySchema(key)] as const);
  const schema = table(section.about, Object.fromEntries(keys), required(section));
  return section.entries ? { ...schema, additionalProperties: keySchema(section.entries) } : schema;
}

function required({ keys }: Section): string[] {
  return Object.keys(keys).filter((name) => keys[name]?.required);
}

function table(description: string, properties: Record<string, JsonSchema> = {}, names: string[] = []): JsonSchema {
  const schema: JsonSchema = { type: 'object', description, properties, additionalProperties: false };
  return names.length > 0 ? { ...schema, required: names } : schema;
}

function keySchema(key: Key): JsonSchema {
  const [minimum, maximum] = key.range ?? [];
  return {
    description: describe(key),
    ...shapes[key.kind](key.oneOf ? { type: 'string', enum: key.oneOf } : { type: 'string' }),
    ...(key.default !== undefined && !isHardwareDefault(key.default) && { default: plain(key) }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

/** What each kind of value looks like; `text` is the schema of a single string of it. */
const shapes: Record<Kind, (text: JsonSchema) => JsonSchema> = {
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

/** A default as a user would write it: a single name, not a list of one. */
function plain({ kind, default: value }: Key): unknown {
  return kind === 'compute' && Array.isArray(value) ? value[0] : value;
}

/** The description, with the unit, the range and the default where the schema has no place for them. */
function describe({ about, unit, range, absent, default: value }: Key): string {
  const [least, most] = range ?? [];
  return [
    about,
    range && `${most === undefined ? `${least} or more` : `${least} to ${most}`}${unit ? ` ${unit}` : ''}.`,
    isHardwareDefault(value) && `Default: ${value.cpu} on CPU, ${value.gpu} with an accelerator.`,
    absent && `Default: ${absent}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
