// What `gantry cp` makes of a line: of one where each connection is slow, of a fast one, and of a slow one far away. Beside it
// the schedule of the official client (10 connections, parts of 5 MiB, one file after another; one request for a download),
// curl, and a few lines of Node that read and write nothing: what they do not reach here, this machine has not to give.
// Where the machine does not keep up, a line is slowed down: rates divided and delays multiplied by one number, which changes
// no share of the line. On a busy machine, --slower 8 does that to all.
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { curlGet, curlPut, gantry, roomInMemory, startSink } from './candidates.js';
import { timed } from './measure.js';
import { makeEqualFiles } from './trees.js';

/** @import { Sink } from './candidates.js' */
/** @import { Candidate, Run } from './measure.js' */
/** @import { Bench } from './run.js' */
/** @import { Schedule } from './schedule.js' */
/** @import { LineStats } from './shaped-line.js' */

const [mebibyte, gibibyte] = [2 ** 20, 2 ** 30];
/** MB, whatever is sent. */
const memory = 150;
const most = 32;
const slowConnections = slowed({ connectionRate: 25e6, totalRate: most * 25e6, delayMs: 20 }, 2);
const fast = { totalRate: 125e6, delayMs: 20 };
const far = { totalRate: 12e6, delayMs: 80 };
const official = { connections: 10, partBytes: 5 * mebibyte };

/**
 * @typedef {object} Row
 * @property {string} title
 * @property {Shape} shape
 * @property {number} bytes
 * @property {'all' | 'node' | 'none'} beside whom gantry is measured: the others would take minutes
 */

/** @typedef {{ connectionRate?: number, totalRate: number, delayMs: number }} Shape */

/** @param {Bench} bench */
export async function line(bench) {
  const slowTitle = `25 MB/s a connection up to ${most}, 20 ms each way, all twice as slow`;
  const fastTitle = '125 MB/s in common, 20 ms each way';
  const farTitle = '12 MB/s in common, 80 ms each way';
  /** @type {Row[]} */
  const rows = [
    { title: `300 MB, ${slowTitle}`, shape: slowConnections, bytes: 300e6, beside: 'all' },
    { title: `1 GiB, ${slowTitle}`, shape: slowConnections, bytes: gibibyte, beside: 'node' },
    { title: `300 MB, ${fastTitle}`, shape: fast, bytes: 300e6, beside: 'all' },
    { title: `1 GiB, ${fastTitle}`, shape: fast, bytes: gibibyte, beside: 'node' },
    { title: `5 GiB, ${fastTitle}`, shape: fast, bytes: 5 * gibibyte, beside: 'none' },
  ];
  const [first] = rows;
  const quickRows = first ? [{ ...first, title: `30 MB, ${slowTitle}`, bytes: 30e6 }] : [];
  for (const row of bench.quick ? quickRows : rows) {
    await copy(bench, row, 'up');
    await copy(bench, row, 'down');
  }
  await allAtOnce(bench, { title: farTitle, shape: far, bytes: bench.quick ? 10e6 : 300e6, beside: 'all' });
  await smallFiles(bench);
}

/**
 * @param {Bench} bench
 * @param {Row} row
 * @param {Schedule['direction']} direction
 */
async function copy({ folder, report, slower }, row, direction) {
  report.begin(`${direction}: ${row.title}${slower === 1 ? '' : `, ${slower} times slower`}`);
  const room = roomInMemory(folder, row.bytes);
  const shape = slowed(row.shape, slower);
  const sink = await startSink({ line: shape, folder: { files: 1, bytes: row.bytes } });
  const candidates = candidatesFor(sink, room, row, direction);
  /** @type {Map<string, Run[]>} */
  const runs = new Map(candidates.map(({ name }) => [name, []]));
  for (const candidate of candidates) {
    runs.get(candidate.name)?.push(await timedOn(sink, candidate, { ...row, shape }));
  }
  report.candidates(runs, targetsFor(row));
  sink.stop();
  rmSync(room, { recursive: true });
}

/**
 * @param {Shape} shape
 * @param {number} times
 * @returns {Shape}
 */
function slowed({ totalRate, delayMs, ...own }, times) {
  const { connectionRate } = own;
  const slower = { totalRate: totalRate / times, delayMs: delayMs * times };
  return connectionRate === undefined ? slower : { ...slower, connectionRate: connectionRate / times };
}

/**
 * A line so slow that nothing of it is felt here: each candidate has one of its own, at the same time.
 * @param {Bench} bench
 * @param {Row} row
 */
async function allAtOnce({ folder, report }, row) {
  for (const direction of /** @type {const} */ (['up', 'down'])) {
    report.begin(`${direction}: ${row.bytes / 1e6} MB, ${row.title}`);
    const each = [0, 1, 2, 3].map(async (index) => {
      const room = roomInMemory(folder, row.bytes);
      const sink = await startSink({ line: row.shape, folder: { files: 1, bytes: row.bytes } });
      const candidate = candidatesFor(sink, room, row, direction)[index];
      const run = candidate && { ...(await timedOn(sink, candidate, row)), cpu: undefined };
      sink.stop();
      rmSync(room, { recursive: true });
      return run ? [/** @type {[string, Run[]]} */ ([candidate.name, [run]])] : [];
    });
    report.candidates(new Map((await Promise.all(each)).flat()), targetsFor(row));
  }
}

