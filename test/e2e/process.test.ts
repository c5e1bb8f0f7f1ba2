import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { version } from '../../src/kernel/version.ts';
import { emulatorForEach, expectNoTrace, gantry, newFolder, smallApp, withoutHome } from '../support/index.ts';
import { joiningProxy, overHttps } from '../support/proxy.ts';
import { bin, cleanEnvironment, run, start } from './binary.ts';

// The apps of these tests need not run: what is tested is the process of gantry.
const emulator = emulatorForEach({ real: false });

const env = (more: Record<string, string> = {}) => cleanEnvironment(emulator, more);

describe.runIf(process.platform === 'linux')('stdout on a full disk', () => {
  test.each([[['--version']], [['apps', 'list', '--json']], [['completion', 'bash']]])(
    '%j exits with 1 and says so',
    async (words) => {
      const app = newFolder(smallApp());
      const script = `"${process.execPath}" "${bin}" ${words.join(' ')} > /dev/full`;
      const { exitCode, stderr } = await execa('bash', ['-c', script], { cwd: app, env: env(), reject: false });
      expect(stderr).toContain('error: cannot write to stdout: no space left on device');
      expect(stderr).not.toContain('mistake in gantry');
      expect(exitCode).toBe(1);
    },
  );

  test.each(['help --json', '--help'])('that fills up in the middle of %s is an error', async (words) => {
    // The file may have one block: the system takes the beginning, without an error.
    const script = `trap '' XFSZ; ulimit -f 1; "${process.execPath}" "${bin}" ${words} > out`;
    const { exitCode, stderr } = await execa('bash', ['-c', script], { cwd: newFolder(), env: env(), reject: false });
    expect(stderr).toBe('error: cannot write to stdout: file too large');
    expect(exitCode).toBe(1);
  });
});

