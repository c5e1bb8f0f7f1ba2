import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTar } from '../../src/app/tar.ts';
import { readTar } from '../../src/emulator/running/archives.ts';
import { newFolder } from '../support/files.ts';

const file = (path: string, content = 'x', executable = false) => ({ path, content: Buffer.from(content), executable });

const names = [
  ['a plain one', 'main.py'],
  ['one of exactly 100 characters', `${'a'.repeat(97)}.py`],
  ['one too long for its field', `${'a'.repeat(150)}.py`],
  ['folders that fit in two fields', `${'d'.repeat(90)}/${'e'.repeat(60)}/f.py`],
  ['folders that fit nowhere', Array(30).fill('folder-of-some-length').join('/')],
  ['beyond ASCII', 'daten/größe-🙂.csv'],
] as const;

describe('a tar', () => {
  test('keeps a name that starts like a drive letter', async () => {
    const [only] = await readTar(await createTar([file('a:b.py')]));
    expect(normalize(only?.path ?? '')).toBe('a:b.py');
  });

  test('keeps contents and modes, and has no owner and a fixed time', async () => {
    const files = [file('a.py', 'print(1)'), file('empty', ''), file('run.sh', 'x'.repeat(512), true)];
    const tar = await createTar(files);
    expect(await readTar(tar)).toEqual(files);
    expect(tar.equals(await createTar(files))).toBe(true);
    const [owner, group, time] = [
      tar.toString('latin1', 108, 116),
      tar.toString('latin1', 116, 124),
      tar.toString('latin1', 136, 147),
    ];
    expect([owner, group, time].map((field) => Number.parseInt(field, 8))).toEqual([0, 0, Date.UTC(1980) / 1000]);
  });

  test('can be read by other programs, also with long names', async () => {
    if (spawnSync('tar', ['--version']).status !== 0) return;
    const folder = newFolder();
    const files = names.map(([, path], index) => file(path, `content ${index}`, index === 0));
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: await createTar(files) });
    for (const { path, content } of files) expect(readFileSync(join(folder, path))).toEqual(content);
  });

  test('contains files of any name and size', async () => {
    const name = fc.stringMatching(/^[^\\/\0:.]{1,60}$/u);
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
    const some = fc.array(fc.record({ path, size: fc.nat(3_000) }));
    await fc.assert(
      fc.asyncProperty(some, async (files) => {
        const tar = await createTar(files.map(({ path, size }) => file(path, 'y'.repeat(size))));
        const read = (await readTar(tar)).map(({ path, content }) => ({ path, size: content.length }));
        expect(read).toEqual(files);
      }),
      { numRuns: 50 },
    );
  });
});
