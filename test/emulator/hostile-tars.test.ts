import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTar, unpackTar } from '../../src/emulator/running/archives.ts';
import { newFolder } from './support/platform.ts';

interface Entry {
  name?: string;
  type?: string;
  content?: string;
  /** The size field. Default: the actual size. */
  size?: string | Buffer;
  /** The checksum field. Default: the actual checksum. */
  sum?: string;
  prefix?: string;
}

/** An entry with these fields, valid or not. */
function entry({ name = 'job.py', type = '0', content = '', size, sum, prefix = '' }: Entry): Buffer {
  const header = Buffer.alloc(512);
  const body = Buffer.from(content);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  Buffer.from(size ?? body.length.toString(8).padStart(11, '0')).copy(header, 124, 0, 12);
  header.write(`        ${type}`, 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(prefix, 345, 155);
  const total = header.reduce((all, byte) => all + byte, 0);
  header.write(sum ?? `${total.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const end = Buffer.alloc(1024);
const tarOf = (...entries: Entry[]) => Buffer.concat([...entries.map(entry), end]);
const pax = (...records: string[]): Entry => ({ name: 'pax', type: 'x', content: records.join('') });
const long = (path: string): Entry => ({ name: '././@LongLink', type: 'L', content: path });

const refused: [what: string, tar: Buffer, reason: string][] = [
  ['an absolute name', tarOf({ name: '/etc/job.py' }), 'absolute path'],
  ['an absolute prefix', tarOf({ prefix: '/etc', name: 'job.py' }), 'absolute path'],
  ['an absolute long name', tarOf(long('/etc/job.py'), {}), 'absolute path'],
  ['an absolute name in an extended header', tarOf(pax('20 path=/etc/job.py\n'), {}), 'absolute path'],
  ['a name that leads out', tarOf({ name: '../job.py' }), 'invalid relative path'],
  ['a name that leads out further down', tarOf({ name: 'a/../../job.py' }), 'invalid relative path'],
  ['a prefix that leads out', tarOf({ prefix: '..', name: 'job.py' }), 'invalid relative path'],
  ['a long name that leads out', tarOf(long('../job.py'), {}), 'invalid relative path'],
  ['no name', tarOf({ name: '' }), 'EEXIST'],
  ['a name that is a folder only', tarOf({ name: '.' }), 'EEXIST'],
  ['a NUL in a name', tarOf(pax('16 path=job\0.py\n'), {}), 'null bytes'],
  ['a name of 300 bytes', tarOf(long('x'.repeat(300)), {}), 'ENAMETOOLONG'],
  ['a name twice', tarOf({ name: 'a' }, { name: './a' }), 'EEXIST'],
  ['a file that is a folder, too', tarOf({ name: 'a' }, { name: 'a/b' }), 'E'],
  ['a symbolic link', tarOf({ name: 'a', type: '2' }, { name: 'a/b' }), 'an entry that is not a file: a'],
  ['a hard link', tarOf({ name: 'a', type: '1' }), 'an entry that is not a file: a'],
  ['a device', tarOf({ name: 'a', type: '3' }), 'an entry that is not a file: a'],
  ['a FIFO', tarOf({ name: 'a', type: '6' }), 'an entry that is not a file: a'],
  ['an entry of an unknown type', tarOf({ name: 'a', type: '\xff' }), 'an entry that is not a file: a'],
  ['a size of 8 GiB', tarOf({ size: '77777777777' }), 'Unexpected end of data'],
  ['a wrong checksum', tarOf({ sum: '000001\0 ' }), 'Invalid tar header'],
  ['half a content', tarOf({ content: 'x'.repeat(900) }).subarray(0, 1000), 'Unexpected end of data'],
  ['text', Buffer.from('not a tar'.repeat(200)), 'Invalid tar header'],
];

describe('a tar with', () => {
  test.each(refused)('%s is refused and leaves nothing behind', async (_, tar, reason) => {
    const place = newFolder();
    await expect(unpackTar(tar, join(place, 'run'))).rejects.toThrow(reason);
    expect(readdirSync(place)).toEqual([]);
  });

  test.each<[string, Buffer, [path: string, content: string][]]>([
    ['line ends in a name', tarOf(pax('13 path=a\nb.py\n'.replace('13', '15')), {}), [['a\nb.py', '']]],
    ['a folder of the oldest form', tarOf({ name: 'a/', type: '\0' }, { name: 'a/b' }), [['a/b', '']]],
    ['a folder', tarOf({ name: '../a', type: '5' }, { name: 'b' }), [['b', '']]],
  ])('%s is read like tar does', async (_, tar, files) => {
    expect((await readTar(tar)).map(({ path, content }) => [path, String(content)])).toEqual(files);
    expect(await unpackTar(tar, join(newFolder(), 'run'))).toEqual(files.map(([path]) => path));
  });
});
