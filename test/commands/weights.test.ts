import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commit, type ModelHub, sha256Of } from '../chaos/model-hub.js';
import { startHub } from '../support/hub.ts';
import { type Emulator, keys, newFolder, noise, gantry as run, type Setting, startEmulator } from '../support/index.ts';

let emulator: Emulator;
let home: string;
let here: string;
let hub: ModelHub;

const name = 'Qwen/Qwen3-0.6B';
const source = `hf://${name}`;
const files = {
  'config.json': Buffer.from('{"model_type": "qwen3"}'),
  'model-1 of 2.safetensors': noise(2 ** 20 + 1),
  'model-2 of 2.safetensors': noise(2 ** 18),
  'onnx/model.onnx': Buffer.from('onnx'),
  empty: Buffer.alloc(0),
};
const paths = Object.keys(files);

beforeEach(async () => {
  emulator = await startEmulator();
  [home, here] = [newFolder(), newFolder()];
  hub = await startHub({ [name]: { files, inGit: ['config.json', 'empty'] } });
});
afterEach(() => emulator.close());

const gantry = (words: string[], setting: Setting = {}) =>
  run(words, {
    emulator,
    cwd: here,
    ...setting,
    env: { GANTRY_CONFIG_DIR: home, ...hub.env, ...setting.env },
  });
const pull = (...words: string[]) => gantry(['cp', source, ':/models/qwen', ...words]);

const on = (path: string) => emulator.volume().read(`/models/qwen/${path}`);
const lock = () => JSON.parse(readFileSync(join(here, 'weights.lock'), 'utf8'));
/** Other bytes, but the size and the time that were listed. */
function damage(path: keyof typeof files): void {
  const modified = lock().weights[0].files.find((file: { path: string }) => file.path === path).modified;
  const content = Buffer.from(files[path]).fill(1, 100, 101);
  emulator.volume().write(`/models/qwen/${path}`, content, Date.parse(modified));
}
const requestsOfFiles = () => hub.requests.filter(({ path }) => !path.startsWith('/api/')).length;

function expectAllThere(): void {
  for (const [path, content] of Object.entries(files)) expect(on(path)?.equals(content), path).toBe(true);
}

