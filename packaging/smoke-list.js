import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import crossSpawn from 'cross-spawn';

/**
 * How gantry is started: a program and the arguments before a command line, in an environment and a folder of its own.
 * @typedef {{ command: string[], env: Record<string, string | undefined>, folder: string, uid?: number }} Installed
 * @typedef {{ stdout: string, stderr: string, code: number | null }} Outcome
 * @typedef {[title: string, words: string[], check: (outcome: Outcome) => unknown]} Step `check` returns what is wrong
 */

/**
 * Does with an installed gantry what a user does in the first hour, against its own emulator. Prints a line for each
 * step, and returns how many passed and failed.
 * @param {Installed} installed
 * @param {string} version
 */
export async function smoke(installed, version) {
  const count = { passed: 0, failed: 0 };
  const report = (/** @type {string} */ title, /** @type {number} */ start, /** @type {string} */ problem) => {
    count[problem ? 'failed' : 'passed']++;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(
      `${problem ? 'FAIL' : 'ok  '} ${seconds.padStart(5)} s  ${title}${problem && `\n${problem}`}\n`,
    );
  };
  mkdirSync(installed.folder, { recursive: true });
  const emulator = await startEmulator(installed);
  const inside = { ...installed, env: { ...installed.env, ...emulator.environment } };
  try {
    for (const [title, words, check] of steps(installed.folder, version)) {
      const start = performance.now();
      const outcome = await run(inside, words);
      const wrong = outcome.code === 0 ? check(outcome) : 'it failed';
      report(title, start, wrong ? `${wrong}\n${JSON.stringify({ words, ...outcome }, null, 2)}` : '');
    }
    const start = performance.now();
    report('dev serves the app, and again after a change', start, await develop(installed));
  } finally {
    await emulator.stop();
  }
  return count;
}

/**
 * @param {string} folder
 * @param {string} version
 * @returns {Step[]}
 */
function steps(folder, version) {
  const file = join(folder, 'model.bin');
  const back = join(folder, 'back.bin');
  const page = join(folder, 'chart.html');
  const archive = join(folder, 'app.zip');
  writeFileSync(file, randomBytes(12_000_000));
  const app = ['-C', join(folder, 'my-app')];
  const prints =
    (/** @type {string} */ text) =>
    (/** @type {Outcome} */ { stdout }) =>
      stdout.includes(text) ? '' : `stdout lacks ${text}`;
  return [
    ['--version', ['--version'], ({ stdout }) => stdout.trim() !== version && `it is not ${version}`],
    ['--help', ['deploy', '--help'], prints('USAGE')],
    ['doctor', ['doctor'], prints('ok')],
    ['init', ['init', 'my-app'], () => !existsSync(join(folder, 'my-app/main.py')) && 'there is no main.py'],
    ['deploy', ['deploy', ...app, '--json=status'], prints('"success"')],
    ['invoke', ['invoke', 'my-app', 'name=Ada'], prints('Hello, Ada!')],
    ['invoke --async --wait', ['invoke', 'my-app', '--async', '--wait', '--json', 'name=Bob'], prints('my-app')],
    ['invoke --await-webhook', ['invoke', 'my-app', '--await-webhook', 'name=Grace'], prints('Hello, Grace!')],
    ['logs', ['logs', 'my-app'], () => ''],
    ['run', ['run', 'main.py::run', ...app, '--json'], prints('run')],
    ['cp to a volume', ['cp', file, ':/model.bin'], () => ''],
    ['cp back', ['cp', ':/model.bin', back], () => !readFileSync(file).equals(readFileSync(back)) && 'bytes differ'],
    ['sync', ['sync', '--yes', join(folder, 'my-app'), ':/my-app'], () => ''],
    ['ls', ['ls', '-R', ':/my-app'], prints('main.py')],
    ['runs chart --html', ['runs', 'chart', 'web', '--html', page], () => !isPage(page) && 'it wrote no page'],
    ['package', ['package', ...app, '-o', archive], () => !isZip(archive) && 'it wrote no archive'],
    ['emulator exec of gantry', ['emulator', 'exec', '--', 'gantry', 'apps', 'list'], prints('web')],
    ['completion', ['completion', 'bash'], prints('complete -o default -F')],
    ['complete', ['complete', '--', 'dep'], prints('deploy')],
    ['reference', ['reference', '--json'], ({ stdout }) => !JSON.parse(stdout).commands.length && 'no commands'],
  ];
}

/** @param {string} file */
function isPage(file) {
  return existsSync(file) && /<html[\s\S]*uPlot/.test(readFileSync(file, 'utf8'));
}

/** @param {string} file */
function isZip(file) {
  return existsSync(file) && readFileSync(file).subarray(0, 2).toString() === 'PK';
}

/** @param {Installed} installed */
async function startEmulator(installed) {
  const started = await startForLines(installed, ['emulator', 'start', '--port', '0', '--json']);
  return { environment: started.first.environment, stop: started.stop };
}

/**
 * Runs `gantry dev`, calls the app, changes it, and waits until the new code answers. Returns what is wrong.
 * @param {Installed} installed
 */
async function develop(installed) {
  const folder = join(installed.folder, 'my-app');
  const code = join(folder, 'main.py');
  const dev = await startForLines(installed, ['dev', folder, '--port', '0', '--json']);
  try {
    const call = async () => {
      const headers = { authorization: `Bearer ${dev.first.token}`, 'content-type': 'application/json' };
      const reply = await fetch(`${dev.first.endpoint}/run`, { method: 'POST', headers, body: '{"name":"dev"}' });
      return reply.text();
    };
    const before = await call();
    if (!before.includes('Hello, dev!')) return `the app answered ${before}`;
    writeFileSync(code, readFileSync(code, 'utf8').replace('Hello', 'Bonjour'));
    for (let left = 100; left > 0; left--) {
      if ((await call()).includes('Bonjour, dev!')) return '';
      await new Promise((done) => setTimeout(done, 200));
    }
    return 'the change is not served after 20 seconds';
  } finally {
    await dev.stop();
  }
}

/**
 * Starts a command that prints a line of JSON and runs on.
 * @param {Installed} installed
 * @param {string[]} words
 */
async function startForLines(installed, words) {
  const child = start(installed, words);
  const ended = new Promise((done) => child.once('close', done));
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const line = await new Promise((resolve) => {
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).once('line', resolve);
    void ended.then(resolve);
  });
  if (typeof line !== 'string') throw new Error(`gantry ${words.join(' ')} ended:\n${stderr}`);
  return {
    first: JSON.parse(line),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/**
 * @param {Installed} installed
 * @param {string[]} words
 * @returns {Promise<Outcome>}
 */
async function run(installed, words) {
  const child = start(installed, words);
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    text.stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text.stderr += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  clearTimeout(timer);
  return { ...text, code };
}

/**
 * @param {Installed} installed
 * @param {string[]} words
 */
function start({ command: [program = '', ...before], env, folder, uid }, words) {
  // Windows starts no .cmd file without a shell.
  const spawnProgram = process.platform === 'win32' ? crossSpawn : spawn;
  return spawnProgram(program, [...before, ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
}

/** @param {string} folder */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
