// What hostile text costs: each kind is cleaned in a process of its own and compared with ordinary log text.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { inTurns } from './measure.js';

const base = 'ordinary';

/** Text that makes a careless pattern start again at every position. @type {Record<string, string>} */
const units = {
  [base]:
    '\u001b[2m2026-11-20 14:00:05\u001b[0m INFO GET https://example.test/items?page=2 200, token cache hit, a=b\n',
  'half tokens': 'eyJ-',
  addresses: 'http://',
  'encoded addresses': 'http%3A%2F%2F',
  parameters: 'token=a&',
  'signed links': 'https://a?Signature=1 ',
  headers: 'authorization: Bearer ',
  'empty lines': '\n',
  'hashes and colors': '#\u001b[m',
  colors: '\u001b[1m',
  'unfinished titles': '\u001b]0;',
  'unfinished titles, 8 bits': '\u009d',
};

/** How many times the cost of ordinary text hostile text may have. */
const most = 3;

/** @param {import('./run.js').Bench} bench */
export async function hostile({ folder, quick, report }) {
  const length = quick ? 100_000 : 10_000_000;
  const script = await bundleScript(folder);
  const candidates = Object.entries(units).map(([name, unit]) => ({
    name,
    command: [process.execPath, script, String(length), unit],
  }));
  report.begin(`Cleaning ${length / 1e6} MB of hostile text`);
  const runs = await inTurns(candidates, quick ? 1 : 5);
  const compared = candidates.slice(1).map(({ name }) => [name, { over: [{ over: base, most }] }]);
  report.candidates(runs, Object.fromEntries(compared));
}

/** @param {string} folder */
async function bundleScript(folder) {
  const script = join(folder, 'hostile.mjs');
  const bundle = await rolldown({ input: join(import.meta.dirname, 'sanitize-text.js'), platform: 'node' });
  await bundle.write({ file: script, format: 'esm' });
  return script;
}
