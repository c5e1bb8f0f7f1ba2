import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatRemotePath,
  joinRemotePath,
  parseRemotePath,
  remoteName,
  remoteParent,
  toRemotePath,
  withTrailingSlash,
} from '../../../src/storage/transfer/remote-path.ts';

test.each([
  ['default:/a/b', 'default', '/a/b'],
  [':/a/b', 'default', '/a/b'],
  [':', 'default', '/'],
  [':/', 'default', '/'],
  ['default:', 'default', '/'],
  ['models-2:a/b/', 'models-2', '/a/b/'],
  ['default:/a//b/./c', 'default', '/a/b/c'],
  ['default:/a/../../b', 'default', '/b'],
  [':/with space/and:colon', 'default', '/with space/and:colon'],
  [':/two\nlines', 'default', '/two\nlines'],
])('%j is on the volume %s, %s', (text, volume, path) => {
  expect(parseRemotePath(text)).toEqual({ volume, path });
});

test.each(['a', '/a/b', './a:b', 'dir/a:b', 'C:\\a', 'C:/a', 'C:', 'a b:c', '-', '', '9:30', '..:x'])(
  '%j is a local path',
  (text) => {
    expect(parseRemotePath(text)).toBeUndefined();
  },
);

test.each(['s3://bucket/a', 'https://example.com/a'])('%s is an error', (text) => {
  expect(() => parseRemotePath(text)).toThrow('invalid remote path');
});

test('a bare path is on the default volume if only remote paths are valid', () => {
  expect(toRemotePath('models/a')).toEqual({ volume: 'default', path: '/models/a' });
  expect(toRemotePath('/models/')).toEqual({ volume: 'default', path: '/models/' });
  expect(toRemotePath('other:/a')).toEqual({ volume: 'other', path: '/a' });
});

test('a formatted path can be parsed again', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/^\.\.?$|\//.test(text));
  fc.assert(
    fc.property(fc.array(name), fc.boolean(), (names, folder) => {
      const path = `/${names.join('/')}${folder && names.length > 0 ? '/' : ''}`;
      const remote = { volume: 'default', path };
      expect(parseRemotePath(formatRemotePath(remote))).toEqual(remote);
    }),
  );
});

test.each([
  ['/a', 'b', '/a/b', 'b', '/a/'],
  ['/a/', 'b/c', '/a/b/c', 'c', '/a/b/'],
  ['/', 'b', '/b', 'b', '/'],
  ['/a', '..', '/a/..', '..', '/a/'],
])('%s and %s make %s', (folder, name, joined, last, parent) => {
  expect(joinRemotePath(folder, name)).toBe(joined);
  expect(remoteName(joined)).toBe(last);
  expect(remoteParent(joined)).toBe(parent);
});

test('a folder ends with one slash', () => {
  expect(withTrailingSlash('/a')).toBe('/a/');
  expect(withTrailingSlash('/a/')).toBe('/a/');
  expect(remoteName('/a/b/')).toBe('b');
  expect(remoteParent('/a/b/')).toBe('/a/');
});
