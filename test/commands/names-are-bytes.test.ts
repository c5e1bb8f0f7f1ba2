import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withRevision } from '../../src/deploys/git/index.ts';
import type { Context } from '../../src/platform/context.ts';
import { Draw } from '../chaos/draw.js';
import { smallApp } from '../support/app.ts';
import { drawnCases } from '../support/extent.ts';
import { alsoListing } from '../support/in-front-of.ts';
import { emulatorForAll, lay, newFolder, repositoryOf, gantry as run } from '../support/index.ts';

/** `FUZZ_CASES=1000` and `FUZZ_SEED` for others. */
const cases = drawnCases(8, 16);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_128);
/** Sends a deploy too: one in so many. */
const deploysEvery = 4;

const emulator = emulatorForAll({ real: false, seed: 1 });
const home = newFolder();

const gantry = (cwd: string, ...words: string[]) => gantryWith({}, cwd, ...words);
const gantryWith = (env: Record<string, string>, cwd: string, ...words: string[]) =>
  run([...words, '--json'], { emulator, cwd, env: { GANTRY_CONFIG_DIR: home, ...env } });
const shelf = () => emulator.volume();

/** Other systems store names as text. */
describe.runIf(process.platform === 'linux')('a name is its bytes', () => {
  const twins = () => treeOf([[bytes('bad', 0xff)], [bytes('bad\ufffd')], [bytes('caf\u00e9')], [bytes('cafe\u0301')]]);

  test.each(['cp', 'sync'])('%s sends no file under the name of another', async (command) => {
    const tree = twins();
    const { code, json, stderr } = await gantry(tree, command, '.', `:/${command}`);
    expect([code, json()]).toMatchObject([1, { files: 3, failed: [{ path: 'bad\\xff', code: 'failed' }] }]);
    expect(stderr).toContain('bad\\xff was not copied: the name is not valid UTF-8');
    expect(storedBelow(`/${command}/`)).toEqual(textFiles(tree));
    const others = await gantry(tree, command, '.', `:/${command}-some`, '--exclude', '*\ufffd');
    expect([others.code, others.json()]).toMatchObject([0, { files: 2, failed: [] }]);
  });

  test('deploy sends no file under the name of another', async () => {
    const tree = twins();
    lay(tree, smallApp());
    const outcome = await gantry(tree, 'deploy', '--yes');
    expect(outcome).toExit(10, 'the name of bad\\xff is not valid UTF-8', 'fix rename or exclude it');
  });

  test('a link to such a name is not followed to the other file', async () => {
    const tree = twins();
    lay(tree, smallApp('exclude = ["bad*"]\n'));
    symlinkSync(bytes('bad', 0xff), join(tree, 'link'));
    expect(await gantry(tree, 'deploy', '--dry-run', '-o', '../linked.zip')).toExit(10, 'bad\\xff is not valid UTF-8');
  });

  test('a revision of git has its files, whatever their names', async () => {
    const tree = twins();
    const repository = repositoryOf({ kept: '' });
    repository.git('--work-tree', tree, 'add', '--all');
    repository.git('commit', '--quiet', '--message', 'names');
    const { signal } = new AbortController();
    const context = { cwd: repository.path, env: process.env, signal } as unknown as Context;
    const found = await withRevision(context, { revision: 'HEAD', whole: true }, async ({ folder }) =>
      filesByBytes(folder),
    );
    expect(found).toEqual(filesByBytes(tree));
  });

  test('what is said to be there is there, name by name', { timeout: cases * 4_000 }, async () => {
    for (let number = 0; number < cases; number++) {
      const random = new Draw(seed + number);
      const tree = treeOf(drawPaths(random));
      const context = `FUZZ_SEED=${seed + number} FUZZ_CASES=1`;
      await expectCopied(tree, `/cp-${number}/`, 'cp', context);
      await expectCopied(tree, `/sync-${number}/`, 'sync', context);
      await expectBack(`/cp-${number}/`, random.chance(0.3), random.chance(0.5) ? 'cp' : 'sync', context);
      await expectPacked(tree, random.chance(0.5), number % deploysEvery === 0, context);
    }
  });
});

