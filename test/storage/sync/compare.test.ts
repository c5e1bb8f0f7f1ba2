import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/platform/api/client.ts';
import type { CopyEndSource, CopyTarget } from '../../../src/storage/copy/index.ts';
import {
  type CompareContext,
  compare,
  compareInMemory,
  comparePaths,
  type Difference,
} from '../../../src/storage/sync/compare.ts';
import { newFolder } from '../../support/files.ts';

/** Sizes of files by path. */
type Tree = ReadonlyMap<string, number>;

/** Names that sort differently by bytes, by code units, by locale and as a part of a path, and some that are alike. */
const name = fc.constantFrom(
  ...['a', 'A', 'a.b', 'a-b', 'a b', 'a0', 'aa', 'b', 'B'],
  ...['\u00e9', 'e\u0301', '\u{1f600}', '\ue000', '\uff41', '\ud800'],
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const tree = fc.array(fc.tuple(path, fc.integer({ min: 1, max: 2 })), { maxLength: 12 }).map((files) => new Map(files));
const trees = fc.oneof(
  fc.tuple(tree, tree),
  // Mostly equal, which two random trees hardly ever are.
  fc
    .tuple(tree, tree)
    .map(([common, other]): [Tree, Tree] => [common, new Map([...common, ...[...other].slice(0, 2)])]),
);

const modified = Date.parse('2026-01-01T00:00:00Z');
const options = { include: [], exclude: [], follow: true, renameClashes: false };

let listed: string[];
beforeEach(() => {
  listed = [];
});

describe('comparing two folders as they are listed gives what comparing all of both gives', () => {
  test('on volumes, in any order of the listings, and reads each folder once', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.integer(), async ([source, target], seed) => {
        const context = volume({ source, target }, { shuffled: seed });
        listed = [];
        const found = await summary(compare(remote('source'), remote('target'), options, context));
        const once = listed.toSorted();
        listed = [];
        expect(found).toEqual(await summary(compareInMemory(remote('source'), remote('target'), options, context)));
        expect(once).toEqual(listed.toSorted());
      }),
    );
  });

  test('if entries are listed twice or have a slash in their names', async () => {
    const oddName = fc.tuple(name, name).map((names) => names.join('/'));
    await fc.assert(
      fc.asyncProperty(trees, fc.array(oddName, { maxLength: 2 }), async ([source, target], odd) => {
        const context = volume({ source, target }, { odd });
        for (const [from, to] of [
          ['source', 'target'],
          ['target', 'source'],
        ] as const)
          expect(await summary(compare(remote(from), remote(to), options, context))).toEqual(
            await summary(compareInMemory(remote(from), remote(to), options, context)),
          );
      }),
    );
  });

  test('from and to a folder on disk', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async ([there, here]) => {
        const context = volume({ there }, {});
        const folder = newFolder(withDiskErrors(here));
        const local = { kind: 'local', path: folder, written: 'folder' } as const;
        const [found, all] = [compare, compareInMemory].map(async (way) => [
          await summary(way({ location: local, isFolder: true, name: 'folder' }, remote('there'), options, context)),
          await summary(way(remote('there'), { folder: local, name: undefined }, options, context)),
        ]);
        expect(await found).toEqual(await all);
      }),
      { numRuns: 40 },
    );
  });
});

test('neither side has to exist', async () => {
  const context = volume({ full: new Map([['a/b', 1]]) }, {});
  const counts = async (from: string, to: string) => {
    const { added, extra } = await compare(remote(from), remote(to), options, context);
    return [added.length, extra.length];
  };
  expect([await counts('full', 'none'), await counts('full', 'full')]).toEqual([
    [1, 0],
    [0, 0],
  ]);
});

test('the files of a folder come before those of its subfolders, and names are not compared across slashes', () => {
  const sorted = ['B', 'a', 'a-b', 'a.b', 'a/a', 'a/b', 'a/a/a', 'a-b/c', 'a0/c'];
  fc.assert(
    fc.property(fc.shuffledSubarray(sorted), (paths) => {
      expect(paths.toSorted(comparePaths)).toEqual(sorted.filter((each) => paths.includes(each)));
    }),
  );
});

function remote(folder: string): CopyEndSource & CopyTarget {
  const at = { volume: 'default', region: 'us-east-1', path: `/${folder}/` };
  return { location: { kind: 'remote', at }, isFolder: true, name: folder, folder: { kind: 'remote', at } };
}

interface Listings {
  /** A seed: without one, entries are listed in the order of the tree. */
  shuffled?: number;
  /** Names of files that each folder lists beside its own, the first one twice. */
  odd?: readonly string[];
}

function volume(roots: Record<string, Tree>, { shuffled, odd = [] }: Listings): CompareContext {
  const api = (async (_: unknown, { query }: { query: { dir: string } }) => {
    listed.push(query.dir);
    const [, root = '', inner = ''] = /^\/([^/]*)\/(.*)$/.exec(query.dir) ?? [];
    const entries = new Map<string, object>();
    for (const [path, size] of roots[root] ?? []) {
      if (!path.startsWith(inner)) continue;
      const [first = '', ...rest] = path.slice(inner.length).split('/');
      const isFolder = rest.length > 0;
      const entry = {
        name: first,
        is_folder: isFolder,
        size_bytes: size,
        last_modified: new Date(modified).toISOString(),
      };
      entries.set(`${first}${isFolder ? '/' : ''}`, entry);
    }
    const others = [...odd, ...odd.slice(0, 1)].map((name) => ({ name, is_folder: false, size_bytes: 1 }));
    const all = [...entries.values(), ...others];
    if (shuffled === undefined) return all;
    const [order = all] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), {
      numRuns: 1,
      seed: shuffled,
    });
    return order;
  }) as unknown as Api;
  return {
    api,
    project: 'p-1',
    settings: { folders: { state: newFolder() }, region: { value: undefined } },
  } as unknown as CompareContext;
}

/** Without files that the disk cannot have: below another file, or with half a character in their name. */
function withDiskErrors(files: Tree): Record<string, string> {
  const paths = [...files.keys()].filter((path) => !path.includes('\ud800'));
  const isFolder = (path: string) => paths.some((other) => other.startsWith(`${path}/`));
  return Object.fromEntries(
    paths.filter((path) => !isFolder(path)).map((path) => [path, 'x'.repeat(files.get(path) ?? 0)]),
  );
}

/** A difference without its order, or the error. */
async function summary(found: Promise<Difference>) {
  try {
    const { added, updated, extra, uncopied, ...others } = await found;
    const files = [added, updated].map((list) => [...list].sort((one, other) => comparePaths(one.path, other.path)));
    expect([added.length, updated.length]).toEqual(files.map((list) => list.length));
    return { ...others, files, extra: [...extra], uncopied: uncopied.map(({ path }) => path).sort() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
