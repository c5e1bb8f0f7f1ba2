import { FailedError, UsageError } from '../errors.ts';
import { stringifyJson } from '../json-text.ts';
import type { Page, Stream, View } from './page.ts';
import { redactedJson } from './redacted-json.ts';
import { sanitize, sanitizeUnredacted } from './sanitize.ts';
import { systemErrorReason } from './system-error.ts';

/** `--json` for everything, `--json=id,status` for some fields. */
export type JsonChoice = boolean | string[];

/** The reader closed the pipe (`| head`): the program ends quietly. */
export class StdoutClosedError extends Error {}

/** The only writer of stdout. */
export interface Renderer {
  /** Prints a command's answer in full: as JSON, or as its view, whose text may be wanted as it is. */
  value(value: unknown, view: View, asItIs?: boolean): Promise<void>;
  /** Prints one of many that come one after the other: JSON on one line, or its view, which may be an empty line. */
  item(value: unknown, view: View, asItIs?: boolean): Promise<void>;
  /** Prints one object on one line, for streams. */
  line(value: unknown): Promise<void>;
  text(text: string): Promise<void>;
  /** Writes bytes as they are. */
  bytes(bytes: Uint8Array): Promise<void>;
  /** The page it writes on. */
  readonly page: Page;
}

/**
 * `declared` are the fields that may be picked though this very answer does not have them; they are null then. No secret
 * gets out, unless the answer is `verbatim`: then the user asked to see it as it is.
 */
export function createRenderer(
  stdout: Stream,
  page: Page,
  json: JsonChoice,
  declared: readonly string[] = [],
  verbatim = false,
): Renderer {
  const write = writer(stdout);
  const safe = verbatim ? sanitizeUnredacted : sanitize;
  const read = (view: View, asItIs: boolean) => (asItIs ? view(page) : safe(view(page), page));
  const toJson = (value: unknown, indent?: number) =>
    verbatim ? stringifyJson(value, indent) : redactedJson(value, page.secrets, indent);
  return {
    async value(value, view, asItIs = false) {
      if (json === false) {
        const text = read(view, asItIs);
        if (text) await write(`${text}\n`);
        return;
      }
      const picked = Array.isArray(json) ? pick(value, json, declared) : value;
      for (const part of jsonParts(picked, toJson)) await write(part);
    },
    item(value, view, asItIs = false) {
      if (json === false) return write(`${read(view, asItIs)}\n`);
      return write(`${toJson(Array.isArray(json) ? pick(value, json, declared) : value)}\n`);
    },
    line: (value) => write(`${toJson(value)}\n`),
    text: write,
    bytes: write,
    page,
  };
}

/** Waits while the reader is slow, so that a long answer never piles up in memory. */
function writer(stdout: Stream): (text: string | Uint8Array) => Promise<void> {
  // EIO: the terminal was closed.
  const gone = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);
  return (text) =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (!error) resolve();
        else reject(gone.has(error.code ?? '') ? new StdoutClosedError() : stdoutFailure(error));
      });
    });
}

/** A full disk behind `> file` is no mistake of ours. */
function stdoutFailure(cause: NodeJS.ErrnoException): FailedError {
  return new FailedError(`cannot write to stdout: ${systemErrorReason(cause.message)}`, { cause });
}

/** A long list is written entry by entry, as it is made. */
function* jsonParts(value: unknown, toJson: (value: unknown, indent: number) => string): Generator<string> {
  if (!Array.isArray(value) || value.length === 0) {
    yield `${toJson(value, 2)}\n`;
    return;
  }
  const batch = 200;
  for (let start = 0; start < value.length; start += batch) {
    const entries = value.slice(start, start + batch).map((entry) => indent(toJson(entry, 2)));
    yield `${start === 0 ? '[\n' : ',\n'}${entries.join(',\n')}`;
  }
  yield '\n]\n';
}

function indent(json: string): string {
  return json.replace(/^/gm, '  ');
}

function pick(value: unknown, fields: string[], declared: readonly string[]): unknown {
  const entries = Array.isArray(value) ? value : [value];
  const present = entries.flatMap((entry) => Object.keys(entry ?? {}));
  if (entries.length > 0 || declared.length > 0) checkFields(fields, [...new Set([...declared, ...present])]);
  const picked = entries.map((entry) => only(entry, fields));
  return Array.isArray(value) ? picked : picked[0];
}

function only(entry: unknown, fields: string[]): Record<string, unknown> {
  const own = new Map(Object.entries(Object(entry)));
  return Object.fromEntries(fields.map((field) => [field, own.get(field) ?? null]));
}

/** Throws UsageError for a field that the answer cannot have, and lists those it can. */
export function checkFields(fields: string[], known: readonly string[]): void {
  const wrong = fields.find((field) => !known.includes(field));
  if (wrong !== undefined) {
    throw new UsageError(`--json has no field "${wrong}" here`, { why: `the fields are ${known.join(', ')}` });
  }
}
