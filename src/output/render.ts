import { FailedError, UsageError } from '../errors.ts';
import { stringifyJson } from '../json-text.ts';
import type { JqFilter } from './jq.ts';
import { withLinks } from './links.ts';
import type { Page, Stream, View } from './page.ts';
import type { Pager } from './pager.ts';
import { redactedJson } from './redacted-json.ts';
import { sanitize, sanitizeUnredacted } from './sanitize.ts';
import { systemErrorReason } from './system-error.ts';

/** True for `--json`; the field names for `--json=id,status`. */
export type JsonChoice = boolean | string[];

/** The reader of stdout has closed it, as `| head` does: gantry then exits with code 0. */
export class StdoutClosedError extends Error {}

/** Writes results to stdout. */
export interface Renderer {
  /** Prints a result as JSON or as text. `isRaw`: the text is not sanitized. */
  value(value: unknown, view: View, isRaw?: boolean): Promise<void>;
  /** Prints one value of a stream: as a line of JSON or as text, which may be an empty line. */
  item(value: unknown, view: View, isRaw: boolean): Promise<void>;
  /** Prints a line of JSON. */
  line(value: unknown): Promise<void>;
  text(text: string): Promise<void>;
  /** Writes bytes unchanged. */
  bytes(bytes: Uint8Array): Promise<void>;
  /** Waits until the user has quit the pager, if there is one. */
  end(): Promise<void>;
  readonly page: Page;
}

export interface RendererOptions {
  /** Fields that may be selected even if a value lacks them; they are null then. */
  declared?: readonly string[];
  /** Whether secrets are shown. */
  verbatim?: boolean;
  /** What `--jq` makes of JSON. */
  filter?: JqFilter | undefined;
  /** Shows results as text. Makes a pager that writes what needs none. */
  pager?: ((write: (text: string) => Promise<void>) => Pager) | undefined;
}

export function createRenderer(
  stdout: Stream,
  page: Page,
  json: JsonChoice,
  { declared = [], verbatim = false, filter, pager: createPager }: RendererOptions = {},
): Renderer {
  const write = createWriter(stdout);
  const pager = createPager?.(write);
  const sanitized = verbatim ? sanitizeUnredacted : sanitize;
  const toText = (view: View, isRaw: boolean) => (isRaw ? view(page) : withLinks(sanitized(view(page), page), page));
  const toJson = (value: unknown, indent?: number) =>
    verbatim ? stringifyJson(value, indent) : redactedJson(value, page.secrets, indent);
  const writeFiltered = async (line: string) => {
    const text = filter?.(line);
    if (text) await write(sanitized(text, page));
  };
  const writeLine = (line: string) => (filter ? writeFiltered(line) : write(`${line}\n`));
  return {
    async value(value, view, isRaw = false) {
      if (json === false) {
        const text = toText(view, isRaw);
        if (text) await (pager ?? { write }).write(`${text}\n`);
        return;
      }
      const picked = Array.isArray(json) ? selectFields(value, json, declared) : value;
      if (filter) return writeFiltered(toJson(picked));
      for (const part of jsonParts(picked, toJson)) await write(part);
    },
    async item(value, view, isRaw) {
      if (json === false) {
        const isOpen = await (pager ?? { write }).write(`${toText(view, isRaw)}
`);
        if (isOpen === false) throw new StdoutClosedError();
        return;
      }
      return writeLine(toJson(Array.isArray(json) ? selectFields(value, json, declared) : value));
    },
    line: (value) => writeLine(toJson(value)),
    text: write,
    bytes: write,
    end: async () => pager?.end(),
    page,
  };
}

/** Waits for each write, so that a slow reader does not fill the memory. */
function createWriter(stdout: Stream): (text: string | Uint8Array) => Promise<void> {
  // EIO: the terminal was closed.
  const closedCodes = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);
  return (text) =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (!error) resolve();
        else reject(closedCodes.has(error.code ?? '') ? new StdoutClosedError() : stdoutError(error));
      });
    });
}

/** A full disk behind `> file`, for example. */
function stdoutError(cause: NodeJS.ErrnoException): FailedError {
  return new FailedError(`cannot write to stdout: ${systemErrorReason(cause.message)}`, { cause });
}

/** Yields a long list in batches. */
function* jsonParts(value: unknown, toJson: (value: unknown, indent: number) => string): Generator<string> {
  if (!Array.isArray(value) || value.length === 0) {
    yield `${toJson(value, 2)}\n`;
    return;
  }
  const batchSize = 200;
  for (let start = 0; start < value.length; start += batchSize) {
    const entries = value.slice(start, start + batchSize).map((entry) => indent(toJson(entry, 2)));
    yield `${start === 0 ? '[\n' : ',\n'}${entries.join(',\n')}`;
  }
  yield '\n]\n';
}

function indent(json: string): string {
  return json.replace(/^/gm, '  ');
}

function selectFields(value: unknown, fields: string[], declared: readonly string[]): unknown {
  const entries = Array.isArray(value) ? value : [value];
  const present = entries.flatMap((entry) => Object.keys(entry ?? {}));
  if (entries.length > 0 || declared.length > 0) checkFields(fields, [...new Set([...declared, ...present])]);
  const picked = entries.map((entry) => selectFrom(entry, fields));
  return Array.isArray(value) ? picked : picked[0];
}

function selectFrom(entry: unknown, fields: string[]): Record<string, unknown> {
  const own = new Map(Object.entries(Object(entry)));
  return Object.fromEntries(fields.map((field) => [field, own.get(field) ?? null]));
}

/** Throws UsageError for an unknown field. */
export function checkFields(fields: string[], known: readonly string[]): void {
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new UsageError(`unknown JSON field "${unknown}"`, { why: `available fields: ${known.join(', ')}` });
  }
}