describe('weights pull', () => {
  test('copies a model and records it where a link leads; again, it moves only what was changed on the volume', async () => {
    mkdirSync(join(here, 'locks'));
    symlinkSync('locks/web.lock', join(here, 'weights.lock'));
    const { code, stdout, stderr } = await pull();
    expect([readlinkSync(join(here, 'weights.lock')), lock().weights.length]).toEqual(['locks/web.lock', 1]);
    expect([stderr, code]).toEqual([expect.stringContaining('5 files'), 0]);
    expect(stdout).toContain('apps find them at /persistent-storage/models/qwen');
    expectAllThere();
    const [weights] = lock().weights;
    expect(weights).toMatchObject({ source, revision: commit, target: 'default:/models/qwen/' });
    expect(weights.files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256])).toEqual(
      paths.toSorted().map((path) => [path, sha256Of(files[path as keyof typeof files])]),
    );
    const [sent, calls, text] = [hub.sent, emulator.calls.length, JSON.stringify(lock())];
    const again = await pull('--json');
    expect([again.code, again.json()]).toEqual([0, expect.objectContaining({ failed: [] })]);
    expect(again.json()).toMatchObject({ weights: [{ equal: 5, copied: 0, copiedBytes: 0 }] });
    expect([hub.sent, JSON.stringify(lock())]).toEqual([sent, text]);
    const asked = emulator.calls.slice(calls).map(({ endpoint }) => endpoint);
    for (const moves of ['initializeUpload', 'getDownloadLink']) expect(asked).not.toContain(moves);
    emulator.volume().write('/models/qwen/config.json', '{"model_type": "QWEN3"}', Date.now() + 5_000);
    expect((await pull('--json')).json()).toMatchObject({ weights: [{ equal: 4, copied: 1 }] });
    expectAllThere();
  });

  test('reads what is there without a lock, and copies what differs', async () => {
    await pull();
    const second = newFolder();
    emulator.volume().write('/models/qwen/onnx/model.onnx', Buffer.from('ONNX'));
    const sent = hub.sent;
    const { json } = await gantry(['cp', source, ':/models/qwen', '--json'], { cwd: second });
    expect(json()).toMatchObject({ weights: [{ equal: 4, copied: 1, copiedBytes: 4 }] });
    expect(hub.sent - sent).toBeLessThan(100);
    expectAllThere();
    expect(JSON.parse(readFileSync(join(second, 'weights.lock'), 'utf8')).weights[0].files).toHaveLength(5);
  });

  test('without arguments pulls what the lock has', async () => {
    await pull('--include', '*.json');
    await emulator.close();
    emulator = await startEmulator();
    const { json } = await gantry(['cp', '--lock', '--json']);
    expect(json()).toMatchObject({ weights: [{ source, revision: commit, files: 1, copied: 1 }] });
    expect([on('config.json')?.equals(files['config.json']), on('onnx/model.onnx')]).toEqual([true, undefined]);
  });

  test('without arguments pulls the others of the lock if the hub has one no longer', async () => {
    const other = 'org/gone';
    hub.models[other] = { files: { a: Buffer.from('a') } };
    await gantry(['cp', `hf://${other}`, ':/models/a']);
    await pull();
    delete hub.models[other];
    await gantry(['rm', ':/models/qwen/config.json', '--yes']);
    expect((await gantry(['cp', '--lock'])).stdout).toContain(
      `${source}: 5 files, 1.3 MiB on default:/models/qwen/ as weights.lock says (4 only listed, not read); 1 file copied`,
    );
    await gantry(['rm', ':/models/qwen/config.json', '--yes']);
    const { code, json, stderr } = await gantry(['cp', '--lock', '--json']);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`${other} is gated or private, or does not exist`)]);
    expect(json()).toMatchObject({
      weights: [{ source, copied: 1 }],
      failed: [{ path: `hf://${other}`, code: 'auth' }],
    });
    expectAllThere();
    expect(lock().weights).toHaveLength(2);
  });

  test('keeps the revision of the lock until another one is named', async () => {
    await pull();
    const newer = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const before = hub.models[name];
    hub.models[name] = { files: { ...files, 'config.json': Buffer.from('{}') }, commit: newer };
    expect(await pull()).toExit(6, `at revision ${commit}`);
    expect((await gantry(['cp', `${source}@main`, ':/models/qwen', '--json'])).json()).toMatchObject({
      weights: [{ revision: newer, copied: 1 }],
    });
    expect(on('config.json')?.toString()).toBe('{}');
    hub.models[name] = before as never;
  });

  test.each([
    ['other content at the revision of the lock', {}, 'onnx/model.onnx of hf://Qwen/Qwen3-0.6B is not what'],
    ['another commit for the one of the lock', { commit: `${commit}ffff` }, `has another commit for ${commit}`],
  ])('refuses %s', async (_, more, said) => {
    await pull();
    hub.models[name] = { files: { ...files, 'onnx/model.onnx': Buffer.from('evil') }, ...more };
    expect(await pull()).toExit(7, said);
    expect(on('onnx/model.onnx')?.toString()).toBe('onnx');
  });

  test.each(['half \ud800', '../up', 'a//b'])('refuses a hub that lists a file named %j', async (path) => {
    hub.models[name] = { files: { ...files, [path]: Buffer.from('x') } };
    const { code, stderr } = await pull();
    expect(stderr).toContain('the hub has a file with an unusable name: ');
    expect([code, stderr]).toEqual([70, expect.not.stringContaining('mistake in gantry')]);
  });

  test.each([
    ['a source', ['--include', '*.json']],
    ['nothing', []],
  ])('named with %s, tells a command for the newest revision that works as it is', async (_, words) => {
    await pull('--include', '*.json', '--exclude', 'onnx/*');
    const { stderr } = words.length > 0 ? await pull(...words, '--exclude', 'onnx/*') : await gantry(['cp', '--lock']);
    const [, said = ''] = /for the newest: gantry (.+)/.exec(stderr) ?? [];
    hub.models[name] = { files: { ...files, 'config.json': Buffer.from('{}') }, commit: 'a'.repeat(40) };
    expect((await gantry(said.replaceAll("'", '').split(' '))).code).toBe(0);
    expect(lock().weights).toMatchObject([{ revision: 'a'.repeat(40), include: ['*.json'], exclude: ['onnx/*'] }]);
    expect([on('config.json')?.toString(), on('empty')]).toEqual(['{}', undefined]);
  });

  test('shows with --dry-run what it would copy', async () => {
    const { code, json } = await pull('--dry-run', '--json');
    expect([code, json()]).toEqual([0, expect.objectContaining({ dryRun: true })]);
    expect(json()).toMatchObject({ weights: [{ files: 5, copied: 5, equal: 0 }] });
    expect([requestsOfFiles(), on('empty')]).toEqual([0, undefined]);
    expect(() => lock()).toThrow();
  });
});

