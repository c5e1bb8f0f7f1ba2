import {
  anything,
  boolean,
  type Fields,
  type JsonSchema,
  type ListOf,
  list,
  type ObjectOf,
  type ObjectShape,
  object,
  type Shape,
  text,
  typeName,
  type ValueOf,
} from '../kernel/shape.ts';

export * from '../kernel/shape.ts';

/** What `--json` prints, declared once: for TypeScript, the help, `--json=fields` and `help COMMAND --schema`. */
export interface ResultSchema<Value = never> extends Shape<Value> {
  /** One document, one document that is a list, or one JSON object per line. */
  readonly form: 'document' | 'list' | 'stream';
  /** The values that come before the document, if there are any. */
  readonly events?: JsonSchema;
}

type Variants = readonly [Fields | ObjectShape<never>, ...(Fields | ObjectShape<never>)[]];

type VariantOf<V> = V extends ObjectShape<never> ? ValueOf<V> : V extends Fields ? ObjectOf<V> : never;

/** One document. Several variants: the result is one of them. */
export function document<const V extends Variants>(...variants: V): ResultSchema<VariantOf<V[number]>> {
  return { form: 'document', schema: variantsSchema(variants) };
}

/** A document of a form that is not known beforehand. */
export function anyDocument(description: string): ResultSchema<unknown> {
  return { form: 'document', schema: { description } };
}

export function documents<const V extends Variants>(...variants: V): ResultSchema<ListOf<VariantOf<V[number]>>> {
  return { form: 'list', schema: { type: 'array', items: variantsSchema(variants) } };
}

/** JSON objects, one per line; the last has the type `result` or `error`. */
export function stream<const V extends Variants>(...variants: V): ResultSchema<VariantOf<V[number]>> {
  return { form: 'stream', schema: variantsSchema(variants) };
}

/** A document that values with these fields may come before: each is a line of the type `event`. */
export function afterEvents<const F extends Fields, Value>(
  fields: F,
  result: ResultSchema<Value>,
): ResultSchema<Value | ObjectOf<F>> {
  const { form, schema } = result;
  return { form, schema, events: object(fields).schema };
}

/** A list or a document, depending on the command line. */
export function listOr<Entries, Value>(
  entries: ResultSchema<Entries>,
  { schema }: ResultSchema<Value>,
): ResultSchema<Entries | Value> {
  return { form: 'list', schema: { anyOf: [entries.schema, ...variantsOf(schema)] } };
}

/** The fields of an object of the contract that are described there. */
export function sentFields<const F extends Record<string, object>>({ entries }: { entries: F }) {
  const shapes = Object.entries(entries).flatMap(([name, field]) =>
    'described' in field ? [[name, field.described]] : [],
  );
  return Object.fromEntries(shapes) as {
    [Name in keyof F as F[Name] extends { described: Shape<never> } ? Name : never]: Shape<never>;
  };
}

export interface Field {
  /** As in `string`, `integer or null`, `list of object`; empty if it may be anything. */
  type: string;
  description: string;
}

/** The fields of a result, those of all its variants and of what comes before it. */
export function fieldsOf({ schema, events }: Pick<ResultSchema, 'schema' | 'events'>): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const { properties = {} } of [...variantsOf(schema.items ?? schema), ...(events ? [events] : [])]) {
    for (const [name, field] of Object.entries(properties)) {
      fields[name] ??= { type: typeName(field), description: field.description ?? '' };
    }
  }
  return fields;
}

/** The fields of the forms that a document, or the first entry of a list, may be of; all fields if it is of none. */
export function fieldNamesOf({ schema, events }: ResultSchema, value: unknown): string[] {
  const given = Object.keys(Object(Array.isArray(value) ? value[0] : value));
  const forms = variantsOf(schema.items ?? schema).filter(
    ({ properties = {}, required = [], additionalProperties }) =>
      given.length > 0 &&
      required.every((name) => given.includes(name)) &&
      (additionalProperties !== false || given.every((name) => name in properties)),
  );
  return Object.keys(fieldsOf(forms.length > 0 ? { schema: { anyOf: forms } } : { schema, ...(events && { events }) }));
}

/** The schema with a field `type` of this value, as lines of JSON have it. */
export function withType(schema: JsonSchema, word: string): JsonSchema {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((variant) => withType(variant, word)) };
  return {
    ...schema,
    properties: { ...schema.properties, type: { const: word } },
    required: ['type', ...(schema.required ?? [])],
  };
}

/** The schema with the field that a dry run adds to a document, or to each entry of a list. */
export function withDryRun(result: ResultSchema): ResultSchema {
  return {
    ...result,
    schema: withField(result.schema, 'dryRun', boolean('true for a dry run: nothing was changed').schema),
  };
}

/** Whether fields can be added to a result: a document of gantry's own form. */
export function takesFields(result: ResultSchema): boolean {
  return result.form === 'stream' || (result.form === 'document' && Object.keys(fieldsOf(result)).length > 0);
}

/** The schema with the fields that a document of any command may have. */
export function withSharedFields(result: ResultSchema): ResultSchema {
  const add = (schema: JsonSchema, [name, field]: [string, JsonSchema]) => withField(schema, name, field);
  return { ...result, schema: Object.entries(sharedFields).reduce(add, result.schema) };
}

const nextCommand = object({ argv: list(text('argument'), 'the command line'), when: text('what it is for') });

/** In a result, and beside an error. */
export const warningsShape = list(anything('a problem, as in gantry check'), 'what stderr warned of, if anything');

/** In a document of any command, and in the last line of a stream. */
export const sharedFields: Record<string, JsonSchema> = {
  next: list(nextCommand, 'commands that usually follow, if any').schema,
  warnings: warningsShape.schema,
};

function withField(schema: JsonSchema, name: string, field: JsonSchema): JsonSchema {
  if (schema.items) return { ...schema, items: withField(schema.items, name, field) };
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((variant) => withField(variant, name, field)) };
  return { ...schema, properties: { ...schema.properties, [name]: field } };
}

/** Whether a result may have fields that are not declared. */
export function isOpen({ schema }: { schema: JsonSchema }): boolean {
  return variantsOf(schema.items ?? schema).some(({ additionalProperties }) => additionalProperties !== false);
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ?? [schema];
}

function variantsSchema(variants: Variants): JsonSchema {
  const schemas = variants.map((variant) => (isShape(variant) ? variant : object(variant)).schema);
  const [only = {}, ...others] = schemas;
  return others.length === 0 ? only : { anyOf: schemas };
}

function isShape(variant: Fields | ObjectShape<never>): variant is ObjectShape<never> {
  return (variant as { isObject?: unknown }).isObject === true;
}