describe('the built program', () => {
  test.each([[[]], [['builds', 'cancel']]])('%s --help is the help of the sources', async (words) => {
    const { exitCode, stdout, stderr } = await run([...words, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe((await gantry([...words, '--help', '--color', 'never'])).stdout);
  });

  test.each([
    ['apps', 'list'],
    ['cp', '{url}/file', ':/file', '--sha256', 'a'.repeat(64)],
  ])('trusts the authorities of SSL_CERT_FILE and NODE_EXTRA_CA_CERTS: %s', async (...words) => {
    const [https, proxy, place] = [await overHttps(emulator.url), await joiningProxy(), newFolder()];
    vi.unstubAllEnvs();
    const lead = {
      GANTRY_API_URL: https,
      HTTPS_PROXY: proxy.url,
      GANTRY_TOKEN: 'another-token',
      GANTRY_INFERENCE_URL: '',
    };
    const line = words.map((word) => word.replace('{url}', https));
    const said = async (more: Record<string, string>) =>
      String((await run(line, { env: env({ ...lead, ...more }), cwd: place })).stderr);
    expect(await said({})).toContain('its certificate is');
    expect(await said({ SSL_CERT_FILE: 'no-such-file' })).toContain('its certificate is');
    const own = resolve('fixtures/tls/cert.pem');
    const another = join(newFolder({ 'ca.pem': rootCertificates[0] ?? '' }), 'ca.pem');
    expect(await said({ SSL_CERT_FILE: own })).not.toContain('certificate');
    for (const other of ['no-such-file', another])
      expect(await said({ NODE_EXTRA_CA_CERTS: own, SSL_CERT_FILE: other })).not.toContain('certificate');
  });

  test('starts through a symbolic link, as npm creates one', async () => {
    const link = join(newFolder(), 'gantry');
    symlinkSync(bin, link);
    const { stdout } = await execa(link, ['--version'], { env: cleanEnvironment(), extendEnv: false });
    expect(stdout).toBe(version);
  });

  test('deploys with only the URL on stdout', async () => {
    const { exitCode, stdout, stderr } = await run(['deploy'], { cwd: newFolder(smallApp()), env: env() });
    expect(stderr).toContain('web is live');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${emulator.url}/v4/${emulator.project}/web\n`);
    expectNoTrace({ stdout: String(stdout), stderr: String(stderr) }, emulator);
  });

  test('draws the caret below wide characters, for which it loads another file', async () => {
    const app = newFolder({ 'cerebrium.toml': '[cerebrium.deployment]\nname = "漢字"\n' });
    const { exitCode, stderr } = await run(['check'], { cwd: app });
    expect(exitCode).toBe(10);
    expect(stderr).toContain('2 | name = "漢字"\n        |        ^^^^^^\n');
  });

  // Of other homes: test/commands/home.test.ts.
  test('works with no home at all, its token from the environment', async () => {
    const { exitCode, stdout, stderr } = await run(['apps', 'list', '--json'], { env: env(withoutHome) });
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      '[]\n',
      'no apps yet; gantry deploy creates one; gantry apps list --ephemeral shows those of one-off runs\n',
    ]);
  });

  test('does not wait for a stdin that never ends', async () => {
    const { exitCode } = await run(['apps', 'list'], { env: env(), stdin: 'pipe' });
    expect(exitCode).toBe(0);
  });

  test('exits with 0 without an error if its reader closes the pipe', async () => {
    const [record] = await longList();
    if (!record) throw new Error('there is no app');
    const shell = `'${process.execPath}' '${bin}' apps list --all --json | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await execa('bash', ['-c', shell], { env: env(), extendEnv: false });
    expect(stderr).toBe('');
    expect(stdout).toBe('[\n0');
  });

  test('writes a long result completely into a pipe', async () => {
    const apps = await longList();
    const shell = `'${process.execPath}' '${bin}' apps list --all --json | cat`;
    const { stdout } = await execa('bash', ['-c', shell], { env: env(), extendEnv: false });
    expect(JSON.parse(stdout)).toHaveLength(apps.length);
  });

  async function longList() {
    await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
    const record = emulator.store.apps.get(`${emulator.project}-web`);
    if (!record) throw new Error('it was not deployed');
    // Several times what a pipe holds.
    for (let index = 0; index < 1_000; index++) {
      emulator.store.apps.set(`app-${index}`, { ...record, id: `${emulator.project}-${index}`, name: `n${index}` });
    }
    return [...emulator.store.apps.values()];
  }
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s during the upload cancels the build, leaves no files and exits with %i', async (signal, exit) => {
    emulator.fail('upload', 'stall*');
    const program = start(['deploy'], { cwd: newFolder(smallApp()), env: env() });
    await seen('upload');
    program.kill(signal);
    // Without the signal the upload would be given up after 60 s only: longer than this test may take.
    await program.says(/canceling build/);
    expect(await program.ended).toEqual({ code: exit, signal: null });
    expect(program.said.stderr).toMatch(/canceling build \S+ of web/);
    expect(program.said.stderr).toContain('canceled build');
    expect([...emulator.store.builds.values()].map(({ cancelledAt }) => typeof cancelledAt)).toEqual(['number']);
    expectNoTrace(program.said, emulator);
  });

  test('a closed terminal ends a deploy like SIGTERM, although output is no longer possible', async () => {
    const temporary = newFolder();
    emulator.fail('build', 'slow');
    // Prints how the program ended after its terminal was closed.
    const closing = [
      'import os, pty, sys',
      'child, terminal = pty.fork()',
      'if child == 0: os.execv(sys.argv[1], sys.argv[1:])',
      'said = b""',
      'while b"Uploaded" not in said: said += os.read(terminal, 4096)',
      'os.close(terminal)',
      'print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))',
    ].join('\n');
    const { stdout } = await execa('python3', ['-c', closing, process.execPath, bin, 'deploy', '--yes'], {
      cwd: newFolder(smallApp()),
      env: env({ TMPDIR: temporary, TERM: 'xterm' }),
      extendEnv: false,
    });
    expect(stdout).toBe('143');
    expect([...emulator.store.builds.values()].map(({ cancelledAt }) => typeof cancelledAt)).toEqual(['number']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('a second SIGINT exits at once, even if the cancellation hangs', async () => {
    emulator.fail('build', 'slow');
    emulator.fail('cancelBuild', 'stall*');
    const program = start(['deploy'], { cwd: newFolder(smallApp()), env: env() });
    await program.says(/Uploaded/);
    program.kill('SIGINT');
    await seen('cancelBuild');
    program.kill('SIGINT');
    expect(await program.ended).toEqual({ code: 130, signal: null });
    // It did not wait until the cancellation was given up.
    expect(program.said.stderr).not.toContain('could not be canceled');
  });

  /** Until the emulator has this call. */
  async function seen(endpoint: string): Promise<void> {
    while (!emulator.calls.some((call) => call.endpoint === endpoint)) await setTimeout(5);
  }
});

// All signals go one way (a deploy gets each of them above), and each server ends in its own.
test.each<[words: string, says: RegExp, signal: NodeJS.Signals]>([
  ['emulator start --port 0 --no-seed', /CEREBRIUM_PROJECT_ID/, 'SIGHUP'],
  ['webhooks listen --port 0', /listening on/, 'SIGHUP'],
  ['dev --port 0', /is ready/, 'SIGTERM'],
])('a server ends when it is told to: %s', async (words, says, signal) => {
  const app = newFolder(smallApp());
  const program = start(words.split(' '), { cwd: app, env: env({ GANTRY_CONFIG_DIR: join(app, '.config') }) });
  await program.says(says);
  program.kill(signal);
  const { code, signal: killed } = await program.ended;
  expect(killed).toBe(null);
  expect([0, 143]).toContain(code);
});

describe('the emulator of the built program', () => {
  test('exec runs gantry against itself, without a gantry on the PATH, and returns its exit code', async () => {
    const faulty = ['emulator', 'exec', '--no-seed', '--fault', 'createApp=409', '--', 'gantry', 'deploy'];
    const { exitCode, stderr } = await run(faulty, { cwd: newFolder(smallApp()) });
    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('error: Conflict')]);
  });

  test('start prints variables for a shell, serves, and ends with SIGINT', async () => {
    const program = start(['emulator', 'start', '--port', '0', '--no-seed'], { env: cleanEnvironment() });
    await program.says(/export CEREBRIUM_PROJECT_ID=.*\n/);
    const shell = `${program.said.stdout}\nexec '${process.execPath}' '${bin}' apps list --json`;
    const { stdout } = await execa('bash', ['-c', shell], { env: cleanEnvironment(), extendEnv: false });
    expect(stdout).toBe('[]');
    program.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-emulator-'))).toHaveLength(1);
  });
});

describe('what is loaded', () => {
  /** The files of ours that a command line opens. */
  async function loadedBy(words: string[], cwd = newFolder(), more = {}): Promise<string[]> {
    const record = join(newFolder(), 'loaded');
    const hook = join(import.meta.dirname, 'record-loaded.cjs');
    await execa(process.execPath, ['--require', hook, bin, ...words], {
      cwd,
      env: env({ RECORD_LOADED: record, ...more }),
      extendEnv: false,
      // There is no such app to call.
      reject: words[0] !== 'invoke',
    });
    return readFileSync(record, 'utf8')
      .split('\n')
      .filter((path) => /\/(dist|bin)\/[^/]+\.cjs$/.test(path));
  }

  test.each([['--version'], ['--help']])('%s opens three files at most', async (flag) => {
    const files = await loadedBy([flag]);
    expect(files).toContain(bin);
    expect(files.length).toBeLessThanOrEqual(3);
  });

  /** Words that only the named library has, in the form the build leaves them. */
  const heavy = {
    undici: /RequestAbortedError/,
    prompts: /CancelPromptError/,
    ora: /prefixText/,
    'string-width': /Emoji_Keycap|east.?asian|RGI_Emoji/i,
    'smol-toml': /TomlError/,
    yauzl: /end of central directory/i,
  };

  test('apps list and invoke load none of the large libraries', async () => {
    for (const words of [
      ['apps', 'list'],
      ['invoke', 'web'],
    ])
      expectNone(heavy, await loadedBy(words));
  });

  test('an unchanged app is deployed and shown without what sends, watches and explains', async () => {
    const work = {
      archives: /two files would be sent as/,
      uploads: /Uploaded in /,
      watches: /was found healthy by a watch/,
      rules: /a file that is not part of a package/,
    };
    const app = newFolder(smallApp());
    const settings = { GANTRY_CONFIG_DIR: newFolder() };
    expect(await run(['deploy'], { cwd: app, env: env(settings) })).toMatchObject({ exitCode: 0 });
    const created = emulator.store.builds.size;
    expectNone(work, await loadedBy(['deploy', '--if-changed'], app, settings));
    expectNone(work, await loadedBy(['status'], app, settings));
    expect(emulator.store.builds.size).toBe(created);
  });

  /** That no file has a marker, each of which the program has. */
  function expectNone(markers: Record<string, RegExp>, files: string[]): void {
    const chunks = readdirSync('dist').filter((file) => /\.[cm]js$/.test(file));
    const found = (paths: string[]) => {
      const texts = paths.map((path) => readFileSync(path, 'utf8'));
      return Object.keys(markers).filter((name) => texts.some((text) => markers[name]?.test(text)));
    };
    expect(found(chunks.map((file) => join('dist', file)))).toEqual(Object.keys(markers));
    expect(files.length).toBeGreaterThan(2);
    expect(found(files)).toEqual([]);
  }
});
