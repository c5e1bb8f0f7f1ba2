import * as v from 'valibot';
import { isMissing, isRecord } from './scalars.ts';

/** An item of a list that could not be read in full, and the field that is missing, if it is an object at all. */
export interface UnreadableItem {
  item: unknown;
  field: string | undefined;
}

const unread = new WeakMap<object, UnreadableItem[]>();

/**
 * A list whose items are read one by one, so that a bad one never hides the others. An item without a field that is
 * `needed` stays, as far as it can be read; what is no object, or lacks a needed number, is left out. Both are counted:
 * see {@link unreadableItems}. Null and absent are the empty list.
 */
export function list<Item extends v.GenericSchema>(item: Item, ...needed: (keyof v.InferOutput<Item> & string)[]) {
  return v.nullish(items(item, needed), []);
}

/** The same where a list that is absent means something else than an empty one: null and absent stay what they are. */
export function optionalList<Item extends v.GenericSchema>(
  item: Item,
  ...needed: (keyof v.InferOutput<Item> & string)[]
) {
  return v.nullish(items(item, needed));
}

/** Objects by name, read one by one. One that cannot be read is left empty, and counted. */
export function objectsByName<Item extends v.GenericSchema>(item: Item) {
  const schema = v.pipe(
    v.custom<Record<string, unknown>>(isRecord, 'is not an object'),
    v.transform((raw) => readByName(item, raw)),
  ) as unknown as v.GenericSchema<Record<string, v.InferInput<Item>>, Record<string, v.InferOutput<Item>>>;
  return v.nullish(Object.assign(schema, { item, needed: [] }), {});
}

/** An object with its unknown fields. */
export function object<Entries extends v.ObjectEntries>(entries: Entries) {
  return checkedObject(entries, v.check(isRecord, 'is not an object'));
}

/**
 * An object of a reply. It fails, and names the field, when one of the `needed` is missing. An error that came with a
 * 200 fails too: absent lists are empty, so `{"message": "forbidden"}` would read as "nothing".
 */
export function replyObject<Entries extends v.ObjectEntries>(entries: Entries, ...needed: (keyof Entries & string)[]) {
  const isOurs = (value: unknown) => !isError(value) || hasOneOf(entries, value);
  const schema = v.pipe(
    object(entries),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const value = dataset.value as Record<string, unknown>;
      for (const key of needed.filter((name) => isMissing(value[name]))) {
        addIssue({
          message: 'is missing',
          path: [{ type: 'object', origin: 'value', input: value, key, value: null }],
        });
      }
    }),
  );
  return Object.assign(checked(schema, v.check(isOurs, noneOf(entries))), { entries, needed });
}

/** An object of a reply that has at least one of the fields. */
export function nonEmptyReply<Entries extends v.ObjectEntries>(entries: Entries) {
  const isOurs = (value: unknown) => hasOneOf(entries, value);
  return Object.assign(checked(object(entries), v.check(isOurs, noneOf(entries))), { entries });
}

/** No list of a reply lies deeper. What is unknown in a reply may be nested without end. */
const deepestList = 3;

/** The items that could not be read, in all lists of a reply. Lists within items are not looked at. */
export function unreadableItems(reply: unknown, depth = 0): UnreadableItem[] {
  if (typeof reply !== 'object' || reply === null || depth > deepestList) return [];
  const found = unread.get(reply);
  if (found || Array.isArray(reply)) return found ?? [];
  return Object.values(reply).flatMap((value) => unreadableItems(value, depth + 1));
}

function isError(value: unknown): boolean {
  return isRecord(value) && ['message', 'error', 'errors', 'detail'].some((name) => Object.hasOwn(value, name));
}

/** What is no object is refused later, with other words. */
function hasOneOf(entries: v.ObjectEntries, value: unknown): boolean {
  return !isRecord(value) || Object.keys(value).some((name) => Object.hasOwn(entries, name));
}

function noneOf(entries: v.ObjectEntries): string {
  const names = Object.keys(entries);
  return `has none of the fields ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}

/** The check comes first: it sees the value as it was sent, without defaults. */
function checkedObject<Entries extends v.ObjectEntries>(entries: Entries, check: v.CheckAction<unknown, string>) {
  return Object.assign(checked(v.looseObject(entries), check), { entries });
}

function checked<Schema extends v.GenericSchema>(schema: Schema, check: v.CheckAction<unknown, string>) {
  const whole = v.pipe(v.unknown(), check, schema);
  return whole as unknown as v.GenericSchema<v.InferInput<Schema>, v.InferOutput<Schema>>;
}

function items<Item extends v.GenericSchema>(item: Item, needed: string[]) {
  const schema = v.pipe(
    v.array(v.unknown(), 'is not a list'),
    v.transform((raw) => readEach(item, needed, raw)),
  ) as unknown as v.GenericSchema<v.InferInput<Item>[], v.InferOutput<Item>[]>;
  return Object.assign(schema, { item, needed });
}

function readEach(schema: v.GenericSchema, needed: string[], raw: unknown[]): unknown[] {
  const bad: UnreadableItem[] = [];
  const read: unknown[] = [];
  for (const item of raw) {
    const result = v.safeParse(schema, item);
    if (!result.success) {
      bad.push({ item, field: undefined });
      continue;
    }
    const value = result.output as Record<string, unknown>;
    const noNumber = needed.find((key) => Number.isNaN(value[key]));
    // Empty text may be meant, as in a log. An id that is empty helps nobody, but it hides nothing either.
    const missing = noNumber ?? needed.find((key) => (item as Record<string, unknown>)[key] == null);
    if (missing !== undefined) bad.push({ item, field: missing });
    if (noNumber === undefined) read.push(value);
  }
  if (bad.length > 0) unread.set(read, bad);
  return read;
}

function readByName(schema: v.GenericSchema, raw: Record<string, unknown>): Record<string, unknown> {
  const bad: UnreadableItem[] = [];
  const read = Object.entries(raw).map(([name, item]) => {
    const result = v.safeParse(schema, item);
    if (!result.success) bad.push({ item, field: undefined });
    return [name, result.success ? result.output : {}];
  });
  const found = Object.fromEntries(read);
  if (bad.length > 0) unread.set(found, bad);
  return found;
}
