import { chmodSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorForAll, newFolder, smallApp } from '../support/index.ts';
import { cleanEnvironment, run } from './binary.ts';

// Node 22.8 and later keep code in files of their own form.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOurs = major < 22 || (major === 22 && minor < 8);

let home: string;
let expected: string;

beforeAll(async () => {
  home = newFolder({});
  expected = (await list()).stdout;
});

async function list(more: Record<string, string> = {}, config = home) {
  const { exitCode, stdout, stderr } = await run(['config', 'list'], {
    env: cleanEnvironment(undefined, { NODE_DISABLE_COMPILE_CACHE: '', GANTRY_CONFIG_DIR: config, ...more }),
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return { stdout: String(stdout) };
}

const codeFolder = (config = home) => {
  const parent = join(config, 'cache', 'code');
  return join(parent, readdirSync(parent)[0] ?? '');
};
/** Of those that a checksum of some of the bytes would miss. */
const flipBit = (seed: number) => (kept: Buffer) => {
  const flipped = Buffer.from(kept);
  const index = (Math.imul(seed, 2_654_435_761) >>> 0) % kept.length;
  flipped.writeUInt8(kept.readUInt8(index) ^ (1 << (seed % 8)), index);
  return flipped;
};

const programFile = () => join(codeFolder(), 'program.cjs.bin');

describe.runIf(isOurs)('compiled code is kept', () => {
  test('from the second run on, and loaded by the third', async () => {
    expect(readdirSync(codeFolder())).toEqual([]);
    expect(statSync(codeFolder()).mode & 0o777).toBe(0o700);
    await list();
    const kept = readFileSync(programFile());
    expect(statSync(programFile()).mode & 0o777).toBe(0o600);
    const { ino } = statSync(programFile());
    expect((await list()).stdout).toBe(expected);
    expect(statSync(programFile()).ino).toBe(ino);
    expect(readFileSync(programFile()).equals(kept)).toBe(true);
  });

  test.each<[string, (kept: Buffer) => Buffer]>([
    ['cut off', (kept) => kept.subarray(0, kept.length >> 1)],
    ['with a block of zeros', (kept) => Buffer.from(kept).fill(0, kept.length >> 1, (kept.length >> 1) + 4096)],
    ['empty', () => Buffer.alloc(0)],
    ...[1, 2].map((seed): [string, (kept: Buffer) => Buffer] => [`with a wrong bit (seed ${seed})`, flipBit(seed)]),
  ])('unless it is damaged: a file that is %s is written again', async (_, damage) => {
    const kept = readFileSync(programFile());
    writeFileSync(programFile(), damage(kept));
    expect((await list()).stdout).toBe(expected);
    expect(readFileSync(programFile()).equals(damage(kept))).toBe(false);
    expect((await list()).stdout).toBe(expected);
  });

  test('as what it was compiled from: a build meanwhile is read anew', async () => {
    const folder = newFolder({
      'config/none': '',
      'rebuild.cjs': `const { readFileSync, writeFileSync } = require('node:fs');
        const file = require('node:path').join(__dirname, 'dist/program.cjs');
        process.once('exit', () => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('unknown command', 'unknown_command')));`,
    });
    for (const name of ['bin', 'dist', 'package.json']) cpSync(resolve(name), join(folder, name), { recursive: true });
    const more = { NODE_DISABLE_COMPILE_CACHE: '', GANTRY_CONFIG_DIR: join(folder, 'config') };
    const typo = async (...flags: string[]) => {
      const words = [...flags, join(folder, 'bin/gantry.cjs'), 'nosuch'];
      const options = { env: cleanEnvironment(undefined, more), extendEnv: false, reject: false } as const;
      return (await execa(process.execPath, words, options)).stderr;
    };
    expect(await typo()).toContain('unknown command');
    expect(await typo('--require', join(folder, 'rebuild.cjs'))).toContain('unknown command');
    expect(await typo()).toContain('unknown_command');
  });

  test('but never loaded from a folder that others can write to', async () => {
    chmodSync(codeFolder(), 0o777);
    writeFileSync(programFile(), 'planted');
    expect((await list()).stdout).toBe(expected);
    expect(readFileSync(programFile(), 'utf8')).toBe('planted');
    chmodSync(codeFolder(), 0o700);
  });
});

const emulator = emulatorForAll({ real: false });

// V8 refuses code of other flags than its own, and some commands change them while they run.
test.runIf(isOurs)('no command writes code again that is there', async () => {
  const cwd = newFolder({ ...smallApp(), 'inputs.jsonl': '{"a":1}\n{"a":2}\n' });
  const files = newFolder({ a: 'a', 'b/c': 'c' });
  const config = newFolder({});
  const more = { NODE_DISABLE_COMPILE_CACHE: '', GANTRY_CONFIG_DIR: config };
  const runAll = async () => {
    for (const line of ['deploy', `cp ${files} :/up`, 'map web inputs.jsonl -o out'])
      await run(line.split(' '), { cwd, env: cleanEnvironment(emulator, more) });
    const folder = codeFolder(config);
    return Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino]));
  };
  await runAll();
  const kept = await runAll();
  expect(Object.keys(kept)).toEqual(expect.arrayContaining(['deploy.cjs.bin', 'undici.cjs.bin', 'causes.cjs.bin']));
  expect(await runAll()).toEqual(kept);
});

test('the code of another version is removed', async () => {
  const config = newFolder({ 'cache/code/0.0.1-node-v20.19.0-x64/program.cjs.bin': 'old' });
  await list({}, config);
  expect(readdirSync(join(config, 'cache/code'))).toEqual([expect.stringContaining(`-node-${process.version}-`)]);
});

test('a new home gets the folder of caches that it lacks', async () => {
  const home = newFolder({});
  await list({ HOME: home }, '');
  expect(readdirSync(join(home, '.cache/gantry/code'))).toEqual([expect.stringContaining(`-node-${process.version}-`)]);
  expect(statSync(join(home, '.cache')).mode & 0o777).toBe(0o700);
  await list({ HOME: join(home, 'gone') }, '');
  expect(readdirSync(home)).toEqual(['.cache']);
});

test('nothing is kept if Node is told so, or the folder does not exist', async () => {
  const config = newFolder({});
  for (let time = 0; time < 3; time++) await list({ NODE_DISABLE_COMPILE_CACHE: '1' }, config);
  expect(readdirSync(config)).toEqual([]);
  await list({}, join(config, 'gone'));
  expect(readdirSync(config)).toEqual([]);
});
