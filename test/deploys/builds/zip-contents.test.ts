import { expect, test } from 'vitest';
import { parseZipContents } from '../../../src/deploys/builds/compare-listings.ts';

test.each<[string, unknown, object[]]>([
  ['nothing', null, []],
  ['a word', 'none', [{ path: 'none' }]],
  ['an empty map', {}, []],
  ['an empty list', [], []],
  ['a list of paths', ['a.py', 'src/b.py'], [{ path: 'a.py' }, { path: 'src/b.py' }]],
  [
    'paths and sizes',
    { 'a.py': 5, 'b.py': 0 },
    [
      { path: 'a.py', size: 5 },
      { path: 'b.py', size: 0 },
    ],
  ],
  ['paths and nothing', { 'a.py': null, 'b.py': '' }, [{ path: 'a.py' }, { path: 'b.py' }]],
  ['paths and words', { 'a.py': 'text' }, [{ path: 'a.py', more: 'text' }]],
  ['paths and facts', { 'a.py': { size: 5, crc32: 7 } }, [{ path: 'a.py', size: 5, crc32: 7 }]],
  [
    'checksums as text',
    {
      'a.py': { crc32: '0a1b2c3d' },
      'b.py': { crc32: '12345678' },
      'c.py': { crc32: '7' },
      'd.py': { crc32: 12345678 },
    },
    [
      { path: 'a.py', crc32: 0x0a1b2c3d },
      { path: 'b.py', crc32: 0x12345678 },
      { path: 'c.py', crc32: 7 },
      { path: 'd.py', crc32: 12345678 },
    ],
  ],
  ['facts of zero', { 'a.py': { size: 0, crc32: 0 } }, [{ path: 'a.py', size: 0, crc32: 0 }]],
  [
    'other facts',
    { 'a.py': { size: 5, mode: 420, owner: null } },
    [{ path: 'a.py', size: 5, more: 'mode=420 owner=null' }],
  ],
  ['a size that is not a number', { 'a.py': { size: 'large' } }, [{ path: 'a.py' }]],
  ['objects with a path', [{ path: 'a.py', size_bytes: 5, crc: 7 }], [{ path: 'a.py', size: 5, crc32: 7 }]],
  ['objects with a filename', [{ filename: 'a.py', uncompressed_size: 5 }], [{ path: 'a.py', size: 5 }]],
  ['objects without any name', [{ size: 5 }, null, 7], [{ path: '0', size: 5 }, { path: '1' }, { path: '2', size: 7 }]],
  [
    'a folder in a map',
    { src: { 'a.py': { size: 5 }, deep: { 'b.py': { size: 6 } } } },
    [
      { path: 'src/a.py', size: 5 },
      { path: 'src/deep/b.py', size: 6 },
    ],
  ],
  ['a folder with children', [{ name: 'src', children: [{ name: 'a.py', size: 5 }] }], [{ path: 'src/a.py', size: 5 }]],
  ['a folder with files', { 'src/': { files: ['a.py', 'b.py'] } }, [{ path: 'src/a.py' }, { path: 'src/b.py' }]],
  [
    'a list in a folder',
    { src: ['a.py', { name: 'b.py', bytes: 1 }] },
    [{ path: 'src/a.py' }, { path: 'src/b.py', size: 1 }],
  ],
])('parses %s', (_, zipFiles, expected) => {
  expect(parseZipContents(zipFiles)).toEqual(expected);
});
