// Commands are timed in turns, so that a busy machine is busy for all of them.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {string[]} command the program and its arguments
 * @property {string} [cwd]
 * @property {Record<string, string>} [env] beside those that every command gets
 * @property {string} [output] a file or folder it writes: removed before and after each run
 * @property {() => void} [prepare] called before each run, which it is no part of
 * @property {number} [files] how many it moves: compared is the time for one of them
 */

/**
 * @typedef {object} Run
 * @property {number} ms from start to exit
 * @property {number | undefined} peak memory in bytes, where the system tells
 * @property {number | undefined} cpu seconds of all processors together, where the system tells
 * @property {number} files
 * @property {number} [share] of what a line gives (line.js)
 */

/** @typedef {{ median: number, low: number, high: number }} Spread the middle, and where the middle half lies */

/**
 * Every round runs every candidate once, each second one in reverse: nobody always comes after the same neighbour and
 * what that left behind. What is read first is warm for all: a round before the first does not count, but for a single
 * round, which nobody takes for a measurement of time.
 * @param {Candidate[]} candidates
 * @param {number} rounds
 * @returns {Promise<Map<string, Run[]>>} by name
 */
export async function inTurns(candidates, rounds) {
  /** @type {Map<string, Run[]>} */
  const runs = new Map(candidates.map(({ name }) => [name, []]));
  for (let round = rounds === 1 ? 1 : 0; round <= rounds; round++) {
    for (const candidate of round % 2 === 0 ? candidates : candidates.toReversed()) {
      const run = await timed(candidate);
      if (round > 0) runs.get(candidate.name)?.push(run);
    }
  }
  return runs;
}

/**
 * @param {Candidate} candidate
 * @returns {Promise<Run>}
 */
export async function timed({ name, command: [program = '', ...words], cwd, env, output, prepare, files = 1 }) {
  const remove = () => output && rmSync(output, { recursive: true, force: true });
  remove();
  prepare?.();
  const cpuBefore = cpuOfChildren();
  const started = performance.now();
  const child = spawn(program, words, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Before what it writes into is removed.
  const kill = () => child.kill('SIGKILL');
  process.prependOnceListener('exit', kill);
  const memory = watchMemory(child.pid);
  let said = '';
  child.stdout.resume();
  child.stderr.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const ms = performance.now() - started;
  process.off('exit', kill);
  const peak = memory.stop();
  const cpu = cpuBefore === undefined ? undefined : (cpuOfChildren() ?? Number.NaN) - cpuBefore;
  remove();
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${said}`);
  return { ms, peak, cpu, files };
}

/**
 * Neither settings of the user nor of the shell: NODE_EXTRA_CA_CERTS alone costs each process more than it takes to
 * start.
 */
export function cleanEnvironment() {
  const kept = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP'];
  const found = kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...Object.fromEntries(found), LANG: 'C.UTF-8', GANTRY_CONFIG_DIR: '/nonexistent' };
}

/**
 * The kernel keeps the highest mark itself, so that only what comes in the last moment before the end is missed.
 * @param {number | undefined} pid
 */
function watchMemory(pid) {
  /** @type {number | undefined} */
  let peak;
  const look = () => {
    peak = highWaterMark(pid) ?? peak;
  };
  const timer = process.platform === 'linux' ? setInterval(look, memoryEveryMs) : undefined;
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

const memoryEveryMs = 10;

/** @param {number | undefined} pid */
function highWaterMark(pid) {
  try {
    const kibibytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)?.[1];
    return kibibytes ? Number(kibibytes) * 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds that all children took which have ended: user and system, in ticks of a hundredth. */
function cpuOfChildren() {
  if (process.platform !== 'linux') return undefined;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * How long a candidate takes in terms of another one, round by round: what slows a whole round down cancels out.
 * @param {Run[]} runs
 * @param {Run[]} base
 * @param {'ms' | 'cpu' | 'peak' | 'share'} of
 */
export function ratio(runs, base, of) {
  const each = (/** @type {Run | undefined} */ run) => (run?.[of] ?? Number.NaN) / (run?.files ?? 1);
  return spread(runs.map((run, round) => each(run) / each(base[round])));
}

/**
 * @param {number[]} numbers
 * @returns {Spread}
 */
export function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** @param {string} program */
export function isInstalled(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
