import { defined } from '../kernel/json-text.ts';
import type { FieldDescription } from '../platform/contract/scalars.ts';

/** What `--json` prints, declared once: for TypeScript, the help, `--json=fields` and `help COMMAND --schema`. */
export interface ResultSchema<Value = never> extends Shape<Value> {
  /** One document, one document that is a list, or one JSON object per line. */
  readonly form: 'document' | 'list' | 'stream';
  /** The values that come before the document, if there are any. */
  readonly events?: JsonSchema;
}

/** The schema of a value. The type parameter exists at compile time only: it is what a value must be assignable to. */
export interface Shape<Value> {
  readonly schema: JsonSchema;
  readonly [accepts]?: (value: Value) => void;
}

declare const accepts: unique symbol;

/** Draft 2020-12, as far as results need it. */
export interface JsonSchema {
  description?: string;
  type?: string;
  enum?: readonly string[];
  const?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  not?: JsonSchema;
  $comment?: string;
  $ref?: string;
}

type Fields = Record<string, Shape<never>>;
type Variants = readonly [Fields | ObjectShape<never>, ...(Fields | ObjectShape<never>)[]];

/** A list that JSON can be made of; a long one is not held as an array (`packed-list.ts`). */
type ListOf<Value> = readonly Value[] | (Iterable<Value> & { readonly length: number; toJSON: () => Value[] });

interface OptionalShape<Value> extends Shape<Value> {
  readonly isOptional: true;
}

interface ObjectShape<Value> extends Shape<Value> {
  readonly isObject: true;
}

export type ValueOf<S> = S extends { readonly [accepts]?: (value: infer Value) => void } ? Value : never;

export type ObjectOf<F extends Fields> = {
  [Name in keyof F as F[Name] extends { isOptional: true } ? never : Name]: ValueOf<F[Name]>;
} & {
  [Name in keyof F as F[Name] extends { isOptional: true } ? Name : never]?: ValueOf<F[Name]> | undefined;
};

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

function scalar<Value>(type: string): (description: string) => Shape<Value> {
  return (description) => ({ schema: { type, description } });
}

export const text = scalar<string>('string');
export const integer = scalar<number>('integer');
export const number = scalar<number>('number');
export const boolean = scalar<boolean>('boolean');

export function choice<const Word extends string>(words: readonly Word[], description: string): Shape<Word> {
  return { schema: { type: 'string', enum: words, description } };
}

export function anything(description: string): Shape<unknown> {
  return { schema: { description } };
}

export function list<Value>({ schema }: Shape<Value>, description: string): Shape<ListOf<Value>> {
  return { schema: { type: 'array', items: schema, description } };
}

/** A list that is held as an array. */
export const arrayOf = list as <Value>(shape: Shape<Value>, description: string) => Shape<Value[]>;

/** An object whose keys are not known beforehand. */
export function record<Value>({ schema }: Shape<Value>, description: string): Shape<{ [name: string]: Value }> {
  return { schema: { type: 'object', additionalProperties: schema, description } };
}

export function object<const F extends Fields>(fields: F, description?: string): ObjectShape<ObjectOf<F>> {
  const required = Object.keys(fields).filter((name) => !('isOptional' in (fields[name] ?? {})));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return { isObject: true, schema: { ...schema, ...defined({ description }) } };
}

/** The fields of an object of the contract that are described there. */
export function sentFields<const F extends Record<string, object>>({ entries }: { entries: F }) {
  const known = Object.entries(entries).flatMap(([name, field]) =>
    'described' in field ? [[name, field.described as FieldDescription] as const] : [],
  );
  const shapes = known.map(([name, { type, description }]) => [
    name,
    { schema: { ...(type && { type }), description } },
  ]);
  return Object.fromEntries(shapes) as {
    [Name in keyof F as F[Name] extends { described: FieldDescription } ? Name : never]: Shape<never>;
  };
}

/** An object that the platform sent: these fields are known, but any may be missing, and there may be others. */
export function passThrough<const F extends Fields>(
  fields: F,
  description?: string,
): ObjectShape<{ [Name in keyof F]?: unknown }> {
  const entries = Object.entries(fields).map(([name, { schema }]) => [name, withoutPromise(schema)]);
  const schema = { type: 'object', properties: Object.fromEntries(entries), $comment: passedThrough };
  return { isObject: true, schema: { ...schema, ...defined({ description }) } };
}

const passedThrough = 'sent by the platform and passed through';

/** The platform is known to use this type, but gantry does not promise it. */
function withoutPromise(schema: JsonSchema): JsonSchema {
  const type = typeName(schema);
  const { description } = schema;
  return { ...defined({ description }), ...(type && { $comment: type }) };
}

export function nullable<Value>({ schema }: Shape<Value>): Shape<Value | null> {
  const { description, ...other } = schema;
  return { schema: { ...defined({ description }), anyOf: [other, { type: 'null' }] } };
}

export function optional<Value>({ schema }: Shape<Value>): OptionalShape<Value> {
  return { schema, isOptional: true };
}

export const locationShape = object({
  file: text('file'),
  line: integer('from 1'),
  column: integer('from 1, in characters'),
  length: integer('characters'),
  text: text('the line'),
});

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

function typeName({ type, items, anyOf, $comment = '' }: JsonSchema): string {
  if (anyOf) return anyOf.map(typeName).filter(Boolean).join(' or ');
  if (items) return ['list', typeName(items)].filter(Boolean).join(' of ');
  return type ?? $comment;
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

/** In a document of any command, and in the last line of a stream. */
export const sharedFields: Record<string, JsonSchema> = {
  next: list(nextCommand, 'commands that usually follow, if any').schema,
  warnings: list(anything('a problem, as in gantry check'), 'what stderr warned of, if anything').schema,
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
