import { isUtf8 } from 'node:buffer';

/** A body as a program can take it: parsed where it is JSON, otherwise text, otherwise base64. */
export interface Content {
  body: unknown;
  encoding: 'json' | 'text' | 'base64';
}

export function contentOf(bytes: Buffer): Content {
  if (!isUtf8(bytes)) return { body: bytes.toString('base64'), encoding: 'base64' };
  const text = bytes.toString('utf8');
  try {
    return { body: JSON.parse(text), encoding: 'json' };
  } catch {
    return { body: text, encoding: 'text' };
  }
}