const bareNode = 'node, nothing read or written';

/** @param {Row} row */
function targetsFor({ bytes, beside }) {
  const least = bytes > 300e6 ? 0.9 : 0.8;
  if (beside === 'none') return { 'gantry cp': { share: least, memory } };
  return { 'gantry cp': { over: [{ over: bareNode, of: /** @type {const} */ ('share'), least }], memory } };
}

/**
 * @param {Sink} sink
 * @param {string} room
 * @param {Row} row
 * @param {Schedule['direction']} direction
 * @returns {Candidate[]}
 */
function candidatesFor(sink, room, row, direction) {
  const { bytes } = row;
  const [source, output] = [join(room, 'source'), join(room, 'received')];
  if (direction === 'up') makeSparse(source, bytes);
  const isUp = direction === 'up';
  const bare = schedule(bareNode, {
    url: sink.url,
    direction,
    bytes,
    connections: most,
    partBytes: official.partBytes,
  });
  const words = isUp ? [source, ':/file'] : [':/file0.bin', output];
  const cp = gantry(sink, room, { name: 'gantry cp', words, output: isUp ? '' : output });
  if (row.beside !== 'all') return row.beside === 'node' ? [bare, cp] : [cp];
  const parts = isUp ? official : { connections: 1, partBytes: bytes };
  const file = isUp ? source : output;
  const go = schedule('official schedule', { url: sink.url, direction, bytes, ...parts, file });
  const options = { atOnce: most, partBytes: official.partBytes };
  const curl = isUp
    ? curlPut(sink, room, makeParts(join(room, 'parts'), bytes), options)
    : curlGet(sink, room, bytes, options);
  return [bare, { ...go, output: isUp ? '' : output }, ...curl, cp];
}

/**
 * @param {string} name
 * @param {Schedule} options
 * @returns {Candidate}
 */
function schedule(name, options) {
  return { name, command: [process.execPath, join(import.meta.dirname, 'schedule.js'), JSON.stringify(options)] };
}

/**
 * @param {Sink} sink
 * @param {Candidate} candidate
 * @param {Row} row
 * @returns {Promise<Run>} with the share of what the line gives from the first byte to the last
 */
async function timedOn(sink, candidate, { shape, bytes }) {
  await takeStats(sink);
  const run = await timed(candidate);
  const { firstAt, lastAt } = await takeStats(sink);
  return { ...run, share: bytes / ((lastAt - firstAt) / 1000) / shape.totalRate };
}

/**
 * @param {Sink} sink
 * @returns {Promise<LineStats>}
 */
export async function takeStats({ url }) {
  const reply = await new Promise((resolve, reject) => {
    get(`${url}/line`, { agent: false }, resolve).on('error', reject);
  });
  return JSON.parse(await text(reply));
}

/** Three calls a file up, two down, on lines whose delay is all that counts. @param {Bench} bench */
async function smallFiles({ folder, quick, report }) {
  const files = quick ? 200 : 5_000;
  const one = quick ? 10 : 50;
  const tree = join(folder, 'line-files');
  makeEqualFiles(tree, files, 4096);
  const room = roomInMemory(folder, files * 4096);
  const target = join(room, 'tree');
  const small = { bytes: 4096, partBytes: 4096, connections: 1, files: one };
  const [up, down] = [/** @type {const} */ ('up'), /** @type {const} */ ('down')];
  for (const { direction, calls, words, output } of [
    { direction: up, calls: 3, words: [tree, ':/tree'], output: '' },
    { direction: down, calls: 2, words: [':/', target], output: target },
  ]) {
    // A server of its own: what is sent up would come down.
    const sink = await startSink({ line: { delayMs: 20 }, folder: { files, bytes: 4096 } });
    report.begin(`${direction}: ${files} files of 4 KB, 20 ms each way (${one} with the official schedule)`);
    const cp = await timed(gantry(sink, folder, { name: 'gantry cp', words, output, files }));
    const ideal = (files * calls * 40) / inFlight;
    const other = { ...small, url: sink.url, direction };
    const bare = await timed(schedule(bareNode, { ...other, files, filesAtOnce: inFlight }));
    const runs = new Map([
      [bareNode, [{ ...bare, files, share: ideal / bare.ms }]],
      ['official schedule', [{ ...(await timed(schedule('official schedule', other))), files: one }]],
      ['gantry cp', [{ ...cp, share: ideal / cp.ms }]],
    ]);
    report.candidates(runs, { 'gantry cp': { share: 0.8, memory, over: [{ over: bareNode, of: 'share' }] } });
    sink.stop();
  }
  rmSync(room, { recursive: true });
  rmSync(tree, { recursive: true });
}

/** Small files in flight on the line that gantry is measured by: it has twice as many itself. */
const inFlight = 64;

/**
 * Of zeros that take no room on the disk.
 * @param {string} path
 * @param {number} bytes
 */
function makeSparse(path, bytes) {
  writeFileSync(path, '');
  truncateSync(path, bytes);
}

/**
 * @param {string} folder
 * @param {number} bytes
 */
function makeParts(folder, bytes) {
  mkdirSync(folder, { recursive: true });
  const count = Math.ceil(bytes / official.partBytes);
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, String(index));
    makeSparse(path, Math.min(official.partBytes, bytes - index * official.partBytes));
    return path;
  });
}
