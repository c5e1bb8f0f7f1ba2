import { defined } from './json-text.ts';

/**
 * The form of a value, said once: for TypeScript (`ObjectOf`), and as a schema. The type parameter exists at compile time only: it is
 * what a value must be assignable to.
 */
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

export type Fields = Record<string, Shape<never>>;

/** A list that JSON can be made of; a long one is not held as an array (`packed-list.ts`). */
export type ListOf<Value> = readonly Value[] | (Iterable<Value> & { readonly length: number; toJSON: () => Value[] });

interface OptionalShape<Value> extends Shape<Value> {
  readonly isOptional: true;
}

export interface ObjectShape<Value> extends Shape<Value> {
  readonly isObject: true;
}

export type ValueOf<S> = S extends { readonly [accepts]?: (value: infer Value) => void } ? Value : never;

export type ObjectOf<F extends Fields> = {
  [Name in keyof F as F[Name] extends { isOptional: true } ? never : Name]: ValueOf<F[Name]>;
} & {
  [Name in keyof F as F[Name] extends { isOptional: true } ? Name : never]?: ValueOf<F[Name]> | undefined;
};

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

export function list<Value>({ schema }: Shape<Value>, description: string): Shape<readonly Value[]> {
  return { schema: { type: 'array', items: schema, description } };
}

/** A list that something is added to. */
export const arrayOf = list as <Value>(shape: Shape<Value>, description: string) => Shape<Value[]>;

/** A list that may be too long to be held as an array. */
export const longList = list as <Value>(shape: Shape<Value>, description: string) => Shape<ListOf<Value>>;

/** An object whose keys are not known beforehand. */
export function record<Value>({ schema }: Shape<Value>, description: string): Shape<{ [name: string]: Value }> {
  return { schema: { type: 'object', additionalProperties: schema, description } };
}

/** Its fields, after what it is where that is not said elsewhere. */
export function object<const F extends Fields>(...given: [fields: F] | [description: string, fields: F]) {
  const [fields, description] = given.length === 1 ? given : [given[1], given[0]];
  const required = Object.keys(fields).filter((name) => !('isOptional' in (fields[name] ?? {})));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const schema = { type: 'object', properties, required, additionalProperties: false };
  const shape: ObjectShape<ObjectOf<F>> = { isObject: true, schema: { ...schema, ...defined({ description }) } };
  return shape;
}

/** A list of objects with these fields. */
export function objects<const F extends Fields>(description: string, fields: F): Shape<readonly ObjectOf<F>[]> {
  return list(object(fields), description);
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

/** `when`: what null means, which the description says then. */
export function nullable<Value>({ schema }: Shape<Value>, when?: string): Shape<Value | null> {
  const { description: meaning, ...other } = schema;
  const description = when === undefined ? meaning : `${meaning}; null if ${when}`;
  return { schema: { ...defined({ description }), anyOf: [other, { type: 'null' }] } };
}

/** An object with these fields, or null. */
export function orNull<const F extends Fields>(description: string, fields: F): Shape<ObjectOf<F> | null> {
  return nullable(object(description, fields));
}

export function optional<Value>({ schema }: Shape<Value>): OptionalShape<Value> {
  return { schema, isOptional: true };
}

export const locationShape = object('where it is in a file', {
  file: text('file'),
  line: integer('from 1'),
  column: integer('from 1, in characters'),
  length: integer('characters'),
  text: text('the line'),
});

/** As in `string`, `integer or null`, `list of object`; empty if it may be anything. */
export function typeName({ type, items, anyOf, $comment = '' }: JsonSchema): string {
  if (anyOf) return anyOf.map(typeName).filter(Boolean).join(' or ');
  if (items) return ['list', typeName(items)].filter(Boolean).join(' of ');
  return type ?? $comment;
}
