import * as v from 'valibot';
import { isRecord } from '../../kernel/json-text.ts';
import { isMissing } from './scalars.ts';

type NamesOf<Item extends v.GenericSchema> = (keyof v.InferOutput<Item> & string)[];

/** An item of a list that could not be read in full. `field` is what is missing, if the item is an object. */
export interface UnreadableItem {
  item: unknown;
  field: string | undefined;
}

const unreadableByList = new WeakMap<object, UnreadableItem[]>();

/**
 * A list whose items are parsed one by one, so that an invalid one does not hide the others. Items that are not objects
 * or lack a `required` number are dropped; items that lack another `required` field are kept. Both are reported by
 * {@link unreadableItems}. Null and absent read as an empty list.
 */
export function listOf<Item extends v.GenericSchema>(item: Item, ...required: NamesOf<Item>) {
  return v.nullish(items(item, required), []);
}

const longLists = new WeakSet<object>();

/**
 * A list that may be too long to be held as objects: its items are read one after another, as often as needed. One
 * without items may have been lost: it proves no removal.
 */
export function longListOf<Item extends v.GenericSchema>(item: Item, ...required: NamesOf<Item>) {
  const schema = listOf(item, ...required);
  longLists.add(schema);
  return schema as unknown as v.GenericSchema<v.InferInput<Item>[] | null | undefined, Iterable<v.InferOutput<Item>>>;
}

export function isLongList(schema: object): boolean {
  return longLists.has(schema);
}

/** Like {@link listOf}, but null and absent stay as they are. */
export function optionalList<Item extends v.GenericSchema>(item: Item, ...required: NamesOf<Item>) {
  return v.nullish(items(item, required));
}

/** An object. Unknown fields are kept. */
export function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  return Object.assign(checked(v.looseObject(entries), v.check(isRecord, 'is not an object')), { entries });
}

/**
 * The object of a reply. Fails if a `required` field is missing, and for an error sent with status 200: absent lists are
 * empty, so `{"message": "forbidden"}` would read as an empty reply.
 */
export function replyObject<Entries extends v.ObjectEntries>(
  entries: Entries,
  ...required: (keyof Entries & string)[]
) {
  const isValid = (value: unknown) => !isError(value) || hasOneOf(entries, value);
  const schema = v.pipe(
    objectOf(entries),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const value = dataset.value as Record<string, unknown>;
      for (const key of required.filter((name) => isMissing(value[name]))) {
        addIssue({
          message: 'is missing',
          path: [{ type: 'object', origin: 'value', input: value, key, value: null }],
        });
      }
    }),
  );
  return Object.assign(checked(schema, v.check(isValid, missingFieldsMessage(entries))), { entries, required });
}

/** The object of a reply that has at least one of the fields. */
export function nonEmptyReply<Entries extends v.ObjectEntries>(entries: Entries) {
  const isValid = (value: unknown) => hasOneOf(entries, value);
  return Object.assign(checked(objectOf(entries), v.check(isValid, missingFieldsMessage(entries))), { entries });
}

/** Lists of replies are not nested deeper; unknown fields may be nested without limit. */
const maxListDepth = 3;

/** The items that could not be read in all lists of a reply, not counting lists within items. */
export function unreadableItems(reply: unknown, depth = 0): UnreadableItem[] {
  if (typeof reply !== 'object' || reply === null || depth > maxListDepth) return [];
  const unreadable = unreadableByList.get(reply);
  if (unreadable || Array.isArray(reply)) return unreadable ?? [];
  return Object.values(reply).flatMap((value) => unreadableItems(value, depth + 1));
}

/** Reports items of a list that could not be read, so that {@link unreadableItems} finds them. */
export function markUnreadable(list: object, items: UnreadableItem[]): void {
  if (items.length > 0) unreadableByList.set(list, items);
}

function isError(value: unknown): boolean {
  return isRecord(value) && ['message', 'error', 'errors', 'detail'].some((name) => Object.hasOwn(value, name));
}

/** True for other values than objects: the schema rejects them with its own message. */
function hasOneOf(entries: v.ObjectEntries, value: unknown): boolean {
  return !isRecord(value) || Object.keys(value).some((name) => Object.hasOwn(entries, name));
}

function missingFieldsMessage(entries: v.ObjectEntries): string {
  const names = Object.keys(entries);
  return `has none of the fields ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}

/** Runs the check on the value as sent, before defaults are applied. */
function checked<Schema extends v.GenericSchema>(schema: Schema, check: v.CheckAction<unknown, string>) {
  const pipe = v.pipe(v.unknown(), check, schema);
  return pipe as unknown as v.GenericSchema<v.InferInput<Schema>, v.InferOutput<Schema>>;
}

function items<Item extends v.GenericSchema>(item: Item, required: string[]) {
  const schema = v.pipe(
    v.array(v.unknown(), 'is not a list'),
    v.transform((raw) => readEach(item, required, raw)),
  ) as unknown as v.GenericSchema<v.InferInput<Item>[], v.InferOutput<Item>[]>;
  return Object.assign(schema, { item, required });
}

function readEach(schema: v.GenericSchema, required: string[], raw: unknown[]): unknown[] {
  const unreadable: UnreadableItem[] = [];
  const read: unknown[] = [];
  for (const item of raw) {
    const result = v.safeParse(schema, item);
    if (!result.success) {
      unreadable.push({ item, field: undefined });
      continue;
    }
    const value = result.output as Record<string, unknown>;
    const missingNumber = required.find((key) => Number.isNaN(value[key]));
    // Empty text is not missing: a log line may be empty.
    const missing = missingNumber ?? required.find((key) => (item as Record<string, unknown>)[key] == null);
    if (missing !== undefined) unreadable.push({ item, field: missing });
    if (missingNumber === undefined) read.push(value);
  }
  markUnreadable(read, unreadable);
  return read;
}
