import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../src/platform/api/client.ts';
import type { CopyEndSource, CopyTarget } from '../../../src/storage/copy/index.ts';
import { type CompareContext, compare, type Difference } from '../../../src/storage/sync/compare.ts';
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
const options = { include: [], exclude: [], follow: true, verify: false, renameClashes: false };

let listed: string[];
beforeEach(() => {
  listed = [];
});

test('each file of two trees is new, updated, unchanged or extra, in any order of the listings', async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.integer(), async ([source, target], seed) => {
      listed = [];
      const context = volume({ source, target }, seed);
      expect(await summary(compare(remote('source'), remote('target'), options, context))).toEqual(
        model(source, target),
      );
      expect(listed.toSorted()).toEqual([...new Set(listed)].sort());
    }),
  );
});

test('from and to a folder on disk', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async ([there, here]) => {
      const context = volume({ there });
      const kept = withDiskErrors(here);
      const local = { kind: 'local', path: newFolder(kept), written: 'folder' } as const;
      const tree = new Map(Object.entries(kept).map(([path, text]) => [path, text.length]));
      const source = { location: local, isFolder: true, name: 'folder' };
      const sent = await summary(compare(source, remote('there'), options, context));
      // The time of a file that was just written is later.
      const { added, extra } = model(tree, there);
      expect([sent.added, sent.extra]).toEqual([added, extra]);
      const found = await summary(compare(remote('there'), { folder: local, name: undefined }, options, context));
      // A file that is in the way of a folder is refused later.
      expect(found.extra).toEqual(model(there, tree).extra);
    }),
    { numRuns: 40 },
  );
});

test('a walk of many files is copied folder by folder', async () => {
  const full = new Map(['b', 'a/b', 'a/c/d', 'a/e', 'a-b/c'].map((path) => [path, 1]));
  const { added } = await compare(remote('full'), remote('none'), options, volume({ full }));
  expect(Array.from(added, ({ path }) => path)).toEqual(['a/b', 'a/e', 'a-b/c', 'a/c/d', 'b']);
});

test('neither side has to exist', async () => {
  const context = volume({ full: new Map([['a/b', 1]]) });
  const counts = async (from: string, to: string) => {
    const { added, extra } = await compare(remote(from), remote(to), options, context);
    return [added.length, extra.length];
  };
  expect([await counts('full', 'none'), await counts('full', 'full')]).toEqual([
    [1, 0],
    [0, 0],
  ]);
});

function remote(folder: string): CopyEndSource & CopyTarget {
  const at = { volume: 'default', region: 'us-east-1', path: `/${folder}/` };
  return { location: { kind: 'remote', at }, isFolder: true, name: folder, folder: { kind: 'remote', at } };
}

/** A seed shuffles each listing: without one, entries are in the order of the tree. */
function volume(roots: Record<string, Tree>, seed?: number): CompareContext {
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
    const all = [...entries.values()];
    if (seed === undefined) return all;
    const [order = all] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), {
      numRuns: 1,
      seed,
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

async function summary(found: Promise<Difference>) {
  const { added, updated, extra, unchanged } = await found;
  const paths = (files: Iterable<{ path: string }>) => Array.from(files, ({ path }) => path).sort();
  expect([added.length, updated.length]).toEqual([added, updated].map((list) => paths(list).length));
  return { added: paths(added), updated: paths(updated), unchanged, extra: [...extra] };
}

function model(source: Tree, target: Tree) {
  const [shared, added] = [true, false].map((isShared) =>
    [...source.keys()].filter((path) => target.has(path) === isShared).sort(),
  ) as [string[], string[]];
  const updated = shared.filter((path) => source.get(path) !== target.get(path));
  const extra = [...target.keys()].filter((path) => !source.has(path)).sort();
  return { added, updated, unchanged: shared.length - updated.length, extra };
}
