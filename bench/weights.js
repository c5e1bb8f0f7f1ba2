// What `gantry cp https://…` makes of two lines: it receives at one and sends at the other, at the same time. At best it takes
// as long as the slower one. A file of zeros far larger than the memory tells how much of that is needed.
import { createHash } from 'node:crypto';
import { gantry, startSink } from './candidates.js';
import { takeStats } from './line.js';
import { timed } from './measure.js';

/** @import { Bench } from './run.js' */
/** @import { LineShape } from './shaped-line.js' */

/** MB. */
const memory = 200;

/** @param {Bench} bench */
export async function weights(bench) {
  const { quick, slower } = bench;
  const shape = (/** @type {number} */ rate) => ({ totalRate: rate / slower, delayMs: 20 * slower });
  const rows = [
    { title: 'source 40 MB/s, volume 20 MB/s', source: shape(40e6), target: shape(20e6), bytes: 300e6 },
    { title: 'source 20 MB/s, volume 40 MB/s', source: shape(20e6), target: shape(40e6), bytes: 300e6 },
    { title: 'source and volume 20 MB/s', source: shape(20e6), target: shape(20e6), bytes: 300e6 },
  ];
  for (const row of quick ? rows.slice(0, 1).map((one) => ({ ...one, bytes: 20e6 })) : rows)
    await relay(bench, row, 0.9);
  await relay(bench, { title: 'no limit', source: {}, target: {}, bytes: quick ? 2e8 : 100e9 });
}

/**
 * @param {Bench} bench
 * @param {{ title: string, source: LineShape, target: LineShape, bytes: number }} row
 * @param {number} [share] of the slower line
 */
async function relay({ folder, report, slower }, { title, source, target, bytes }, share) {
  report.begin(`${bytes / 1e6} MB, ${title}${slower === 1 ? '' : `, ${slower} times slower`}`);
  const [from, to] = await Promise.all([
    startSink({ line: source, folder: { files: 1, bytes } }),
    startSink({ line: target }),
  ]);
  const words = [`${from.url}/file/file0.bin`, ':/file', '--sha256', sha256OfZeros(bytes)];
  const [slow, rate] =
    (source.totalRate ?? 0) <= (target.totalRate ?? 0) ? [from, source.totalRate] : [to, target.totalRate];
  const run = await timed(gantry(to, folder, { name: 'gantry cp', words }));
  const { firstAt, lastAt } = await takeStats(slow);
  const measured = rate === undefined ? run : { ...run, share: bytes / ((lastAt - firstAt) / 1000) / rate };
  report.candidates(new Map([['gantry cp', [measured]]]), { 'gantry cp': { memory, ...(share && { share }) } });
  from.stop();
  to.stop();
}

/** @param {number} bytes */
function sha256OfZeros(bytes) {
  const hash = createHash('sha256');
  const zeros = Buffer.alloc(2 ** 20);
  for (let left = bytes; left > 0; left -= zeros.length) hash.update(zeros.subarray(0, Math.min(left, zeros.length)));
  return hash.digest('hex');
}