test('a lock that came with a repository does not say where this folder writes, unless it is asked for', async () => {
  await pull();
  const clone = newFolder({ 'weights.lock': readFileSync(join(here, 'weights.lock'), 'utf8') });
  const inClone = (...words: string[]) => gantry(['cp', '--lock', ...words], { cwd: clone });
  await gantry(['rm', ':/models/qwen/empty', '--yes']);
  for (const words of [[], [source]]) {
    expect(await inClone(...words)).toExit(9, 'confirmation required: Pull to default:/models/qwen/', '--yes');
  }
  expect([on('empty'), (await inClone('--dry-run')).code]).toEqual([undefined, 0]);
  const asked = await gantry(['cp', '--lock'], { cwd: clone, columns: 120, stdin: keys('y\r') });
  expect([asked.code, on('empty')?.length]).toEqual([0, 0]);
  expect((await inClone()).code).toBe(0);
  const other = newFolder({ 'weights.lock': readFileSync(join(here, 'weights.lock'), 'utf8') });
  expect((await gantry(['cp', '--lock', '--yes'], { cwd: other })).code).toBe(0);
});

test.each(['default:/models/../../x/', 'default:/a//b/', './:/x/', 'https://host/x:/y', ':/x/'])(
  'a lock with the target %s is damaged',
  async (target) => {
    await pull();
    const { version, weights } = lock();
    writeFileSync(join(here, 'weights.lock'), JSON.stringify({ version, weights: [{ ...weights[0], target }] }));
    expect(await gantry(['cp', '--lock', '--yes'])).toExit(7, 'weights.lock cannot be read');
  },
);

test.each([
  ['the same once more', 'onnx', 0, ''],
  ['other content', 'ONNX', 70, 'lists onnx/model.onnx of Qwen/Qwen3-0.6B twice, with different contents'],
])('of a file that the hub lists twice, %s', async (_, content, exit, message) => {
  hub.models[name] = { files, inGit: ['config.json', 'empty'], again: { 'onnx/model.onnx': Buffer.from(content) } };
  expect(await pull()).toExit(exit, message);
  expect(existsSync(join(here, 'weights.lock'))).toBe(exit === 0);
  if (exit !== 0) return;
  expect(lock().weights[0].files).toHaveLength(5);
  const { weights, version } = lock();
  weights[0].files.push({ ...weights[0].files[0], bytes: 7 });
  writeFileSync(join(here, 'weights.lock'), JSON.stringify({ version, weights }));
  expect(await gantry(['volumes', 'verify'])).toExit(7, 'weights.lock cannot be read');
});

