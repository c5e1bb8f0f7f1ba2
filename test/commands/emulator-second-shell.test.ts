import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { detectShell, evaluationOf, exportCommands } from '../../src/local/emulator/index.ts';
import { gantry, newFolder, type Outcome, shellProgram } from '../support/index.ts';

let home: string;
let env: Record<string, string>;
const stops: (() => Promise<Outcome>)[] = [];

beforeEach(() => {
  home = newFolder();
  env = { GANTRY_CONFIG_DIR: home, SHELL: '/bin/bash' };
});

afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** Runs `gantry emulator start` until it is stopped. */
async function started(...flags: string[]) {
  const stop = new AbortController();
  let running: Promise<Outcome> | undefined;
  const stdout = await new Promise<string>((ready) => {
    running = gantry(['emulator', 'start', '--port', '0', '--no-seed', '--json', ...flags], {
      env,
      stop: stop.signal,
      cwd: home,
      seen: (text) => text.endsWith('\n') && ready(text),
    });
  });
  const end = async () => {
    stop.abort();
    return (await running) as Outcome;
  };
  stops.push(end);
  const ready = JSON.parse(stdout.split('\n')[0] ?? '');
  return { ...ready, port: Number(new URL(ready.url).port), running: running as Promise<Outcome>, end };
}

const announcements = () => readdirSync(join(home, 'state', 'emulators'));
const waiting = { meanwhile: () => setTimeout(2) };

describe('a second shell', () => {
  test('gets the variables of the running emulator, and calls it', async () => {
    const { url, port } = await started();
    const { code, stdout } = await gantry(['emulator', 'env', '--shell', 'sh'], { env });
    expect(code).toBe(0);
    const script = `eval "$1"; echo "$GANTRY_API_URL $GANTRY_TOKEN $GANTRY_PROJECT"`;
    const [api = '', token = '', project] = spawnSync('sh', ['-c', script, 'sh', stdout]).stdout.toString().split(/\s/);
    expect([api, project]).toEqual([url, 'p-12345678']);
    const list = await gantry(['apps', 'list', '--json'], {
      env: { ...env, GANTRY_API_URL: api, GANTRY_TOKEN: token },
    });
    expect([list.code, list.stdout]).toEqual([0, '[]\n']);
    expect((await gantry(['emulator', 'list', '--json=port,command'], { env })).json()).toEqual([
      { port, command: 'emulator start' },
    ]);
  });

  test('is told how to choose if there are several', async () => {
    const [one, other] = [await started(), await started()];
    const refused = await gantry(['emulator', 'env'], { env });
    expect(refused).toExit(2, '2 emulators are running', `port ${one.port}: gantry emulator start in ${home}`);
    const chosen = await gantry(['emulator', 'env', '--port', String(other.port), '--json'], { env });
    expect(chosen.json()).toMatchObject({ url: other.url, shell: 'sh', environment: { GANTRY_API_URL: other.url } });
  });

  test('stops it, and nothing of it is left', async () => {
    const { port, running } = await started();
    const { code, stdout } = await gantry(['emulator', 'stop'], { env, ...waiting });
    expect([code, stdout]).toEqual([0, `stopped the emulator on port ${port}, of ${home}\n`]);
    expect((await running).code).toBe(0);
    expect(announcements()).toEqual([]);
    for (const command of ['env', 'stop']) {
      const { code, stderr } = await gantry(['emulator', command], { env });
      expect([code, stderr]).toEqual([6, 'error: no emulator is running\n  fix gantry emulator start\n']);
    }
  });

  test('ends it only with its secret', async () => {
    const { url, token, running, end } = await started();
    const stop = (body: string) =>
      fetch(`${url}/emulator/stop`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });
    expect((await stop('{}')).status).toBe(403);
    expect((await stop('{"secret":"guess"}')).status).toBe(403);
    expect((await stop('nonsense')).status).toBe(400);
    expect((await fetch(`${url}/emulator/stop`)).status).toBe(405);
    expect(await Promise.race([running, 'still running'])).toBe('still running');
    await end();
  });

  test('does not find one that was killed, one of another host, or a damaged file', async () => {
    const folder = join(home, 'state', 'emulators');
    mkdirSync(folder, { recursive: true });
    const dead = `999999999-1-${'0'.repeat(8)}-${'0'.repeat(16)}.json`;
    await started();
    const [own = ''] = announcements();
    const ended = own.replace(/^\d+-\d+/, '999999999-1');
    for (const name of [dead, ended, own.replace(/-(\w{16})\.json$/, `-${'1'.repeat(16)}.json`), 'notes.json']) {
      writeFileSync(join(folder, name), 'nonsense');
    }
    expect((await gantry(['emulator', 'env'], { env })).code).toBe(0);
    expect(announcements()).not.toContain(ended);
  });

  test.skipIf(process.platform === 'win32')('reads the token from a file of the owner only', async () => {
    await started();
    const folder = join(home, 'state', 'emulators');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of announcements()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test('is not needed: without a writable state folder an emulator starts all the same', async () => {
    writeFileSync(join(home, 'file'), '');
    env = { ...env, GANTRY_CONFIG_DIR: join(home, 'file') };
    const { end } = await started();
    expect((await end()).stderr).toContain('gantry emulator env will not find this emulator');
  });
});

describe('the syntax of a shell', () => {
  const awkward = { A: `it's $HOME "x" \\ 100%` };

  test.for(['sh', 'bash', 'zsh', 'fish'] as const)('is read by %s, where it is installed', (shell, { skip }) => {
    const program = shellProgram(shell) ?? skip();
    const text = `${exportCommands(awkward, shell === 'fish' ? 'fish' : 'sh')}\nprintenv A`;
    const { stdout } = spawnSync(program, ['-c', text], { encoding: 'utf8' });
    expect(stdout).toBe(`${awkward.A}\n`);
  });

  test('is that of PowerShell and of cmd on Windows', () => {
    expect(exportCommands({ A: "it's", B: 'b' }, 'powershell')).toBe("$env:A = 'it''s'\n$env:B = 'b'");
    expect(exportCommands({ A: 'a b' }, 'cmd')).toBe('set "A=a b"');
    expect(evaluationOf('gantry emulator env', 'powershell')).toContain('Invoke-Expression');
  });

  test.each([
    [{ SHELL: '/usr/bin/fish' }, 'linux', '', 'fish'],
    [{ SHELL: '/bin/zsh' }, 'darwin', '', 'sh'],
    [{ SHELL: '/bin/bash' }, 'linux', 'fish', 'fish'],
    [{ SHELL: '/usr/bin/fish' }, 'linux', 'bash', 'sh'],
    [{ SHELL: '/bin/bash' }, 'linux', 'pwsh', 'powershell'],
    [{ SHELL: '/usr/bin/fish' }, 'linux', 'node', 'fish'],
    [{}, 'linux', 'node', 'sh'],
    [
      { PSModulePath: String.raw`C:\Users\a\Documents\WindowsPowerShell\Modules;C:\WINDOWS` },
      'win32',
      '',
      'powershell',
    ],
    [{ PSModulePath: String.raw`C:\WINDOWS\system32\WindowsPowerShell\v1.0\Modules` }, 'win32', '', 'cmd'],
    [{ SHELL: String.raw`C:\Program Files\Git\usr\bin\bash.exe` }, 'win32', '', 'sh'],
  ] as const)('%j on %s, started by "%s", is %s', (variables, platform, parent, shell) => {
    expect(detectShell(variables, platform, parent)).toBe(shell);
  });
});