test('two files of one name are never sent to a volume as two', async () => {
  const here = newFolder({ 'a/same': '1', 'b/same': '2', 'b/other': '3' });
  const { code, stderr } = await gantry(here, 'cp', 'a/same', 'b/same', 'b/other', ':/twice/');
  expect([code, stderr]).toEqual([7, expect.stringContaining('several sources are named same')]);
  expect(storedBelow('/twice/')).toEqual({});
});

test('two folders of one name are copied as one, unless both have a file of one name', async () => {
  const here = newFolder({ 'a/d/same': '1', 'a/d/in/x': '2', 'b/d/other': '3', 'c/d/same': '4' });
  expect((await gantry(here, 'cp', 'a/d', 'b/d', ':/one/')).code).toBe(0);
  expect(storedBelow('/one/')).toEqual({ 'd/same': '1', 'd/in/x': '2', 'd/other': '3' });
  const twice = [
    ['a/d', 'c/d', ':/two/'],
    [':/d', ':/', 'three/'],
  ];
  expect((await gantry(here, 'cp', 'a', ':/')).code).toBe(0);
  for (const words of twice) {
    const { code, stderr } = await gantry(here, 'cp', ...words);
    expect([code, stderr]).toEqual([7, expect.stringContaining('several sources are named d/same')]);
    expect(stderr).toContain('fix copy the sources one by one, each to a folder of its own');
  }
  expect([storedBelow('/two/'), existsSync(join(here, 'three'))]).toEqual([{}, false]);
});

type Path = Buffer[];

function bytes(...parts: (string | number)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));
}

const pieces = [
  ...[
    'a',
    'B',
    '-',
    '--x',
    ' ',
    '\n',
    '\\',
    '\\xff',
    "'",
    '"',
    '$(x)',
    '*',
    '\u00e9',
    'e\u0301',
    '\ufffd',
    '\u{1f4a5}',
  ].map((text) => bytes(text)),
  // An end of nothing, a lone surrogate, half a character, too long an encoding.
  ...[[0xff], [0xed, 0xa0, 0x80], [0xc3], [0xc0, 0xaf]].map((each) => Buffer.from(each)),
];

function drawName(random: Draw): Buffer {
  return Buffer.concat(Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => random.pick(pieces)));
}

function drawPaths(random: Draw): Path[] {
  const paths: Path[] = [];
  for (let left = 1 + Math.floor(random.next() * 8); left > 0; left--) {
    const inside = paths.length > 0 && random.chance(0.4) ? random.pick(paths).slice(0, -1) : [];
    const folder = random.chance(0.3) && inside.length < 2 ? [...inside, drawName(random)] : inside;
    const name = drawName(random);
    paths.push([...folder, name]);
    // What Node makes of it, which is another name.
    if (random.chance(0.4)) paths.push([...folder, Buffer.from(String(name))]);
  }
  return paths;
}

/** A folder with a file at each path that is free; each has its path as its content. */
function treeOf(paths: readonly Path[]): string {
  const root = newFolder();
  for (const path of paths) {
    try {
      mkdirSync(below(root, path.slice(0, -1)), { recursive: true });
      writeFileSync(below(root, path), path.map((name) => name.toString('hex')).join('/'), { flag: 'wx' });
    } catch {
      // A folder or a file is in its place.
    }
  }
  return root;
}

function below(root: string, path: Path): Buffer {
  return Buffer.concat(
    [root, ...path].flatMap((name, at) => (at === 0 ? [Buffer.from(name)] : [bytes('/'), name as Buffer])),
  );
}

/** Each file below a folder by the bytes of its path, in Latin-1, with its content. Nothing of the program is used. */
function filesByBytes(root: string, path: Path = []): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(below(root, path), { withFileTypes: true, encoding: 'buffer' })) {
    const inner = [...path, entry.name];
    if (entry.isDirectory()) Object.assign(found, filesByBytes(root, inner));
    else
      found[Buffer.concat(inner.flatMap((name, at) => (at === 0 ? [name] : [bytes('/'), name]))).toString('latin1')] =
        String(readFileSync(below(root, inner)));
  }
  return found;
}

const decoded = (latin1: string) => String(Buffer.from(latin1, 'latin1'));
const isText = (latin1: string) => Buffer.from(decoded(latin1)).toString('latin1') === latin1;