test('what the lock has of a URL with a signature needs no request while it is there', async () => {
  const path = 'model-2%20of%202.safetensors';
  const sha256 = sha256Of(files['model-2 of 2.safetensors']);
  const words = ['cp', '--lock', `${hub.cdn}/lfs/${name}/${path}?X-Amz-Signature=secret`, ':/gguf/x.bin'];
  const { stderr } = await gantry([...words, '--sha256', sha256]);
  expect(stderr).toContain('weights.lock has the URL without its query');
  const before = hub.requests.length;
  const again = { revision: null, files: 1, equal: 1, listed: 1, copied: 0 };
  expect((await gantry(['cp', '--lock', '--json'])).json()).toMatchObject({ weights: [again] });
  expect([hub.requests.length, JSON.stringify(lock())]).toEqual([before, expect.not.stringContaining('secret')]);
  await gantry(['rm', ':/gguf/x.bin', '--yes']);
  expect((await gantry(['cp', '--lock', '--json'])).json()).toMatchObject({ weights: [{ listed: 0, copied: 1 }] });
  expect(emulator.volume().read('/gguf/x.bin')?.length).toBe(2 ** 18);
});

test('an interrupted pull says which files were sent', async () => {
  const stop = new AbortController();
  hub.mischief = ({ name: file }) => file === 'model-1 of 2.safetensors' && !stop.signal.aborted;
  const { code, stderr } = await gantry(['cp', source, ':/models/qwen', '--debug'], {
    stop: stop.signal,
    seen: (_, said) => {
      if (said.match(/cp\/complete 200/g)?.length === 4) setImmediate(() => stop.abort());
    },
  });
  const [, files, more = '0'] =
    /interrupted after (\d) files?(?:, and (\d) more (?:was|were) sent)?\n/.exec(stderr) ?? [];
  expect([code, Number(files) + Number(more)]).toEqual([130, 4]);
});

describe('a gated model', () => {
  const token = 'hf_0123456789abcdefABCDEF';
  beforeEach(() => {
    hub.models[name] = { files, token, inGit: ['config.json'] };
  });

  test('is read with the token from HF_TOKEN, which the second host never sees', async () => {
    const words = ['cp', source, ':/models/qwen', '--debug'];
    const { code, stdout, stderr } = await gantry(words, { env: { HF_TOKEN: token } });
    expect([code, (stdout + stderr).includes(token)]).toEqual([0, false]);
    expectAllThere();
    const sent = (at: string) =>
      new Set(hub.requests.filter((each) => each.at === at).map((each) => each.authorization));
    expect([sent('hub'), sent('cdn')]).toEqual([new Set([`Bearer ${token}`]), new Set([undefined])]);
  });

  test.each([
    [{}, 4, 'is gated or private, or does not exist', false],
    [{}, 4, 'is gated or private, or does not exist', true],
    [{ HF_TOKEN: 'hf_of_somebody_else' }, 5, 'the account of the token may not read', false],
    [{ HF_TOKEN: 'hf_of_somebody_else' }, 5, 'the account of the token may not read', true],
  ])('is refused with %j', async (env, exit, message, isListed) => {
    hub.models[name] = { files, token, isListed };
    const outcome = await gantry(['cp', source, ':/models/qwen'], {
      env: env as Record<string, string>,
    });
    expect(outcome).toExit(exit, message, 'Access to model Qwen/Qwen3-0.6B is restricted');
  });
});

test.each([
  [['hf://a/b/c', ':/x'], 2, 'invalid source'],
  [['hf://../b', ':/x'], 2, 'invalid source'],
  [['hf://a/b', ':/x', '--sha256', 'a'.repeat(64)], 2, '--sha256 is for a file'],
  [['hf://no/such', ':/x'], 4, 'does not exist'],
  [[`${source}@v9`, ':/x'], 6, 'at revision v9 not found'],
  [[source, ':/x', '--include', '*.gguf'], 6, 'none of the 5 files'],
  [[source], 2, 'missing target'],
  [[source, './local'], 2, 'fix gantry cp hf://Qwen/Qwen3-0.6B :/local'],
  [[source, 'local'], 2, 'neither the source nor the target is on a volume'],
  [['--lock'], 2, 'there is no weights.lock'],
] as [string[], number, string][])('weights pull %j exits with %i', async (words, exit, message) => {
  expect(await gantry(['cp', ...words])).toExit(exit, message);
});

