import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { commit, type ModelHub, sha256Of } from '../chaos/model-hub.js';
import { startHub } from '../support/hub.ts';
import { emulatorForEach, newFolder, noise, gantry as run, type Setting } from '../support/index.ts';
import { overHttps } from '../support/proxy.ts';

let home: string;
let hub: ModelHub;

/** Three parts of the least length there is, the last of them short. */
const big = noise(11 * 2 ** 20 + 12_345);
const sha256 = sha256Of(big);
const files = { 'big.bin': big, 'small.json': Buffer.from('{"a": 1}'), empty: Buffer.alloc(0) };

const emulator = emulatorForEach();

beforeEach(async () => {
  home = newFolder();
  hub = await startHub({ 'org/model': { files } });
});

const gantry = (words: string[], setting: Setting = {}) =>
  run(words, { emulator, cwd: home, ...setting, env: { GANTRY_CONFIG_DIR: home, ...setting.env } });

const url = (name = 'big.bin') => `${hub.cdn}/lfs/org/model/${name}`;
/** Those that the journal has. */
function sentParts(): number {
  const journals = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
  return journals.flatMap((path) => readFileSync(join(home, path), 'utf8').match(/"is":"part"/g) ?? []).length;
}

const volume = () => emulator.volume();

describe('a file of the web is copied to a volume', () => {
  test.each(Object.entries(files))('%s', async (name, content) => {
    const { code, stdout, stderr } = await gantry(['cp', url(name), ':/models/', '--sha256', sha256Of(content)]);
    expect([stderr, code]).toEqual([expect.any(String), 0]);
    expect(stdout).toContain('copied 1 file');
    expect(volume().read(`/models/${name}`)?.equals(content)).toBe(true);
  });

  test('that sends no ranges', async () => {
    hub.mischief = ({ request }) => {
      delete request.headers.range;
      return false;
    };
    const { code } = await gantry(['cp', url(), ':/x.bin', '--sha256', sha256, '--part-size', '5MiB']);
    expect([code, volume().read('/x.bin')?.equals(big)]).toEqual([0, true]);
  });

  test('and goes on with the part that it was at', async () => {
    hub.mischief = async ({ request, response }) => {
      if (!request.headers.range?.startsWith(`bytes=${10 * 2 ** 20}-`)) return false;
      while (sentParts() < 2) await setTimeout(5);
      return !!response.writeHead(404).end();
    };
    const words = ['cp', url(), ':/x.bin', '--sha256', sha256, '--part-size', '5MiB'];
    expect((await gantry(words)).code).toBe(6);
    hub.mischief = undefined;
    const before = hub.sent;
    const { code, json } = await gantry([...words, '--json']);
    expect([code, json()]).toEqual([0, expect.objectContaining({ resumedBytes: 10 * 2 ** 20 })]);
    expect(hub.sent - before).toBeLessThan(2 * 2 ** 20);
    expect(volume().read('/x.bin')?.equals(big)).toBe(true);
  });

  test('with its checksum, or not at all', async () => {
    const { code, stderr } = await gantry(['cp', url(), ':/x.bin', '--sha256', '0'.repeat(64)]);
    expect([code, volume().read('/x.bin')]).toEqual([1, undefined]);
    expect(stderr).toContain(`its SHA-256 is ${sha256}, but must be ${'0'.repeat(64)}`);
  });
});

test.each([
  [['cp', 'https://a.test/x', ':/x'], 'the SHA-256 of https://a.test/x is missing'],
  [['cp', 'https://u:p@a.test/x', ':/x', '--sha256', sha256], 'a URL must have no password'],
  [['cp', 'https://a.test/x', '.', '--sha256', sha256], 'can only be copied alone, to a volume'],
  [['cat', 'hf://org/model'], 'gantry cp hf://org/model :/model'],
  [['cp', 'https://a.test/', ':/x/', '--sha256', sha256], 'https://a.test/ has no name for the file'],
  [['cp', '--lock', 'https://a.test/?x', ':/', '--sha256', sha256], 'https://a.test/ has no name for the file'],
  [['cp', '--lock', 'https://a.test/x', ':/x/', '--sha256', sha256, '--include', 'y'], '--exclude are for models'],
  [['cp', '--lock', 'https://a.test/x', ':/x/', '--sha256', sha256, '--exclude', 'y'], '--exclude are for models'],
  [['cp', 'f', 'https://a.test/x'], 'files cannot be copied to a URL'],
  [['cp', 'f', ':/x', '--sha256', sha256], '--sha256 is for a file at a https:// URL'],
  [['cp', 'http://a.test/x', ':/x', '--sha256', sha256], 'the URL must begin with https'],
])('%j is refused', async (words, message) => {
  const { code, stderr } = await gantry(words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});

test('a server that leads from https to http is refused, before a byte is read there', async () => {
  const place = (await overHttps(hub.url)).replace('platform.test', 'localhost');
  const { code, stderr } = await gantry([
    'cp',
    `${place}/org/model/resolve/${commit}/big.bin`,
    ':/x',
    '--sha256',
    sha256,
  ]);
  expect(stderr).toContain(`${place} redirects to ${hub.cdn}\n`);
  expect([code, hub.sent, volume().read('/x')]).toEqual([1, 0, undefined]);
});