/** Those whose path is text, by it. */
function textFiles(root: string, isWanted: (path: string) => boolean = () => true): Record<string, string> {
  const files = Object.entries(filesByBytes(root)).filter(([path]) => isText(path));
  return Object.fromEntries(files.map(([path, text]) => [decoded(path), text]).filter(([path = '']) => isWanted(path)));
}

/** The topmost entries of a folder whose names are no text, as they are shown. */
function unnamed(root: string): string[] {
  const shown = Object.keys(filesByBytes(root)).flatMap((path) => {
    const names = path.split('/');
    const at = names.findIndex((name) => !isText(name));
    const escaped = names[at]?.replace(/[\x80-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
    return at < 0 ? [] : [[...names.slice(0, at).map(decoded), escaped].join('/')];
  });
  return [...new Set(shown)].sort();
}

function storedBelow(folder: string): Record<string, string> {
  const paths = shelf()
    .paths()
    .filter((path) => path.startsWith(folder));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), String(shelf().read(path))]));
}

interface Copied {
  files: number;
  failed: { path: string }[];
}

async function expectCopied(tree: string, folder: string, command: 'cp' | 'sync', context: string): Promise<void> {
  const { code, json } = await gantry(tree, command, '.', `:${folder}`);
  const expected = textFiles(tree);
  const { files, failed } = json() as Copied;
  expect(failed.map(({ path }) => path).sort(), context).toEqual(unnamed(tree));
  expect([code, files], context).toEqual([failed.length > 0 ? 1 : 0, Object.keys(expected).length]);
  expect(storedBelow(folder), context).toEqual(expected);
  if (command === 'cp') return;
  const again = await gantry(tree, 'sync', '.', `:${folder}`);
  expect(again.json(), context).toMatchObject({ new: 0, updated: 0, unchanged: files, extra: 0 });
}

/** From a volume; one more name there, if `isOdd`, is no text. */
async function expectBack(folder: string, isOdd: boolean, command: 'cp' | 'sync', context: string): Promise<void> {
  const expected = storedBelow(folder);
  if (Object.keys(expected).length === 0) return;
  const env = isOdd ? await alsoListing(emulator, folder, 'bad\ud800') : {};
  const here = newFolder();
  const { code, json } = await gantryWith(env, here, command, `:${folder}`, 'back');
  const { files, failed } = json() as Copied;
  expect([code, files, failed.length], context).toEqual([isOdd ? 70 : 0, Object.keys(expected).length, isOdd ? 1 : 0]);
  expect([textFiles(join(here, 'back')), unnamed(here)], context).toEqual([expected, []]);
}

async function expectPacked(tree: string, excludes: boolean, deploys: boolean, context: string): Promise<void> {
  lay(tree, smallApp(excludes ? 'exclude = [".*", "*\\uFFFD*"]\n' : ''));
  const bad = excludes ? [] : unnamed(tree);
  const expected = Object.keys(textFiles(tree, (path) => !excludes || !path.includes('\ufffd')));
  const { code, json, stderr } = await gantry(tree, 'deploy', '--dry-run', '-o', '../packed.zip');
  expect([code, bad.length > 0, stderr], context).toEqual([bad.length > 0 ? 10 : 0, code === 10, expect.anything()]);
  if (code === 10) return;
  const { entries } = json() as { entries: { path: string }[] };
  const sorted = expected.toSorted();
  expect(entries.map(({ path }) => path).sort(), context).toEqual(sorted);
  expect(
    namesInZip(readFileSync(join(tree, '../packed.zip')))
      .map(decoded)
      .sort(),
    context,
  ).toEqual(sorted);
  // The platform of these tests refuses backslashes.
  if (!deploys || expected.some((path) => path.includes('\\'))) return;
  const sent = await gantry(tree, 'deploy', '--yes');
  expect([sent.code, sent.stderr], context).toEqual([0, expect.anything()]);
  const deployed = await gantry(tree, 'builds', 'get', 'web', 'latest', '--files');
  expect(Object.keys((deployed.json() as { zipFiles: object }).zipFiles).sort(), context).toEqual(sorted);
}

/** Of the central directory, as bytes in Latin-1. */
function namesInZip(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\u0005\u0006');
  const names: string[] = [];
  for (let at = zip.readUInt32LE(end + 16); at < end; ) {
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    names.push(zip.toString('latin1', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}
