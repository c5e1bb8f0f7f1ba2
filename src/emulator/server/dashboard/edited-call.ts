import type { InspectedCall } from '../../model/inspected-calls.ts';
import type { Sent } from './send-again.ts';
import { headText, textOf } from './shown-call.ts';

/** The fields of the form on the page of a call; none of them if it is sent as it was. */
export type CallForm = Partial<Record<'method' | 'path' | 'head' | 'body', string>>;

/**
 * What a form says to send. What was not edited is sent as it was, also where the page hides a secret; where an edited
 * text has a place of a hidden secret, nobody knows what belongs there. Returns what is wrong as text.
 */
export function readEditedCall(call: InspectedCall, form: CallForm, hide: (text: string) => string): Sent | string {
  const { method = call.method, path = hide(call.path), head } = form;
  if (!/^[A-Z]+$/.test(method)) return 'The method must be a word in capital letters, such as POST.';
  if (!/^\/[!-~]*$/.test(path)) return 'The path must begin with / and have no spaces: write them as %20.';
  const headers = head === undefined ? call.headers : readHeaders(call, lines(head), hide);
  const body = readBody(call, form.body, hide);
  const edited = path === hide(call.path) ? call.path : path;
  if (typeof headers === 'string') return headers;
  if (body === undefined || isHidden(edited)) return hiddenText;
  return { method, path: edited, headers, body };
}

const hiddenText = `Type the value where the text has [hidden]: it is a secret that this page does not show.`;

function isHidden(text: string): boolean {
  return text.includes('[hidden]');
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Lines that are as they were shown have the value that they had. */
function readHeaders({ headers }: InspectedCall, given: string[], hide: (text: string) => string) {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  );
  const known = new Map(pairs.map(([name = '', value = '']) => [headText({ [name]: value }, hide), value]));
  const read: Record<string, string[]> = {};
  for (const line of given) {
    const [, name, typed = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\0\r\n]*)$/.exec(line) ?? [];
    if (name === undefined) return `A header is one line, "name: value", not: ${line}`;
    const value = known.get(line) ?? typed;
    if (!known.has(line) && isHidden(value)) return hiddenText;
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) return `A header cannot have such characters: ${line}`;
    const key = name.toLowerCase();
    read[key] = [...(read[key] ?? []), value];
  }
  return read;
}

/** Undefined if a secret is missing. Forms send every line end as CRLF. */
function readBody({ body }: InspectedCall, given: string | undefined, hide: (text: string) => string) {
  if (given === undefined) return body.bytes;
  const before = textOf(body) ?? '';
  const typed = given.replaceAll('\r\n', '\n');
  if (typed === hide(before).replaceAll('\r\n', '\n')) return body.bytes;
  if (isHidden(typed)) return undefined;
  return Buffer.from(before.includes('\r\n') ? typed.replaceAll('\n', '\r\n') : typed);
}
