import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Draw } from './draw.js';
import { ModelHub } from './model-hub.js';
import { start as startProgram } from './start.js';

const mib = 1024 * 1024;
/** What may be in memory, and is fetched again after a kill. */
const inFlightBytes = 64 * mib;

/**
 * Kills a pull of the built program after a random number of bytes, repeats it until it ends, and compares what is on the
 * volume with what the hub has. Gives what is wrong.
 * @param {{ count: number, bytes?: number, seed: number, program: string, write?: (text: string) => void }} options
 */
export async function killPulls({ count: cuts, bytes = 200 * mib, seed, program, write = () => {} }) {
  const draw = new Draw(seed);
  const files = { 'config.json': Buffer.from('{}'), 'a.bin': randomBytes(bytes), 'b.bin': randomBytes(7 * mib + 1) };
  const hub = await ModelHub.start({ 'org/model': { files, inGit: ['config.json'] } });
  const folder = mkdtempSync(join(tmpdir(), 'gantry-weights-kills-'));
  /** @type {string[]} */
  const findings = [];
  const environment = { PATH: process.env.PATH, HOME: folder, GANTRY_CONFIG_DIR: join(folder, 'settings'), ...hub.env };
  const start = (/** @type {string[]} */ words, /** @type {Record<string, string>} */ env) =>
    startProgram([program, ...words], { cwd: folder, env: { ...environment, ...env } });
  const variables = join(folder, 'variables.json');
  const emulator = start(['emulator', 'exec', '--', process.execPath, '-e', holdOpen, variables], {});
  try {
    const env = await variablesIn(variables);
    const total = Object.values(files).reduce((sum, file) => sum + file.length, 0);
    // Slow enough that a part ends between most kills.
    hub.rate = 30 * mib;
    let kills = 0;
    for (;;) {
      const { child, ended } = start(['cp', 'hf://org/model', ':/m'], env);
      const killAt = kills < cuts ? hub.sent + draw.int(1, Math.ceil((2 * total) / cuts)) : Number.POSITIVE_INFINITY;
      const watch = setInterval(() => hub.sent >= killAt && child.kill('SIGKILL'), 5);
      const { code, stderr } = await ended;
      clearInterval(watch);
      if (code !== null) {
        if (code !== 0) findings.push(`it ended with ${code}\n${stderr}`);
        break;
      }
      kills++;
    }
    for (const [name, content] of Object.entries(files)) {
      const { code } = await start(['cp', `:/m/${name}`, name], env).ended;
      if (code !== 0 || !readFileSync(join(folder, name)).equals(content)) findings.push(`${name} differs`);
    }
    const again = hub.sent - total;
    if (again > kills * inFlightBytes) findings.push(`${again} bytes were fetched again after ${kills} kills`);
    const before = hub.sent;
    const { code } = await start(['cp', '--lock'], env).ended;
    if (code !== 0 || hub.sent > before)
      findings.push(`the next pull ended with ${code} and moved ${hub.sent - before} bytes`);
    write(`${kills} kills in ${Math.round(total / mib)} MiB: ${Math.round(again / mib)} MiB were fetched again`);
  } finally {
    emulator.child.stdin.end();
    await emulator.ended;
    hub.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return findings;
}

/**
 * The variables of an emulator that runs until `emulator` ends.
 * @param {string} file where it writes them
 */
async function variablesIn(file) {
  while (!existsSync(file)) await sleep(20);
  const variables = JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('GANTRY_')));
}

const holdOpen = `
  const { renameSync, writeFileSync } = require('node:fs');
  writeFileSync(process.argv[1] + '.new', JSON.stringify(process.env));
  renameSync(process.argv[1] + '.new', process.argv[1]);
  process.stdin.resume();
`;
