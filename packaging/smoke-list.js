import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * How gantry is started: a program and the arguments before a command line, in an environment and a folder of its own.
 * With `wine`, it writes to files, because wine's pipes are not those of Windows, and apps do not run.
 * @typedef {{ command: string[], env: Record<string, string | undefined>, folder: string, uid?: number, wine?: true }} Installed
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
    for (const [title, words, check] of steps(installed, version)) {
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
 * @param {Installed} installed
 * @param {string} version
 * @returns {Step[]}
 */
function steps({ folder, wine }, version) {
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
  const greets = (/** @type {string} */ name) => prints(wine ? name : `Hello, ${name}!`);
  return [
    ['--version', ['--version'], ({ stdout }) => stdout.trim() !== version && `it is not ${version}`],
    ['--help', ['deploy', '--help'], prints('USAGE')],
    ['doctor', ['doctor'], prints('ok')],
    ['init', ['init', 'my-app'], () => !existsSync(join(folder, 'my-app/main.py')) && 'there is no main.py'],
    ['deploy', ['deploy', ...app, '--json=status'], prints('"succeeded"')],
    ['invoke', ['invoke', 'my-app', 'name=Ada'], greets('Ada')],
    ['invoke --async --wait', ['invoke', 'my-app', '--async', '--wait', '--json', 'name=Bob'], prints('my-app')],
    ['invoke --await-webhook', ['invoke', 'my-app', '--await-webhook', 'name=Grace'], greets('Grace')],
    ['logs', ['logs', 'my-app'], () => ''],
    ['run', ['run', ...app, '--json', 'main.py::run'], prints('run')],
    ['cp to a volume', ['cp', file, ':/model.bin'], () => ''],
    ['cp back', ['cp', ':/model.bin', back], () => !readFileSync(file).equals(readFileSync(back)) && 'bytes differ'],
    ['sync', ['sync', '--yes', join(folder, 'my-app'), ':/my-app'], () => ''],
    ['ls', ['ls', '-R', ':/my-app'], prints('main.py')],
    ['runs chart --html', ['runs', 'chart', 'web', '--html', page], () => !isPage(page) && 'it wrote no page'],
    [
      'deploy --dry-run -o',
      ['deploy', '--dry-run', ...app, '-o', archive],
      () => !isZip(archive) && 'it wrote no archive',
    ],
    ['emulator exec of gantry', ['emulator', 'exec', '--', 'gantry', 'apps', 'list'], prints('web')],
    ...(wine || process.platform === 'win32' ? [batchFile(folder)] : []),
    ['--debug', ['apps', 'list', '--debug'], prints('web')],
    ['--jq', ['apps', 'list', '--jq', '.[].name'], prints('web')],
    ['completion', ['completion', 'bash'], prints('complete -o default -F')],
    ['complete', ['complete', '--', 'dep'], prints('deploy')],
    ['help --json', ['help', '--json'], ({ stdout }) => !JSON.parse(stdout).commands.length && 'no commands'],
  ];
}

/**
 * Programs of npm are such files on Windows.
 * @param {string} folder
 * @returns {Step}
 */
function batchFile(folder) {
  writeFileSync(join(folder, 'hello.cmd'), '@echo hello %1\r\n');
  const says = (/** @type {Outcome} */ { stdout }) => !stdout.includes('hello "a b&c"') && 'it printed something else';
  return ['emulator exec of a .cmd file', ['emulator', 'exec', '--', 'hello.cmd', 'a b&c'], says];
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
  const started = await startForLines(installed, ['emulator', 'start', '--port', '0', '--json'], 'environment');
  return { environment: started.first.environment, stop: started.stop };
}

/**
 * Runs `gantry dev`, calls the app, changes it, and waits until the new code answers. Returns what is wrong.
 * @param {Installed} installed
 */
async function develop(installed) {
  const folder = join(installed.folder, 'my-app');
  const code = join(folder, 'main.py');
  const dev = await startForLines(installed, ['dev', folder, '--port', '0', '--json'], 'endpoint');
  try {
    const call = async () => {
      const headers = { authorization: `Bearer ${dev.first.token}`, 'content-type': 'application/json' };
      const reply = await fetch(`${dev.first.endpoint}/run`, { method: 'POST', headers, body: '{"name":"dev"}' });
      return reply.text();
    };
    const before = await call();
    if (installed.wine) return before.includes('dev') ? '' : `the app answered ${before}`;
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
 * Starts a command that prints lines of JSON and runs on, and waits for the one with this field.
 * @param {Installed} installed
 * @param {string[]} words
 * @param {string} field
 */
async function startForLines(installed, words, field) {
  const started = start(installed, words);
  let hasEnded = false;
  void started.ended.then(() => {
    hasEnded = true;
  });
  const found = () =>
    started
      .text()
      .stdout.split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .find((each) => field in each);
  while (!found()) {
    if (hasEnded) throw new Error(`gantry ${words.join(' ')} ended:\n${started.text().stderr}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    first: found(),
    stop: async () => {
      started.kill();
      await started.ended;
    },
  };
}

/**
 * @param {Installed} installed
 * @param {string[]} words
 * @returns {Promise<Outcome>}
 */
async function run(installed, words) {
  const started = start(installed, words);
  const timer = setTimeout(started.kill, 120_000, 'SIGKILL');
  const code = await started.ended;
  clearTimeout(timer);
  return { ...started.text(), code };
}

/**
 * @param {Installed} installed
 * @param {string[]} words
 */
function start({ command: [program = '', ...before], env, folder, uid, wine }, words) {
  starts++;
  const files = ['stdout', 'stderr'].map((name) => join(folder, `${name}-${starts}`));
  // The types of the library have no number of an open file.
  const opened = /** @type {any[]} */ (wine ? files.map((file) => openSync(file, 'w+')) : []);
  const [stdout = 'pipe', stderr = 'pipe'] = opened;
  const child = execa(program, [...before, ...words], {
    cwd: folder,
    env,
    extendEnv: false,
    buffer: false,
    reject: false,
    stdin: 'ignore',
    stdout,
    stderr,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const piped = [child.stdout, child.stderr].map(collect);
  return {
    kill: (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => child.kill(signal),
    ended: child.then(({ exitCode, signal, cause }) => {
      if (exitCode === undefined && signal === undefined) throw cause;
      return exitCode ?? null;
    }),
    text: () => {
      const [stdout = '', stderr = ''] = wine
        ? files.map((file) => readFileSync(file, 'utf8'))
        : piped.map((all) => all());
      return { stdout, stderr };
    },
  };
}

let starts = 0;

/** @param {import('node:stream').Readable | null} stream */
function collect(stream) {
  let all = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    all += chunk;
  });
  return () => all;
}

/** @param {string} folder */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
