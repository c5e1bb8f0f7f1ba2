import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { audit } from './auditor.js';
import { perform } from './perform.js';
import { drawPlan } from './plans/index.js';
import { plantedBugs } from './planted-bugs.js';

const root = join(import.meta.dirname, '../..');

process.exitCode = await main();

/**
 * Proves the auditor: each planted bug is built into a copy of the sources, and has to be found. A finding counts only
 * for seeds at which the program without the bug has none.
 */
async function main() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      bug: { type: 'string' },
      workers: { type: 'string', default: '2' },
    },
  });
  const [first, most, workers] = [values.seed, values.seeds, values.workers].map(Number);
  const chosen = plantedBugs.filter(({ name }) => !values.bug || name.includes(values.bug));
  const reference = build({ name: 'no bug', edits: [] });
  let missed = 0;
  for (const bug of chosen) {
    const found = await find(bug, { reference, first: first ?? 1, most: most ?? 500, workers: workers ?? 2 });
    if (!found) missed++;
    const seeds = found ? `${found.tried} seeds` : `not in ${most} seeds`;
    process.stdout.write(
      `${bug.name.padEnd(28)} ${seeds.padEnd(18)} ${JSON.stringify(found?.finding ?? '').slice(1, 110)}\n`,
    );
  }
  process.stdout.write(`${chosen.length - missed} of ${chosen.length} planted bugs were found\n`);
  rmSync(reference, { recursive: true, force: true });
  return missed === 0 ? 0 : 1;
}

/**
 * @param {import('./planted-bugs.js').PlantedBug} bug
 * @param {{ reference: string, first: number, most: number, workers: number }} range
 */
async function find(bug, { reference, first, most, workers }) {
  const folder = build(bug);
  const program = join(folder, 'bin/gantry.cjs');
  /** @type {{ tried: number, finding: string } | undefined} */
  let found;
  let next = 0;
  const worker = async () => {
    while (!found && next < most) {
      const seed = first + next++;
      const tried = next;
      const finding = await firstFinding(seed, program);
      if (finding === undefined || (await firstFinding(seed, join(reference, 'bin/gantry.cjs'))) !== undefined)
        continue;
      found ??= { tried, finding };
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  rmSync(folder, { recursive: true, force: true });
  return found;
}

/** @param {number} seed @param {string} program */
async function firstFinding(seed, program) {
  const plan = drawPlan(seed);
  const { outcomes, tokens } = await perform(plan, { program });
  return audit(plan, outcomes, tokens)[0];
}

/** A copy of the program with the bug in it. Throws when the text to change is not there exactly once. @param {import('./planted-bugs.js').PlantedBug} bug */
function build({ name, edits }) {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-planted-'));
  for (const part of ['src', 'bin', 'build.js', 'build', 'package.json', 'tsconfig.json', 'LICENSE']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of edits) {
    const path = join(folder, file);
    const pieces = readFileSync(path, 'utf8').split(from);
    if (pieces.length !== 2) throw new Error(`${name}: ${file} has ${JSON.stringify(from)} ${pieces.length - 1} times`);
    writeFileSync(path, pieces.join(to));
  }
  execFileSync(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' });
  return folder;
}
