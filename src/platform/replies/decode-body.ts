import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../kernel/json-text.ts';

/** A body in a form that fits into JSON. */
export interface DecodedBody {
  body: unknown;
  encoding: 'json' | 'text' | 'base64';
}

/** Parses a body that is JSON, otherwise returns it as text, or as base64 if it is binary. */
export function decodeBody(bytes: Buffer): DecodedBody {
  if (!isUtf8(bytes)) return { body: bytes.toString('base64'), encoding: 'base64' };
  const text = bytes.toString('utf8');
  try {
    return { body: parseJson(text), encoding: 'json' };
  } catch {
    return { body: text, encoding: 'text' };
  }
}
