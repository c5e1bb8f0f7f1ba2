import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { filesOfEqualChecksum } from '../support/equal-checksums.ts';
import { altering, emulatorForEach, gantry, newFolder, repositoryOf, smallApp, withGit } from '../support/index.ts';

/** Only SHA-256 tells these two from each other. */
const [one, two] = filesOfEqualChecksum();

const files = { ...smallApp(), 'data.py': one };
let cwd: string;
let home: string;
let env: Record<string, string>;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  cwd = newFolder(files);
  home = newFolder();
  env = {};
});
const run = (...words: string[]) =>
  gantry([...words, '--json'], { emulator, cwd, env: { ...withGit, GANTRY_CONFIG_DIR: home, ...env } });
const edit = (content: string) => writeFile(join(cwd, 'data.py'), content);
const deployed = async () => ((await run('deploy')).json() as { build: string }).build;
const creations = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;

test('where nothing is on record, an unchanged deploy names its page in the dashboard', async () => {
  await run('deploy');
  home = newFolder();
  const { changed, dashboard } = (await run('deploy', '--if-changed')).json() as Record<string, unknown>;
  expect([changed, dashboard]).toEqual([false, expect.stringMatching(/\/apps\/p-\d+-web\/builds\/./)]);
});

test('two files have the same size and CRC-32', () => {
  expect([two.length, crc32(two)]).toEqual([one.length, crc32(one)]);
  expect(one).not.toBe(two);
});

test.each([[['--if-changed']], [['--if-changed', '--repack']]])('deploy %j tells them apart', async (flags) => {
  await deployed();
  expect((await run('deploy', ...flags)).json()).toMatchObject({ changed: false });
  await edit(two);
  const { json, stderr } = await run('deploy', ...flags);
  expect([json(), creations()]).toEqual([expect.objectContaining({ changed: true }), 2]);
  expect(stderr).toContain('data.py changed: deploying');
});

test('deploy --dry-run tells them apart', async () => {
  await deployed();
  await edit(two);
  expect((await run('deploy', '--dry-run')).json()).toMatchObject({
    fileChanges: { changed: ['data.py'], byCrc32: 0 },
  });
});

test('deploy --apply-plan tells them apart, also in a plan of another version of zlib', async () => {
  const file = join(newFolder(), 'plan.json');
  await run('deploy', '--dry-run', '--save-plan', file);
  const plan = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...plan, archive: { ...plan.archive, zlib: 'another' } }));
  await edit(two);
  const { code, json } = await run('deploy', '--apply-plan', file);
  expect([code, creations()]).toEqual([7, 0]);
  expect(json()).toMatchObject({ error: { details: { moved: ['data.py'] } } });
});

test('rollback --from-git tells them apart by what was sent', async () => {
  const { path, git } = repositoryOf(files);
  cwd = path;
  env = { GANTRY_KEEP_ARCHIVES: 'off' };
  const first = await deployed();
  await edit(two);
  git('commit', '--all', '--quiet', '--message', 'second');
  await deployed();
  const other = await run('rollback', 'web', first, '--yes', '--from-git', 'HEAD');
  expect([other.code, creations()]).toEqual([7, 2]);
  expect(other.stderr).toContain('SHA-256');
  expect((await run('rollback', 'web', first, '--yes', '--from-git', 'HEAD~1')).code).toBe(0);
});

test.each<[string, string, number, string]>([
  ['the SHA-256 of other files', two, 7, ''],
  ['the SHA-256 of these files', one, 0, 'sha256'],
])(
  'rollback compares by SHA-256 where the platform lists it, and nothing is on record: %s',
  async (_, content, code, proof) => {
    const contents = Object.entries({ ...smallApp(), 'data.py': content });
    const digests = new Map(contents.map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]));
    env = await altering(emulator, (_method, path, json) => {
      if (!path.endsWith('/zip-contents')) return undefined;
      const { zipFiles } = json as { zipFiles: Record<string, object> };
      const listed = Object.entries(zipFiles).map(([name, facts]) => [name, { ...facts, sha256: digests.get(name) }]);
      return { body: { ...(json as object), zipFiles: Object.fromEntries(listed) } };
    });
    const first = await deployed();
    await edit(two);
    await deployed();
    await rm(join(home, 'state', 'history'), { recursive: true });
    const result = await run('rollback', 'web', first, '--yes');
    expect(result.code).toBe(code);
    if (proof) expect(result.json()).toMatchObject({ proof });
  },
);

test('where the platform lists CRC-32 only, what was compared by it is said', async () => {
  const first = await deployed();
  home = newFolder();
  const { stderr, json } = await run('deploy', '--if-changed');
  expect(json()).toMatchObject({ changed: false });
  expect(stderr).toContain('was not deployed from here: only its files were compared (by CRC-32)');
  expect((await run('deploy', '--dry-run')).json()).toMatchObject({ fileChanges: { unverified: 0, byCrc32: 3 } });
  const second = await deployed();
  await deployed();
  await rm(join(home, 'state', 'history'), { recursive: true });
  expect((await run('rollback', 'web', second, '--yes')).json()).toMatchObject({ proof: 'crc32' });
  expect(first).not.toBe(second);
});
