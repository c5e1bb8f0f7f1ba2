import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { defaultExclude, defaultInclude } from '../app/collect.ts';
import { parseAppConfig } from '../app/config.ts';
import { dependencyFiles } from '../app/dependencies.ts';
import { isSelected } from '../app/files/patterns.ts';
import { withAppName } from '../app/set-config-value.ts';
import { once, onceFor } from '../kernel/once.ts';
import type { Context } from '../platform/context.ts';
import type { BuildFile } from './builds/index.ts';
import { readObjects } from './git/index.ts';

/** The app of this folder, and its config file relative to that. */
export interface Here {
  app: string;
  configFile: string;
}

/** What a deploy of a commit sends, by path: modes and ids of blobs, and what gantry makes of the config file instead. */
export interface CommitFiles {
  blobs: ReadonlyMap<string, string>;
  texts: ReadonlyMap<string, string>;
  config: { path: string; text: string };
}

/** What deploys of commits send, as far as git's objects tell. `unknown`: why one of them is absent. */
export async function readSending(context: Context, { app, configFile }: Here, commits: readonly string[]) {
  const config = posix.normalize(configFile);
  const nameOf = (commit: string, path = '') => `${commit}:./${path}`;
  const named = await readObjects(
    context,
    commits.flatMap((commit) => [nameOf(commit), nameOf(commit, config)]),
  );
  // A commit without the app may be one of a large repository.
  const roots = commits.flatMap((commit) =>
    named.has(nameOf(commit, config)) ? (named.get(nameOf(commit)) ?? []) : [],
  );
  const trees = new Map<string, TreeEntry[]>();
  for (let level = roots; level.length > 0; ) {
    for (const { id, bytes } of level) trees.set(id, parseTree(bytes, id.length / 2));
    const below = level.flatMap(({ id }) => trees.get(id) ?? []);
    const ids = below.flatMap(({ mode, id }) => (mode === folderMode && !trees.has(id) ? id : []));
    level = [...(await readObjects(context, [...new Set(ids)])).values()];
  }
  const isSent = new Map<string, boolean>();
  const sent = new Map<string, CommitFiles>();
  let left = maxFiles;
  let unknown: string | undefined;
  for (const commit of commits) {
    const { id, bytes } = named.get(nameOf(commit, config)) ?? {};
    const parsed = parseAppConfig(String(bytes));
    const root = named.get(nameOf(commit));
    if (!root || !parsed || parsed.partner) {
      unknown = `in commit ${commit.slice(0, 8)}, this folder has no app in ${config} (-C FOLDER is another one)`;
      continue;
    }
    const files = [...flatten(trees, root.id)];
    left -= files.length;
    if (left < 0) return { sent, unknown: 'the commits have too many files' };
    const { include = defaultInclude, exclude = defaultExclude } = parsed.deployment;
    const required = [config, parsed.custom?.dockerfile_path, ...Object.values(parsed.dependencies.paths)];
    const always = new Set(required.map((path) => path && posix.normalize(path)));
    const blobs = files.filter(([path]) => {
      return onceFor(isSent, `${id} ${path}`, () => always.has(path) || isSelected(path, include, exclude));
    });
    const [odd] = blobs.find(([, blob]) => !blob.startsWith('100')) ?? [];
    if (odd !== undefined) {
      unknown = `${odd} of commit ${commit.slice(0, 8)} is a link or a submodule, or is not in this clone`;
      continue;
    }
    const made = dependencyFiles(parsed).files.map(({ entry: { path, source } }) => [path, source] as const);
    const texts = made.flatMap(([path, source]): [string, string][] => ('text' in source ? [[path, source.text]] : []));
    if (parsed.name !== app) texts.push([config, await withAppName(parsed.text, app)]);
    sent.set(commit, { blobs: new Map(blobs), texts: new Map(texts), config: { path: config, text: parsed.text } });
  }
  return { sent, unknown };
}

