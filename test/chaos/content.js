import { createCipheriv, createHash } from 'node:crypto';

/** @typedef {import('./types.ts').Content} Content */

/** The bytes that a content stands for. @param {Content} content */
export function bytesOf({ size, salt }) {
  const key = createHash('sha256').update(`chaos ${salt}`).digest();
  const bytes = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
  return Buffer.from(bytes);
}

/** @param {Buffer} bytes */
export function markOf(bytes) {
  return createHash('sha1').update(bytes).digest('hex');
}

/** @param {Content} content */
export function markOfContent(content) {
  return markOf(bytesOf(content));
}