test.each([
  ['a login page', '<h1>Log in</h1>', 0, 'received a web page instead of a reply'],
  ['a list that is cut', '{"sha": "c18', 0, 'is incomplete or damaged'],
  ['a list whose connection breaks', '{"sha": "c18', 9, 'the connection to'],
])('%s in place of the list of files is a matter of the network', async (_, body, missing, message) => {
  hub.servers.hub.server.removeAllListeners('request').on('request', (__, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': body.length + missing });
    response.write(body, () => (missing === 0 ? response.end() : response.destroy()));
  });
  expect(await pull()).toExit(69, message);
});

test('a hub that denies access without a token is no matter of an account', async () => {
  hub.models[name] = { files, token: 'hf_x', isListed: true };
  hub.mischief = undefined;
  hub.deniesStrangers = true;
  expect(await pull()).toExit(5, 'may not be read without a token', 'set HF_TOKEN');
});

describe('weights verify', () => {
  beforeEach(() => pull());

  test('reads the volume, and names what differs', async () => {
    expect((await gantry(['volumes', 'verify'])).stdout).toContain('5 of 5 files');
    emulator.volume().write('/models/qwen/onnx/model.onnx', Buffer.from('ONNX'));
    emulator.volume().write('/models/qwen/empty', Buffer.from('not empty'));
    await gantry(['rm', ':/models/qwen/config.json', '--yes']);
    const { code, json } = await gantry(['volumes', 'verify', ':/models/qwen', '--json']);
    expect(code).toBe(7);
    const problems = [
      ['config.json', 'missing'],
      ['empty', 'other size'],
      ['onnx/model.onnx', 'other content'],
    ].map(([path, problem]) => ({ path, problem }));
    expect(json()).toMatchObject({ problems });
  });

  test('what it finds reaches the next pull, though size and time are those of the lock', async () => {
    damage('model-2 of 2.safetensors');
    expect((await pull()).stdout).toContain('as weights.lock says (5 only listed, not read); nothing to copy');
    const { code, json } = await gantry(['volumes', 'verify', '--json']);
    expect([code, json()]).toMatchObject([
      7,
      { problems: [{ problem: 'other content' }], next: [{ argv: expect.any(Array) }] },
    ]);
    expect((await gantry(['volumes', 'verify', '--quick'])).code).toBe(7);
    const fix = (json() as { next: { argv: string[] }[] }).next[0]?.argv.slice(1) ?? [];
    const { stdout } = await gantry(fix);
    expect(stdout).toContain('as weights.lock says (4 only listed, not read); 1 file copied');
    expectAllThere();
    expect((await gantry(['volumes', 'verify'])).code).toBe(0);
    expect((await gantry(['volumes', 'verify', '--quick'])).code).toBe(0);
  });

  test('names the folder of each problem', async () => {
    await gantry(['cp', source, ':/other', '--include', '*.json']);
    await gantry(['rm', ':/other/config.json', ':/models/qwen/config.json', '--yes']);
    const { json, stdout } = await gantry(['volumes', 'verify', '--json']);
    expect([stdout, json()]).toMatchObject([
      expect.anything(),
      {
        problems: ['default:/models/qwen/', 'default:/other/'].map((target) => ({ target, path: 'config.json' })),
      },
    ]);
  });
});

test('check tells of a model that is loaded by name although the volume has it', async () => {
  await pull('--include', '*.json');
  writeFileSync(join(here, 'cerebrium.toml'), '[cerebrium.deployment]\nname = "web"\n');
  writeFileSync(join(here, 'main.py'), `# "${name}"\nmodel = load("${name}")\ndef run():\n    return 1\n`);
  const { code, stderr } = await gantry(['check']);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`main.py loads ${name} by name`)]);
  expect(stderr).toContain('main.py:2:14');
  expect(stderr).toContain('load "/persistent-storage/models/qwen" instead');
});
