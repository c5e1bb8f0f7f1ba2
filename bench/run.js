// npm run bench [-- start-up packing] [--quick] [--slower 16]: gantry against what else is on this machine, in ratios of one run.
// A missed target is said, not punished: machines differ.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { growth } from './growth.js';
import { hostile } from './hostile.js';
import { line } from './line.js';
import { live } from './live.js';
import { packing } from './packing.js';
import { Report } from './report.js';
import { startUp } from './start-up.js';
import { transfer } from './transfer.js';
import { weights } from './weights.js';

/** @type {Record<string, (bench: Bench) => Promise<void>>} */
const parts = { 'start-up': startUp, packing, transfer, line, weights, live, hostile, growth };

/**
 * @typedef {object} Bench
 * @property {string} folder for whatever a part writes; removed in the end
 * @property {boolean} quick smaller trees, fewer rounds: to see that all works, not to judge
 * @property {number} slower how many times slower the lines of line.js are than they say, on a busy machine
 * @property {Report} report
 */

const options = /** @type {const} */ ({ quick: { type: 'boolean' }, slower: { type: 'string', default: '1' } });
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const unknown = positionals.find((name) => !(name in parts));
if (unknown) {
  process.stderr.write(`there is no part ${unknown}; there are ${Object.keys(parts).join(', ')}\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
// Every program that a part starts ends with this one.
process.setMaxListeners(0);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const report = new Report(process.stdout);
report.text(`node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} processors`);
if (values.quick) report.text('--quick: small trees and few rounds; the ratios are rough');
for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  await parts[name]?.({ folder, quick: values.quick === true, slower: Number(values.slower), report });
}
report.verdict();