/** Whether two commits send the same. False if that is not known of one of them. */
export function sendSame(a: CommitFiles | undefined, b: CommitFiles | undefined): boolean {
  if (!a || !b || a.blobs.size !== b.blobs.size) return false;
  return [...a.blobs].every(([path, id]) => b.blobs.get(path) === id);
}

/** Those whose files have these checksums. `names`: of other apps, whose builds may have been promoted. */
export async function findSending(
  context: Context,
  sent: ReadonlyMap<string, CommitFiles>,
  listing: readonly BuildFile[],
  names: () => Promise<readonly string[]>,
): Promise<string[]> {
  const paths = new Set(listing.map(({ path }) => path));
  const named = [...sent].filter(([, { blobs, texts }]) => {
    const hasAll = listing.every(({ path }) => blobs.has(path) || texts.has(path));
    return hasAll && [...blobs.keys()].every((path) => paths.has(path));
  });
  const ids = named.flatMap(([, { blobs }]) => [...blobs.values()].map((blob) => blob.slice(modeLength)));
  const objects = await readObjects(context, [...new Set(ids)]);
  const compared = new Map<string, boolean>();
  const isBlob = (file: BuildFile, blob: string | undefined) => {
    const bytesOf = () => objects.get(blob?.slice(modeLength) ?? '')?.bytes;
    return onceFor(compared, `${file.path} ${blob}`, () => hasContent(file, bytesOf()));
  };
  const isFile = ({ blobs, texts }: CommitFiles, file: BuildFile) =>
    hasContent(file, texts.get(file.path)) || isBlob(file, blobs.get(file.path));
  const others = once(names);
  const renamed = new Map<string, Promise<boolean>>();
  const isRenamed = async (file: BuildFile, text: string) => {
    const texts = await Promise.all((await others()).map((name) => withAppName(text, name)));
    return texts.some((each) => hasContent(file, each));
  };
  const matching: string[] = [];
  for (const [commit, files] of named) {
    const [first, ...more] = listing.filter((file) => !isFile(files, file));
    const { path, text } = files.config;
    const isConfig = first?.path === path && more.length === 0;
    if (!first || (isConfig && (await onceFor(renamed, text, () => isRenamed(first, text))))) matching.push(commit);
  }
  return matching;
}

/** Whether a listed file has this content as it is, or with the line ends of another system. */
function hasContent({ size, sha256, crc32: sum }: BuildFile, content: Buffer | string | undefined): boolean {
  const plain = content === undefined ? undefined : Buffer.from(content);
  const other = plain && Buffer.from(plain.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
  return [plain, other].some((bytes) => {
    if (!bytes || (size !== undefined && size !== bytes.length)) return false;
    return sha256 ? createHash('sha256').update(bytes).digest('hex') === sha256 : crc32(bytes) === sum;
  });
}

/** How many files of all commits together are held in memory. */
const maxFiles = 500_000;
const folderMode = '40000';
const modeLength = '100644 '.length;

interface TreeEntry {
  mode: string;
  name: string;
  id: string;
}

/** Entries of `<mode> <name>\0<id in bytes>`. */
function parseTree(bytes: Buffer, idBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    const end = bytes.indexOf(0, at);
    const [mode = '', ...name] = bytes.toString('utf8', at, end).split(' ');
    next = end + 1 + idBytes;
    entries.push({ mode, name: name.join(' '), id: bytes.toString('hex', end + 1, next) });
  }
  return entries;
}

/** An object that is not in this clone has the mode `none`: it counts as no regular file. */
function* flatten(trees: ReadonlyMap<string, TreeEntry[]>, tree: string, folder = ''): Generator<[string, string]> {
  for (const { mode, name, id } of trees.get(tree) ?? [{ mode: 'none', name: '', id: tree }]) {
    if (mode === folderMode) yield* flatten(trees, id, `${folder}${name}/`);
    else yield [`${folder}${name}`, `${mode} ${id}`];
  }
}
