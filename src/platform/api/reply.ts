import { type GenericSchema, safeParse } from 'valibot';
import { gantryCommand } from '../../kernel/command-line.ts';
import { attempt, FailedError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { parseJson, parseJsonOr, stringifyJson, withoutMark } from '../../kernel/json-text.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { markUnreadable, unreadableItems } from '../contract/lists.ts';
import type { HttpReply } from './http-reply.ts';
import { ConnectionError } from './transport.ts';

export interface HostReply extends HttpReply {
  host: string;
}

/** JSON of a schema, text or a confirmation. Any other kind did not come from the platform, despite its status. */
export function readReply(endpoint: Endpoint, received: HostReply): unknown {
  const { reply, mayBeEmpty } = endpoint;
  if (received.chunks) return readChunks(endpoint, received, received.chunks);
  if (reply === 'anything') return received.body;
  rejectWebPage(received);
  if (reply === 'text') return confirmation(received);
  if (reply === 'nothing') return void confirmation(received);

  const { status } = received;
  if (!isWhole(endpoint, received)) throw foreignReplyError(received, 'does not match the request');
  const json = mayBeEmpty && isEmpty(received) ? null : parse(received);
  return decode(endpoint, reply, json, status);
}

/** The JSON of a successful reply that no endpoint defines. */
export function readJsonReply(received: HostReply): unknown {
  rejectWebPage(received);
  return parse(received);
}

/** What is read has the status 200: another one says that a part of it is missing (206), or was made by a proxy (203). */
function isWhole({ route, mayBeEmpty }: Endpoint, { status, body }: HostReply): boolean {
  if (status === 200) return true;
  if (route.startsWith('GET ')) return status === 204 && mayBeEmpty && body === '';
  return status === 201 || status === 202 || status === 204;
}

/** Others have sent it, or changed it on the way: another try may get the platform's. */
function foreignReplyError({ host, status }: HostReply, what: string, cause?: unknown): UnavailableError {
  return new UnavailableError(`the reply of ${host} ${what} (HTTP ${status})`, {
    why: 'a proxy or a firewall may have replied in its place',
    status,
    retryable: true,
    cause,
  });
}

/** Without a length, the reply may as well have been cut off before its body. */
function isEmpty({ status, body, headers }: HostReply): boolean {
  const isAnnounced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return body === '' && (status === 204 || isAnnounced);
}

/** Only a list is read from chunks: anything else is not as long, or not from the platform. */
function readChunks(endpoint: Endpoint, received: HostReply, chunks: Buffer[]): unknown {
  const { reply } = endpoint;
  if (typeof reply !== 'object' || !startsList(chunks)) {
    const { chunks: _, ...others } = received;
    return readReply(endpoint, { ...others, body: Buffer.concat(chunks).toString('utf8') });
  }
  try {
    return readLongList(chunks, (items) => decode(endpoint, reply, items, received.status) as unknown[]);
  } catch (cause) {
    throw cause instanceof SyntaxError ? damagedError(received, cause) : cause;
  }
}

function decode({ route }: Endpoint, schema: GenericSchema, json: unknown, status: number): unknown {
  const result = safeParse(schema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const where = issue.path?.map((item) => String(item.key)).join('.') ?? 'the reply';
  throw new UnexpectedReplyError(`${route} returned an unexpected reply: ${where}: ${issue.message}`, { status });
}

/** The platform never replies with a web page: it comes from a proxy, a firewall or the login page of a network. */
export function rejectWebPage(received: HostReply): void {
  if (!isWebPage(received)) return;
  const { host, body, status } = received;
  const title = titleOf(body);
  const page = title ? `a web page ("${title}")` : 'a web page';
  throw new UnavailableError(`received ${page} instead of a reply from ${host} (HTTP ${status})`, {
    why: 'a proxy, a firewall or the login page of a network replied in its place',
    fix: gantryCommand`doctor`,
    status,
    retryable: true,
  });
}

const htmlStart = /^<(!--|(!doctype|html|head|body|title|meta|link|script|style|div|p|h[1-6]|center|table|form)\b)/i;

/** Some servers label plain text as HTML, so there must also be a tag. */
export function isWebPage({ body, headers }: Pick<HttpReply, 'body' | 'headers'>): boolean {
  const start = withoutMark(body).trimStart();
  if (htmlStart.test(start)) return true;
  const isLabelled = /^\s*(text\/html|application\/xhtml)/i.test(String(headers['content-type'] ?? ''));
  return isLabelled && !/^[[{"]/.test(start) && /<[a-z!/][^<>]*>/i.test(start);
}

function titleOf(body: string): string | undefined {
  const [, title = ''] = /<title[^>]{0,200}>([^<]{1,300})/i.exec(body.slice(0, 20_000)) ?? [];
  const text = title.replace(/\s+/g, ' ').trim();
  // Redaction recognizes the ellipsis: a secret may be truncated there.
  return (text.length > 100 ? `${text.slice(0, 100)}…` : text) || undefined;
}

const maxConfirmationLength = 4_096;

/** The text of a confirmation: plain text, or the message of JSON. Throws an error that came with status 200. */
function confirmation(received: HostReply): string {
  const { body } = received;
  const json = jsonOf(body);
  if (typeof json === 'string') return json;
  if (typeof json === 'object' && json !== null) return messageOf(json as Record<string, unknown>, received);
  const isPlain =
    body.length <= maxConfirmationLength && !/^\s*<[a-z?!/]|[\u0000-\u0008\ufffd]/i.test(withoutMark(body));
  if (isPlain) return withoutMark(body);
  throw foreignReplyError(received, 'is not a confirmation');
}

function messageOf(json: Record<string, unknown>, { status, body }: HostReply): string {
  const { error, errors, success, ok, message } = json;
  const text = typeof message === 'string' ? message : '';
  const hasErrors = typeof errors === 'object' ? Object.keys(errors ?? {}).length > 0 : Boolean(errors);
  if (!error && !hasErrors && success !== false && ok !== false) return text || body;
  const reason = text || (typeof error === 'string' ? error : stringifyJson(error ?? errors ?? json));
  throw new FailedError(reason, { why: `the platform returned an error (HTTP ${status})`, status });
}

function parse(received: HostReply): unknown {
  const text = withoutMark(received.body);
  try {
    return parseJson(text);
  } catch (cause) {
    if (/^\s*[[{"]/.test(text)) throw damagedError(received, cause);
    throw foreignReplyError(received, text.trim() === '' ? 'is empty' : 'is not JSON', cause);
  }
}

function damagedError({ status, host }: Pick<HostReply, 'status' | 'host'>, cause: unknown): ConnectionError {
  const lost = new ConnectionError(`the reply of ${host} is incomplete or damaged (HTTP ${status})`, true, cause);
  lost.facts.status = status;
  return lost;
}

/** Checks the first character, because an exception for each of thousands of files is slow. */
function jsonOf(text: string): unknown {
  if (!/^\ufeff?\s*["[{]/.test(text)) return undefined;
  return parseJsonOr(withoutMark(text), undefined);
}

/** Whether a body is a JSON list, by its first character. */
export function startsList(chunks: readonly Buffer[]): boolean {
  return /^\ufeff?\s*\[/.test(chunks[0]?.toString('utf8', 0, 64) ?? '');
}

/** Holds no items, but their text, which it parses at each reading. Empties `chunks`. Throws a SyntaxError. */
export function readLongList<Item>(chunks: Buffer[], read: (items: unknown[]) => Item[]): Iterable<Item> {
  const texts: Buffer[] = [];
  const unreadable = [];
  for (const { text, items } of splitList(chunks)) {
    for (const item of unreadableItems(read(items))) unreadable.push(item);
    texts.push(text);
  }
  const list: Iterable<Item> = {
    *[Symbol.iterator]() {
      for (const text of texts) yield* read(parseItems(text));
    },
  };
  markUnreadable(list, unreadable);
  return list;
}

const parseItems = (text: Buffer) => parseJson(`[${text}]`) as unknown[];

/**
 * The text between the brackets of a list, some items at a time. A comma after an object is between two items if what is
 * before it is JSON. Where it is not, more is held, and twice as much before the next try.
 */
function* splitList(chunks: Buffer[]): Generator<{ text: Buffer; items: unknown[] }> {
  let held: Buffer[] = [];
  let isFirst = true;
  let bytes = 0;
  let inVain = 0;
  const heldText = () => {
    const all = Buffer.concat(held);
    return isFirst ? all.subarray(all.indexOf('[') + 1) : all;
  };
  for (const [index, chunk] of chunks.entries()) {
    // The copy in a text replaces the chunk.
    chunks[index] = nothing;
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < 2 * inVain || !chunk.includes('},')) continue;
    const all = heldText();
    const text = all.subarray(0, all.lastIndexOf('},') + 1);
    const items = attempt(() => parseItems(text));
    inVain = items ? 0 : bytes;
    if (!items) continue;
    yield { text, items };
    isFirst = false;
    held = [all.subarray(text.length + 1)];
    bytes = all.length - text.length - 1;
  }
  const rest = heldText();
  const items = parseJson(`[${rest}`) as unknown[];
  if (items.length === 0 && !isFirst) throw new SyntaxError('there is nothing after the last comma');
  yield { text: rest.subarray(0, rest.lastIndexOf(']')), items };
}

const nothing = Buffer.alloc(0);
