import { closestName } from '../closest-name.ts';
import { FailedError, UsageError } from '../errors.ts';
import { stringifyJson } from '../json-text.ts';
import { PackedList } from '../packed-list.ts';
import type { openFrames } from './frames.ts';
import type { JqFilter } from './jq.ts';
import type { LongView, Page, Stream, View } from './page.ts';
import type { Pager } from './pager.ts';
import { redactedJson } from './redacted-json.ts';
import { sanitize, sanitizeUnredacted } from './sanitize.ts';
import { systemErrorReason } from './system-error.ts';

/** True for `--json`; the field names for `--json=id,status`. */
export type JsonChoice = boolean | string[];

/** The reader of stdout has closed it, as `| head` does: gantry then exits with code 0. */
export class StdoutClosedError extends Error {}

/** The result cannot be written, to a full disk for example. */
export class StdoutError extends FailedError {}

export type Renderer = ReturnType<typeof createRenderer>;

export interface RendererOptions {
  /** Fields that may be selected even if a value lacks them; they are null then. */
  declared?: (value: unknown) => readonly string[];
  verbatim?: boolean;
  filter?: JqFilter | undefined;
  /** Shows results as text. Makes a pager that writes what needs none. */
  pager?: ((write: (text: string) => Promise<void>) => Pager) | undefined;
}

export function createRenderer(
  stdout: Stream,
  page: Page,
  json: JsonChoice,
  { declared = () => [], verbatim = false, filter, pager: createPager }: RendererOptions = {},
) {
  const write = createWriter(stdout);
  const pager = createPager?.(write);
  const sanitized = verbatim ? sanitizeUnredacted : sanitize;
  const toJson = (value: unknown, indent?: number) =>
    verbatim ? stringifyJson(value, indent) : redactedJson(value, page.secrets, indent);
  const writeFiltered = async (line: string) => {
    const text = await filter?.filter(line);
    if (text) await write(sanitized(text, page));
  };
  const writeLine = (line: string) => (filter ? writeFiltered(line) : write(`${line}\n`));
  const shownOn = (text: string, current: Page) => sanitized(text, current);
  const pick = (value: unknown) => (Array.isArray(json) ? selectFields(value, json, declared(value)) : value);
  const asJson: Output = {
    async value(value) {
      if (filter) return writeFiltered(toJson(pick(value)));
      for (const part of jsonParts(pick(value), toJson)) await write(part);
    },
    item: (value) => writeLine(toJson(pick(value))),
  };
  const output = json === false ? textOutput(page, write, pager ?? { write }, shownOn) : asJson;
  let frames: ReturnType<typeof openFrames> | undefined;
  return {
    ...output,
    line: (value: unknown) => writeLine(toJson(value)),
    text: write as (text: string) => Promise<void>,
    bytes: write as (bytes: Uint8Array) => Promise<void>,
    /** Prints one value of a stream in place of the one before, on a terminal that can do that. */
    async frame(value: unknown, view: View) {
      if (json !== false || !page.animated) return output.item(value, view, false);
      if (!frames) {
        const { openFrames: open } = await import('./frames.ts');
        frames = open(stdout, page, write, shownOn);
      }
      await frames.show(view);
    },
    /** Waits until the user has quit the pager, if there is one. */
    async end() {
      frames?.close();
      await pager?.end();
    },
    page,
  };
}

interface Output {
  /** Prints a result as JSON or as text. `isRaw`: the text is not sanitized. */
  value(value: unknown, view: View | LongView, isRaw?: boolean): Promise<void>;
  /** Prints one value of a stream: as a line of JSON or as text, which may be an empty line. */
  item(value: unknown, view: View, isRaw: boolean): Promise<void>;
}

type Write = (text: string | Uint8Array) => Promise<void>;

