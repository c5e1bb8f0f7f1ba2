// How other programs copy, in a few lines, for line.js: so many connections, parts of one size, so many files at once.
// node bench/schedule.js '{ "url": …, "words": ["up", …] }': without a file it sends bytes from memory and drops what it gets,
// which is what Node itself can do.
import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';

/**
 * @typedef {object} Schedule
 * @property {string} url
 * @property {'up' | 'down'} direction
 * @property {number} connections
 * @property {number} bytes of each file
 * @property {number} partBytes of an upload or a download
 * @property {number} [files]
 * @property {number} [filesAtOnce] each with its own connections; 1 if undefined
 * @property {string} [file] where the bytes are from, or go to
 */

/** @type {Schedule} */
const given = JSON.parse(process.argv[2] ?? '');
const { url, direction, connections, bytes, partBytes, files = 1, filesAtOnce = 1, file } = given;
const agent = new Agent({ keepAlive: true, maxSockets: connections * filesAtOnce });
const zeros = Buffer.alloc(partBytes);
/** A longer piece of a reply is content. */
const maxKept = 2 ** 14;

const copy = direction === 'up' ? upload : download;
await inTurn(files, filesAtOnce, copy);
agent.destroy();

/** @param {number} index */
async function upload(index) {
  const count = Math.ceil(bytes / partBytes);
  const begun = JSON.parse(await post('initialize', { file_path: `/file${index}`, part_count: count }));
  const source = file && openSync(file, 'r');
  const parts = await eachPart(async (number, offset, length) => {
    const content = source ? Buffer.allocUnsafe(length) : zeros.subarray(0, length);
    if (source) readSync(source, content, 0, length, offset);
    const { etag } = (await call(begun.parts[number].url, { method: 'PUT' }, content)).headers;
    return { part_number: number + 1, etag };
  });
  if (source) closeSync(source);
  await post('complete', { upload_id: begun.upload_id, file_path: `/file${index}`, parts });
}

/** @param {number} index */
async function download(index) {
  const asked = await call(`${url}/volumes/v/download?file_path=/file${index}.bin`, { method: 'GET' });
  const { url: from } = JSON.parse(asked.body);
  await eachPart(async (_, offset, length) => {
    const range = length < bytes ? { range: `bytes=${offset}-${offset + length - 1}` } : {};
    await call(from, { method: 'GET', headers: range }, undefined, file);
  });
}

/**
 * @template T
 * @param {(number: number, offset: number, length: number) => Promise<T>} work
 * @returns {Promise<T[]>}
 */
function eachPart(work) {
  return inTurn(Math.ceil(bytes / partBytes), connections, (number) => {
    const offset = number * partBytes;
    return work(number, offset, Math.min(partBytes, bytes - offset));
  });
}

/**
 * @template T
 * @param {number} count
 * @param {number} atOnce
 * @param {(number: number) => Promise<T>} work
 * @returns {Promise<T[]>}
 */
async function inTurn(count, atOnce, work) {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  /** @type {T[]} */
  const results = [];
  const worker = async () => {
    for (const number of numbers) results[number] = await work(number);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/**
 * @param {string} step
 * @param {object} body
 */
async function post(step, body) {
  return (await call(`${url}/volumes/v/cp/${step}`, { method: 'POST' }, Buffer.from(JSON.stringify(body)))).body;
}

/**
 * The body of the reply is kept if it is short.
 * @param {string} target
 * @param {import('node:http').RequestOptions} options
 * @param {Buffer} [content]
 * @param {string} [saveAs]
 * @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders, body: string }>}
 */
function call(target, options, content, saveAs) {
  return new Promise((resolve, reject) => {
    const sent = request(target, { ...options, agent }, (reply) => {
      if (Number(reply.statusCode) > 299) reject(new Error(`HTTP ${reply.statusCode} ${reply.statusMessage}`));
      const { headers } = reply;
      if (saveAs)
        return void pipeline(reply, createWriteStream(saveAs)).then(() => resolve({ headers, body: '' }), reject);
      let body = '';
      reply.on('data', (chunk) => {
        if (chunk.length < maxKept) body += chunk;
      });
      reply.on('end', () => resolve({ headers, body }));
    });
    sent.on('error', reject);
    sent.setHeader('content-length', content?.length ?? 0);
    sent.end(content);
  });
}
