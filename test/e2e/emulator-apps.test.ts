import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFolderTarget, rememberFolderTarget } from '../../src/platform/config/folder-target.ts';
import { python } from '../emulator/support/running.ts';
import { fixture, newFolder, smallApp } from '../support/index.ts';
import { listening } from '../support/listening.ts';
import { cleanEnvironment, run, start } from './binary.ts';

describe.skipIf(!python)('the built emulator (needs python3)', () => {
  test('runs apps, and ends them', async () => {
    const { emulator, env, url, project } = await started();
    await run(['deploy'], { env, cwd: fixture('functions') });
    const body = '{"name": "Ada"}';
    const answer = await fetch(`${url}/v4/${project}/functions/run`, { method: 'POST', body });
    const { result } = (await answer.json()) as { result: { greeting: string; process: number } };
    expect(result.greeting).toBe('hello Ada');
    expect(isAlive(result.process)).toBe(true);
    emulator.kill('SIGTERM');
    await emulator.ended;
    await expect.poll(() => isAlive(result.process)).toBe(false);
  });

  test('delivers webhooks with the trust of SSL_CERT_FILE, as all connections of gantry', async () => {
    const [key, cert] = ['key', 'cert'].map((name) => readFileSync(`fixtures/tls/${name}.pem`));
    const address = (await listening(createServer({ key, cert }))).replace('http:', 'https:');
    const { env, url, project } = await started({ SSL_CERT_FILE: resolve('fixtures/tls/cert.pem') });
    await run(['deploy'], { env, cwd: fixture('functions') });
    const called = `${url}/v4/${project}/functions/run?webhookEndpoint=${encodeURIComponent(address)}`;
    await fetch(called, { method: 'POST', body: '{"name": "Ada"}' });
    // The certificate is another host's: that is looked at once it is trusted.
    const { stdout: id } = await run(['runs', 'list', 'functions', '--jq', '.[0].id'], { env });
    const delivery = async () => (await run(['runs', 'get', 'functions', `${id}`.trim()], { env })).stdout;
    await expect.poll(delivery).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('ends a server, a run and their child processes even if it is killed', async () => {
    const { emulator, env, url, project } = await started();
    const sleeper = 'import os, subprocess, sys, time\nchild = subprocess.Popen(["sleep", "600"])\n';
    const says = 'print(os.getpid(), child.pid, flush=True)\n';
    const server = 'from http.server import BaseHTTPRequestHandler as H, HTTPServer\n';
    const place = newFolder({
      'once.py': `${sleeper}${says}time.sleep(600)\n`,
      'server.py': `${sleeper}${says}${server}HTTPServer(("", int(sys.argv[1])), H).serve_forever()\n`,
      'cerebrium.toml': `[cerebrium.deployment]
name = "serves"
[cerebrium.runtime.custom]
port = 8192
entrypoint = ["python3", "server.py", "8192"]
`,
    });
    expect(await run(['deploy'], { env, cwd: place })).toMatchObject({ exitCode: 0 });
    await fetch(`${url}/v4/${project}/serves/x`, { method: 'POST' });
    // It runs under the same app, and so what it prints is in the same log.
    const once = start(['run', 'once.py'], { env, cwd: place });
    onTestFinished(() => void once.kill('SIGKILL'));
    await once.says(/\d+ \d+/);
    const { stdout } = await run(['logs', 'serves', '--raw'], { env });
    const lines = `${stdout}`.split('\n').filter((line) => /^\d+ \d+$/.test(line));
    const found = lines.flatMap((line) => line.split(' ').map(Number));
    expect(found.map(isAlive)).toEqual([true, true, true, true]);
    emulator.kill('SIGKILL');
    await emulator.ended;
    await expect.poll(() => found.map(isAlive)).toEqual([false, false, false, false]);
  });
});

test('a deploy to an emulator that ends with it leaves the folder where the deploy before went', async () => {
  const [folder, home] = [newFolder(smallApp()), newFolder()];
  const folders = { state: join(home, 'state') };
  const env = cleanEnvironment(undefined, { GANTRY_CONFIG_DIR: home });
  const deploy = () => run(['emulator', 'exec', '--', 'gantry', 'deploy'], { env, cwd: folder });
  expect(await deploy()).toMatchObject({ exitCode: 0 });
  expect(readFolderTarget(folders, folder)).toBeUndefined();
  const address = 'http://127.0.0.1:4100';
  const own = { app: 'web', project: 'p-12345678', platform: 'emulator', address, flags: ['--local'] };
  await rememberFolderTarget(folders, folder, own);
  expect(await deploy()).toMatchObject({ exitCode: 0 });
  expect(readFolderTarget(folders, folder)).toEqual(own);
});

test.each([
  ['SIGTERM', 'SIGHUP'],
  ['SIGINT', 'SIGINT'],
] as const)('%s and %s together leave no temporary files behind', async (...signals) => {
  const place = newFolder();
  const env = cleanEnvironment(undefined, { TMPDIR: place });
  const emulator = start(['emulator', 'start', '--port', '0'], { env });
  onTestFinished(() => void emulator.kill('SIGKILL'));
  await emulator.says(/export/);
  expect(readdirSync(place)).toHaveLength(1);
  for (const signal of signals) emulator.kill(signal);
  await emulator.ended;
  expect(readdirSync(place)).toEqual([]);
});

test('an emulator that nothing is deployed to starts no Python, and loads no code of requests', async () => {
  const place = newFolder({ python3: '#!/bin/sh\ntouch "$(dirname "$0")/started"\n' });
  chmodSync(join(place, 'python3'), 0o755);
  const env = cleanEnvironment(undefined, { PATH: `${place}:${process.env.PATH}` });
  const hook = join(import.meta.dirname, 'record-loaded.cjs');
  const loaded = { ...env, NODE_OPTIONS: `--require ${hook}`, RECORD_LOADED: join(place, 'loaded') };
  expect(await run(['emulator', 'exec', '--', 'true'], { env: loaded })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(place).sort()).toEqual(['loaded', 'python3']);
  const files = readFileSync(join(place, 'loaded'), 'utf8').split('\n');
  const sources = files.filter((file) => /dist\/[^/]+\.cjs$/.test(file)).map((file) => readFileSync(file, 'utf8'));
  const message = 'route not found: ';
  expect(readdirSync('dist').some((file) => file.endsWith('.cjs') && includes(join('dist', file), message))).toBe(true);
  expect(sources.filter((source) => source.includes(message))).toEqual([]);
});

test('exactly one of five emulators gets the data folder of a killed one, at once', async () => {
  const place = newFolder();
  const words = ['emulator', 'start', '--port', '0', '--no-seed', '--data-dir', place];
  const begin = () => {
    const emulator = start(words, { env: cleanEnvironment() });
    onTestFinished(() => void emulator.kill('SIGKILL'));
    return emulator;
  };
  const first = begin();
  await first.says(/export/);
  first.kill('SIGKILL');
  await first.ended;

  const all = Array.from({ length: 5 }, begin);
  await expect.poll(() => all.filter(({ said }) => said.stderr.includes('is in use')).length).toBe(4);
  const [holder] = all.filter(({ said }) => !said.stderr.includes('is in use'));
  await holder?.says(/export/);
  const refused = all.filter((one) => one !== holder);
  expect(await Promise.all(refused.map(async ({ ended }) => (await ended).code))).toEqual(Array(4).fill(7));
  expect(refused[0]?.said.stderr).toContain(place);
});

async function started(more: Record<string, string> = {}) {
  const own = { env: cleanEnvironment(undefined, more) };
  const emulator = start(['emulator', 'start', '--port', '0', '--no-seed', '--json'], own);
  onTestFinished(() => void emulator.kill('SIGTERM'));
  await emulator.says(/\n/);
  await expect.poll(() => emulator.said.stdout).toMatch(/\}\s*$/);
  const { environment, url, project } = JSON.parse(emulator.said.stdout);
  return { emulator, env: cleanEnvironment(undefined, environment), url, project };
}

const includes = (file: string, text: string) => readFileSync(file, 'utf8').includes(text);

/** What has ended but was not fetched by anybody does not count. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.includes('Z');
}