function textOutput(
  page: Page,
  write: Write,
  into: Pick<Pager, 'write'> | { write: Write },
  shownOn: (text: string, page: Page) => string,
): Output {
  const toText = (view: View, isRaw: boolean) => (isRaw ? view(page) : shownOn(view(page), page));
  return {
    async value(_, view, isRaw = false) {
      if ('parts' in view && !page.terminal) {
        for (const part of view.parts(page)) await write(`${toText(() => part, isRaw)}\n`);
        return;
      }
      const text = toText(view, isRaw);
      if (text) await into.write(`${text}\n`);
    },
    async item(_, view, isRaw) {
      const isOpen = await into.write(`${toText(view, isRaw)}\n`);
      if (isOpen === false) throw new StdoutClosedError();
    },
  };
}

/** Waits for each write, so that a slow reader does not fill the memory. */
function createWriter(stdout: Stream): Write {
  // EIO: the terminal was closed.
  const closedCodes = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);
  return (text) =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (!error) return resolve();
        if (closedCodes.has(error.code ?? '')) return reject(new StdoutClosedError());
        reject(new StdoutError(`cannot write to stdout: ${systemErrorReason(error.message)}`, { cause: error }));
      });
    });
}

type ToJson = (value: unknown, indent: number) => string;

function* jsonParts(value: unknown, toJson: ToJson): Generator<string> {
  if (isList(value)) yield* listParts(value, toJson);
  else yield toJson(value, 2);
  yield '\n';
}

function* listParts(list: List, toJson: ToJson): Generator<string> {
  if (list.length === 0) {
    yield '[]';
    return;
  }
  const batchSize = 200;
  let batch: string[] = [];
  let start = '[\n';
  for (const entry of list) {
    batch.push(indent(toJson(entry, 2)));
    if (batch.length < batchSize) continue;
    yield start + batch.join(',\n');
    batch = [];
    start = ',\n';
  }
  if (batch.length > 0) yield start + batch.join(',\n');
  yield '\n]';
}

type List = unknown[] | PackedList<unknown>;

function isList(value: unknown): value is List {
  return Array.isArray(value) || value instanceof PackedList;
}

function indent(json: string): string {
  return json.replace(/^/gm, '  ');
}

function selectFields(value: unknown, fields: string[], declared: readonly string[]): unknown {
  const entries = isList(value) ? value : [value];
  const names = new Set(declared);
  for (const entry of entries) for (const name of Object.keys(entry ?? {})) names.add(name);
  if (entries.length > 0 || declared.length > 0) checkFields(fields, [...names]);
  const pick = (entry: unknown) => selectFrom(entry, fields);
  if (value instanceof PackedList) return PackedList.from(value, pick);
  return Array.isArray(value) ? value.map(pick) : pick(value);
}

function selectFrom(entry: unknown, fields: string[]): Record<string, unknown> {
  const entries = new Map(Object.entries(Object(entry)));
  return Object.fromEntries(fields.map((field) => [field, entries.get(field) ?? null]));
}

export function checkFields(fields: string[], names: readonly string[]): void {
  const unknown = fields.filter((field) => !names.includes(field));
  if (unknown.length === 0) return;
  const meant = fields.flatMap((field) => (names.includes(field) ? field : (nearest(field, names) ?? [])));
  const said = unknown.map((field) => {
    const near = nearest(field, names);
    return near === undefined ? `"${field}"` : `"${field}" (${near}?)`;
  });
  const valid = meant.length > 0 ? [...new Set(meant)] : names.slice(0, 1);
  throw new UsageError(`unknown JSON field${unknown.length === 1 ? '' : 's'} ${said.join(', ')}`, {
    why: `available fields: ${names.join(', ')}`,
    corrected: { typed: fields.join(','), meant: valid.join(','), isExample: true },
  });
}

/** A field that is spelled almost so, or that goes on after the word: `maxReplicas` is `maxReplicaCount`. */
function nearest(field: string, names: readonly string[]): string | undefined {
  const start = field.toLowerCase().replace(/s$/, '');
  return closestName(field, names) ?? names.find((each) => each.toLowerCase().startsWith(start));
}
