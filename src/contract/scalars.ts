import * as v from 'valibot';

/** A number the server sends as text (spec 2.4). Empty text means unknown: null. */
export const numberAsText = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform((value) => (value === '' || Number.isNaN(Number(value)) ? null : Number(value))),
);

/** An RFC 3339 time, in UTC. The server writes "no time" as `""` or as the year 1: both become null. */
export const timestamp = v.pipe(
  v.nullable(v.string()),
  v.transform((value) => {
    if (!value || value.startsWith('0001-01-01')) return null;
    const time = Date.parse(value);
    return Number.isNaN(time) ? value : new Date(time).toISOString();
  }),
);

/** Known words, but any other is let through: an old client must survive a newer server. */
export function openEnum<const Word extends string>(..._known: Word[]) {
  return v.string() as v.GenericSchema<Word | (string & {})>;
}

/** A boolean in a query string. */
export const queryFlag = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])], 'must be true or false'),
  v.transform((value) => value === true || value === 'true'),
);

/** A whole number in a query string, from `least` up. */
export function queryNumber(least: number) {
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/, 'must be a whole number'), v.transform(Number))]),
    v.minValue(least, `must be ${least} or more`),
  );
}

/** A file in a body of several parts. `type` is its media type. */
export const filePart = v.object({ filename: v.string(), type: v.string(), content: v.instance(Uint8Array) });
export type FilePart = v.InferOutput<typeof filePart>;
