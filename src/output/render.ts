import { FailedError, UsageError } from '../errors.ts';
import { stringifyJson } from '../json-text.ts';
import type { JqFilter } from './jq.ts';
import { withLinks } from './links.ts';
import type { Page, Stream, View } from './page.ts';
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
  readonly page: Page;
}

export interface RendererOptions {
  /** Fields that may be selected even if a value lacks them; they are null then. */
  declared?: readonly string[];
  /** Whether secrets are shown. */
  verbatim?: boolean;
  /** What `--jq` makes of JSON. */
  filter?: JqFilter | undefined;
  /** Shows a long text in a pager. Returns false if it does not. */
  pager?: ((text: string) => Promise<boolean>) | undefined;
}

export function createRenderer(
  stdout: Stream,
  page: Page,
  json: JsonChoice,
  { declared = [], verbatim = false, filter, pager }: RendererOptions = {},
): Renderer {
  const write = createWriter(stdout);
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
        if (text && !(await pager?.(`${text}\n`))) await write(`${text}\n`);
        return;
      }
      const picked = Array.isArray(json) ? selectFields(value, json, declared) : value;
      if (filter) return writeFiltered(toJson(picked));
      for (const part of jsonParts(picked, toJson)) await write(part);
    },
    item(value, view, isRaw) {
      if (json === false) return write(`${toText(view, isRaw)}\n`);
      return writeLine(toJson(Array.isArray(json) ? selectFields(value, json, declared) : value));
    },
    line: (value) => writeLine(toJson(value)),
    text: write,
    bytes: write,
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
