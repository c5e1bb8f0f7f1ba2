import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sayJson } from '../support/app-server.ts';
import { half } from '../support/extent.ts';
import { jsonLines, newFolder } from '../support/index.ts';
import { type Answer, type Line, mapping, numbers } from '../support/mapping.ts';

/** A call that has arrived at the app, and the run that its result names. */
interface Made {
  n: number;
  run: string;
}

/** What a command would leave if it was killed at one of its calls: its files, and all calls until then. */
interface Killed {
  folder: string;
  made: Made[];
}

const concurrency = 3;
const inputs = 8;

/** Each of these fails when it is called for the first time. */
const fails = new Set([0, 1, 2, 5]);

test.each([
  ['', '', ''],
  ['', '--retry-failed', '--retry-failed'],
  ['', '--retry-failed', ''],
  ['--retry-failed', '', '--retry-failed'],
])(
  'a map that is killed at any of its calls, twice, announces what it calls again: flags %j, %j and %j',
  async (...flags) => {
    const mapped = await mapper();
    const [first, second, third] = flags;
    const findings: string[] = [];
    for (const [at, one] of half([...(await mapped(first)).kills.entries()])) {
      const between = await mapped(second, one);
      for (const [later, two] of between.kills.entries()) {
        const last = await mapped(third, two);
        expect(last.results).toBe(inputs);
        for (const { again, announced } of [between, last])
          if (again > announced)
            findings.push(`killed at ${at} and ${later}: ${again} calls again, ${announced} announced`);
      }
    }
    expect(findings).toEqual([]);
  },
);

/** Runs the map, from what a killed one has left. */
async function mapper() {
  let made: Made[] = [];
  let kills: Killed[] = [];
  let cwd = '';
  const answer: Answer = async (response, { n }) => {
    const run = `r-${made.length}`;
    const isFirst = !made.some((one) => one.n === n);
    made.push({ n, run });
    const folder = newFolder();
    copyResults(cwd, folder);
    kills.push({ folder, made: [...made] });
    // Calls end in another order than they begin.
    await setTimeout(((made.length * 5) % 3) * 3);
    if (isFirst && fails.has(n)) return sayJson(response, { run_id: run, run_time_ms: 1, message: 'no' }, 500);
    sayJson(response, { run_id: run, run_time_ms: 1, result: n });
  };
  const map = await mapping(answer, { inputs: numbers(inputs) });
  return async (flags: string, before: Killed = { folder: newFolder(), made: [] }) => {
    cwd = newFolder({ 'in.jsonl': numbers(inputs) });
    copyResults(before.folder, cwd);
    [made, kills] = [[...before.made], []];
    const open = openInputs(before);
    const { stderr } = await map.run(`--concurrency ${concurrency} ${flags}`, { cwd });
    const [, announced = '0'] = /at most (\d+) calls? of these/.exec(stderr) ?? [];
    const again = made.slice(before.made.length).filter(({ n }) => open.includes(n)).length;
    return { kills, again, announced: Number(announced), results: linesOf(cwd).length };
  };
}

/** Inputs whose last call has no result. */
function openInputs({ folder, made }: Killed): number[] {
  const last = new Map(made.map(({ n, run }) => [n, run]));
  const runs = new Set(linesOf(folder).map(({ run }) => run));
  return [...last].filter(([, run]) => !runs.has(run)).map(([n]) => n);
}

function linesOf(folder: string): Line[] {
  const file = join(folder, 'out.jsonl');
  return existsSync(file) ? jsonLines(readFileSync(file, 'utf8') || '[]').flat() : [];
}

function copyResults(from: string, to: string): void {
  for (const name of readdirSync(from).filter((each) => /^out\.jsonl(?:\.gantry-map)?$/.test(each)))
    cpSync(join(from, name), join(to, name));
}
