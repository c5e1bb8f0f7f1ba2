import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { audit } from './auditor.js';
import { temporaryFolder } from './in-memory.js';
import { kills } from './kills.js';
import { killMaps } from './map-kills.js';
import { perform } from './perform.js';
import { drawPlan } from './plans/index.js';
import { report } from './report.js';
import { killPulls } from './weights-kills.js';

const help = `Run gantry against a platform that misbehaves, and audit what is left behind.

USAGE
  npm run chaos -- [flags]
  npm run chaos -- --kills 200       kill deploys at random requests, and hold the next command against the platform
  npm run chaos -- --map-kills 100   kill a map at random calls, and compare its results with what its function has seen
  npm run chaos -- --pull-kills 20   kill a pull of weights at random bytes, and compare the volume with the hub

FLAGS
  --seeds <n>       how many seeds (default 100)
  --seed <s>        the first seed: a number, or "today" (default: now)
  --minutes <n>     stop after this long
  --seconds <n>     stop after this long
  --workers <n>     seeds at a time (default 2)
  --only <regex>    only plans of these kinds, for example copy or deploy
  --keep            keep the folders, and print a full report of each seed that failed
  --program <file>  the program to judge (default bin/gantry.cjs)
`;

process.env.TMPDIR = temporaryFolder();
process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      help: { type: 'boolean' },
      seconds: { type: 'string' },
      workers: { type: 'string' },
      only: { type: 'string' },
      keep: { type: 'boolean', default: false },
      program: { type: 'string' },
      kills: { type: 'string' },
      'map-kills': { type: 'string' },
      'pull-kills': { type: 'string' },
    },
  });
  const write = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
  if (values.help) {
    write(help);
    return 0;
  }
  const program = values.program ?? join(import.meta.dirname, '../../bin/gantry.cjs');
  if (!existsSync(program)) throw new Error(`there is no ${program}; npm run build makes it`);
  const first = firstSeed(values.seed);
  for (const [flag, kill] of Object.entries({ kills, 'map-kills': killMaps, 'pull-kills': killPulls })) {
    const count = Number(values[/** @type {'kills'} */ (flag)] ?? 0);
    if (count === 0) continue;
    const findings = await kill({ count, seed: first, program, write });
    write([`${count} kills from seed ${first}, ${findings.length} with findings`, ...findings].join('\n'));
    return findings.length === 0 ? 0 : 1;
  }
  const limitMs = values.minutes
    ? Number(values.minutes) * 60_000
    : values.seconds
      ? Number(values.seconds) * 1000
      : undefined;
  const count = values.seeds ? Number(values.seeds) : limitMs === undefined ? 100 : Number.POSITIVE_INFINITY;
  const only = values.only ? new RegExp(values.only, 'i') : undefined;
  const started = performance.now();
  const isOver = () => limitMs !== undefined && performance.now() - started > limitMs;
  write(`seeds from ${first}${only ? ` (only ${only})` : ''}`);

  let next = 0;
  let done = 0;
  /** @type {{ seed: number, kind: string, findings: string[] }[]} */
  const failures = [];
  const worker = async () => {
    while (next < count && !isOver()) {
      const seed = first + next++;
      const plan = drawPlan(seed, only);
      const { outcomes, folder, tokens, log } = await perform(plan, { program, keep: values.keep });
      const findings = audit(plan, outcomes, tokens);
      done++;
      if (findings.length === 0) continue;
      failures.push({ seed, kind: plan.kind, findings });
      write(`seed ${seed} (${plan.kind}): ${JSON.stringify(plan.steps.at(-1)?.commands[0]?.args)}`);
      for (const finding of findings.slice(0, 6)) write(`  ${JSON.stringify(finding).slice(1, -1)}`);
      if (values.keep) write(report(plan, outcomes, log, folder));
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers ?? 2) }, worker));
  const seconds = (performance.now() - started) / 1000;
  write(
    `${done} seeds in ${seconds.toFixed(1)} s (${(done / seconds).toFixed(1)} a second), ${failures.length} with findings`,
  );
  if (failures.length > 0) {
    write(
      `replay one with: npm run chaos -- --seed ${failures[0]?.seed} --seeds 1 --keep${only ? ` --only '${only.source}'` : ''}`,
    );
  }
  return failures.length === 0 ? 0 : 1;
}

/** A day has its own seeds, so that each run of CI tries others and all runs of one day the same. @param {string | undefined} text */
function firstSeed(text) {
  if (text === 'today') return Number(new Date().toISOString().slice(0, 10).replaceAll('-', '')) * 1000;
  const seed = text === undefined ? Math.floor(Date.now() / 1000) : Number(text);
  if (!Number.isInteger(seed)) throw new Error(`${text} is not a seed`);
  return seed;
}
