// What the parts that copy files compare: gantry and curl, and the server that both talk to.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** @import { Candidate } from './measure.js' */
/** @import { SinkOptions } from './sink.js' */

/** @typedef {{ key: string, cert: string }} Tls files */
/** @typedef {Awaited<ReturnType<typeof startSink>>} Sink */

/** @param {SinkOptions} options */
export function startSink(options) {
  return startServer('sink.js', options);
}

/**
 * Runs a server of this folder in a process of its own, which ends with this one.
 * @param {string} script
 * @param {unknown} options as JSON in its only argument
 */
export async function startServer(script, options) {
  const path = join(import.meta.dirname, script);
  const child = spawn(process.execPath, [path, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  const [url] = await once(child.stdout, 'data');
  return {
    url: String(url),
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}

/**
 * What it remembers of interrupted copies goes to the folder of the bench.
 * @param {Sink} sink
 * @param {string} folder
 * @param {{ name: string, words: string[], tls?: Tls, output?: string, files?: number, program?: string }} options
 * @returns {Candidate}
 */
export function gantry({ url }, folder, { words, tls, program = 'bin/gantry.cjs', ...rest }) {
  const login = { GANTRY_API_URL: url, GANTRY_TOKEN: 'bench', GANTRY_PROJECT: 'p-bench' };
  const trust = tls ? { NODE_EXTRA_CA_CERTS: tls.cert } : {};
  return {
    ...rest,
    command: [process.execPath, program, 'cp', ...words],
    env: { ...login, ...trust, GANTRY_CONFIG_DIR: join(folder, 'config') },
  };
}

export const hasCurl = spawnSync('curl', ['--parallel', '--version']).status === 0;

/** @typedef {{ atOnce: number, tls?: Tls | undefined }} CurlOptions */

/**
 * A PUT for each file.
 * @param {Sink} sink
 * @param {string} folder
 * @param {string[]} files
 * @param {CurlOptions} options
 */
export function curlPut({ url }, folder, files, options) {
  const requests = files.map((file, index) => ({
    url: `${url}/part/curl/${index}`,
    'upload-file': file,
    // It would wait for permission to send.
    output: '/dev/null',
    header: 'Expect:',
  }));
  return curl(join(folder, 'put.curl'), requests, options);
}

/**
 * A GET for each range, into a file each: curl writes them nowhere else.
 * @param {Sink} sink
 * @param {string} folder
 * @param {number} bytes
 * @param {CurlOptions & { partBytes: number }} options
 */
export function curlGet({ url }, folder, bytes, { partBytes, ...options }) {
  const output = join(folder, 'ranges');
  const requests = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => ({
    url: `${url}/file/file0.bin`,
    range: `${index * partBytes}-${Math.min(bytes, (index + 1) * partBytes) - 1}`,
    output: join(output, String(index)),
    'create-dirs': true,
  }));
  return curl(join(folder, 'get.curl'), requests, options).map((candidate) => ({ ...candidate, output }));
}

/**
 * One curl for all requests, or none if it is not installed.
 * @param {string} config file that is to hold them
 * @param {Record<string, string | boolean>[]} requests options of curl
 * @param {CurlOptions} options
 * @returns {Candidate[]}
 */
function curl(config, requests, { atOnce, tls }) {
  if (!hasCurl) return [];
  const all = { fail: true, silent: true, 'http1.1': true, ...(tls ? { cacert: tls.cert } : {}) };
  const text = (/** @type {Record<string, string | boolean>} */ request) =>
    Object.entries({ ...request, ...all })
      .map(([name, value]) => (value === true ? name : `${name} = "${value}"`))
      .join('\n');
  writeFileSync(config, requests.map(text).join('\nnext\n'));
  // -q: not the user's settings.
  return [{ name: 'curl', command: ['curl', '-q', '--parallel', '--parallel-max', String(atOnce), '-K', config] }];
}

/**
 * Writes the parts of a file as files of their own: curl sends nothing else.
 * @param {string} file
 * @param {string} folder
 * @param {number} partBytes
 */
export function cut(file, folder, partBytes) {
  mkdirSync(folder);
  const part = Buffer.alloc(partBytes);
  const handle = openSync(file, 'r');
  const count = Math.ceil(statSync(file).size / partBytes);
  const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
  for (const name of names) writeFileSync(name, part.subarray(0, readSync(handle, part)));
  closeSync(handle);
  return names;
}

/**
 * The ETag of parts that all have the content this file begins with.
 * @param {string} file
 * @param {number} partBytes
 */
export function etagOf(file, partBytes) {
  const part = Buffer.alloc(Math.min(partBytes, statSync(file).size));
  const handle = openSync(file, 'r');
  readSync(handle, part);
  closeSync(handle);
  return { [part.length]: createHash('md5').update(part).digest('hex') };
}

/**
 * A folder in which no disk is measured, where the system has files in memory and enough of it.
 * @param {string} folder
 * @param {number} bytes
 */
export function roomInMemory(folder, bytes) {
  const inMemory = '/dev/shm';
  const free = existsSync(inMemory) ? statfsSync(inMemory) : { bavail: 0, bsize: 0 };
  const room = mkdtempSync(join(free.bavail * free.bsize > 2 * bytes ? inMemory : folder, 'gantry-bench-'));
  process.once('exit', () => rmSync(room, { recursive: true, force: true }));
  return room;
}
