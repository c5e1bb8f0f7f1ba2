import { describe, expect, test } from 'vitest';
import { parseParameters } from '../../../src/calls/invoke/prepare-call.ts';
import { GantryError, UsageError } from '../../../src/kernel/errors.ts';
import type { Context } from '../../../src/platform/context.ts';
import { newFolder } from '../../support/files.ts';

const folder = newFolder({ 'ä.txt': 'grün\n', 'photo.png': '\u0000\u0001', latin: Buffer.from([0xe4]) });
const notes: string[] = [];
const progress = { note: (text: unknown) => notes.push(String(text)) } as unknown as Context['progress'];
const here = { cwd: folder, signal: new AbortController().signal, progress };

describe('a parameter', () => {
  test.each<[word: string, name: string, value: unknown]>([
    ['a=b', 'a', 'b'],
    ['a=', 'a', ''],
    ['a=1', 'a', '1'],
    ['a=b=c', 'a', 'b=c'],
    ['a=:=1', 'a', ':=1'],
    ['a:=1', 'a', 1],
    ['a:=null', 'a', null],
    ['a:="x"', 'a', 'x'],
    ['a:={"b":[true]}', 'a', { b: [true] }],
    ['a:b=c', 'a:b', 'c'],
    ['a=@ä.txt', 'a', 'grün\n'],
    ['a=@photo.png', 'a', 'AAE='],
    ['a=@latin', 'a', '5A=='],
    ['a=@@handle', 'a', '@handle'],
    ['a=@', 'a', '@'],
    ['a:="@x"', 'a', '@x'],
    ['__proto__=x', '__proto__', 'x'],
  ])('%s has a name and a value', async (word, name, value) => {
    expect(Object.entries((await parseParameters(here, [word])) ?? {})).toEqual([[name, value]]);
  });

  test('of bytes says what arrives; one of text says nothing', async () => {
    notes.length = 0;
    await parseParameters(here, ['a=@photo.png', 'b=@ä.txt']);
    expect(notes).toEqual(['a is photo.png as base64 text, which base64.b64decode(a) makes bytes again']);
  });

  test.each([['a'], ['=b'], [':=1'], ['']])('%j is an error', async (word) => {
    await expect(parseParameters(here, [word])).rejects.toThrow(UsageError);
  });

  test.each(['a:=', 'a:=hello', 'a:={'])('%s is an error that suggests text', async (word) => {
    await expect(parseParameters(here, [word])).rejects.toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ fix: expect.stringContaining('a=') }) }),
    );
  });

  test('a file that is missing is an error', async () => {
    await expect(parseParameters(here, ['a=@none'])).rejects.toThrow(GantryError);
  });
});
