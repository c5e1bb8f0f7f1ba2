import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from '../chaos/in-memory.js';
import { searched } from './machine.ts';
import { ownEngine } from './own-engine.ts';

/**
 * Makes the machine of the whole suite before its workers start: a home, the programs that tests may find, git settings,
 * and no variable of the user but the suite's own. What is on the machine that runs the tests must not leak into them.
 */
export default function ownMachine(): () => void {
  const before = { ...process.env };
  const [TMPDIR, GANTRY_TEST_DISK] = [temporaryFolder(), realpathSync(tmpdir())];
  const folder = mkdtempSync(join(TMPDIR, 'tests-machine-'));
  const engine = ownEngine(join(folder, 'engine'), process.env.GANTRY_TEST_DOCKER ?? locate('podman'));
  const advice = process.env.GANTRY_TEST_ADVICE ?? join(folder, 'advice');
  const [PATH, GANTRY_TEST_GIT] = [makePath(folder), makePathOf(join(folder, 'git'), ['git'])];
  const found = {
    PATH,
    TMPDIR,
    GANTRY_TEST_DISK,
    GANTRY_TEST_GIT,
    GANTRY_TEST_SHELLS: shells(),
    GANTRY_TEST_ADVICE: advice,
    ...engine,
  };
  const own = { ...variables, ...makeHome(join(folder, 'home')), ...found };
  const kept = Object.entries(before).filter(([name]) => isKept(name));
  // Programs of Windows need many variables.
  become(process.platform === 'win32' ? before : { ...Object.fromEntries(kept), ...own });
  return () => {
    reportAdvice(advice);
    become(before);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}

/** How many different lines gantry has said to type: each was parsed (advice.ts). */
function reportAdvice(file: string): void {
  if (!existsSync(file)) return;
  const lines = new Set(readFileSync(file, 'utf8').trimEnd().split('\n'));
  process.stdout.write(`\n${lines.size} command lines that gantry says to type were parsed\n`);
}

const variables = {
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  SHELL: '/bin/sh',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/** Of the suite itself and of those who start it, such as the mutation run. */
const switches =
  /^(GANTRY_TEST|FUZZ_|MUTATION_|VITEST|__STRYKER|STRYKER|NODE_V8_COVERAGE$|NODE_ENV$|TMPDIR$)|^(TRIALS|SHOT|DBG|CHROMIUM)$/;

/** Only for the tests that are told to use the network. */
const forNetwork = /^(PIP_|UV_|SSL_CERT_|REQUESTS_CA|CURL_CA|NODE_EXTRA_CA)|^(https?|all|no)_proxy$/i;

function isKept(name: string): boolean {
  const { GANTRY_LIVE: live, GANTRY_TEST_PACKAGES: packages } = process.env;
  if (live === '1' && /^(GANTRY|CEREBRIUM)_/.test(name)) return true;
  return switches.test(name) || ((live ?? packages) === '1' && forNetwork.test(name));
}

function become(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Commits are signed by nobody. The checkout may belong to another user, as in a container. */
const gitSettings = `[user]
name = t
email = t@example.test
[init]
defaultBranch = main
[core]
fsync = none
[safe]
directory = *
`;

function makeHome(home: string): Record<string, string> {
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), gitSettings);
  return { HOME: home, GANTRY_TEST_HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') };
}

/** What tests, and the commands and apps that they start, may find. Another program on this machine changes nothing. */
const programs = [
  ...['sh', 'bash', 'env', 'git', 'npm', 'npx', 'curl', 'tar', 'gzip', 'gunzip', 'zip', 'unzip', 'zipinfo'],
  ...['awk', 'basename', 'cat', 'chmod', 'chown', 'cmp', 'cp', 'cut', 'date', 'dd', 'diff', 'dirname', 'du', 'echo'],
  ...['expr', 'false', 'find', 'grep', 'head', 'id', 'kill', 'ln', 'ls', 'mkdir', 'mkfifo', 'mktemp', 'mv', 'nice'],
  ...['nohup', 'od', 'paste', 'printenv', 'printf', 'ps', 'pwd', 'readlink', 'realpath', 'rm', 'rmdir', 'sed', 'seq'],
  ...['setsid', 'sha256sum', 'sleep', 'sort', 'split', 'stat', 'stty', 'tail', 'tee', 'test', 'timeout', 'touch', 'tr'],
  ...['true', 'truncate', 'tty', 'uname', 'uniq', 'wc', 'which', 'xargs', 'yes'],
  ...[
    'ip',
    'mount',
    'umount',
    'unshare',
    'prlimit',
    'script',
    'strace',
    'pytest',
    'chromium',
    'chromium-browser',
    'google-chrome',
  ],
  // The suite's Python has no pip.
  ...['base64', ...(process.env.GANTRY_TEST_PACKAGES === '1' ? ['uv'] : [])],
];

function makePath(folder: string): string {
  const links = makePathOf(join(folder, 'bin'), programs);
  symlinkSync(process.execPath, join(links, 'node'));
  return [...ownPython(links, join(folder, searched)), links].join(delimiter);
}

function makePathOf(links: string, names: readonly string[]): string {
  mkdirSync(links);
  for (const name of names) {
    const found = locate(name);
    if (found) symlinkSync(found, join(links, name));
  }
  return links;
}

/**
 * A Python without packages, found before the one that it is made of: what is installed on this machine must not leak into
 * an app, and a version manager's scripts and start-up hooks cost several times what Python itself takes to start. Nothing
 * where there is no Python: tests that need it are skipped.
 */
function ownPython(links: string, folder: string): string[] {
  try {
    const python = execFileSync('python3', ['-c', 'import sys; print(sys._base_executable)'], { encoding: 'utf8' });
    symlinkSync(realpathSync(python.trim()), join(links, 'python3'));
    execFileSync(join(links, 'python3'), ['-m', 'venv', '--without-pip', folder], { stdio: 'ignore' });
    return [join(folder, 'bin')];
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return [];
  }
}

/** Where zsh and fish are, for the tests that are about them. */
function shells(): string {
  const found = ['zsh', 'fish'].map((name) => [name, locate(name)]);
  return JSON.stringify(Object.fromEntries(found));
}

function locate(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
