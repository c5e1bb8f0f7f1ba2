import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { ConflictError, NotFoundError, UsageError } from '../../errors.ts';
import {
  formatRemotePath,
  parseRemotePath,
  remoteName,
  remoteParent,
  withTrailingSlash,
} from '../../transfer/remote-path.ts';
import { findEntry, parseVolumePath, type VolumePath } from '../volumes/index.ts';
import { RemoteFolders } from './remote-folders.ts';

/** What a user wrote as a source or a target. */
export type CopyLocation =
  | { kind: 'stream' }
  | { kind: 'local'; path: string; written: string }
  | { kind: 'remote'; at: VolumePath };

/** What stands for stdin or stdout, by where it stands. */
const standard = new Set(['-', '/dev/stdin', '/dev/stdout']);

export interface CopyPaths {
  sources: CopyLocation[];
  target: CopyLocation;
}

type PathContext = Pick<Context, 'cwd' | 'settings' | 'api' | 'project'>;

/**
 * Which words are sources, and what is the target. When none is written as remote (`volume:/path`), the last is a path
 * on the default volume, and one alone goes to its root, as the official client has it. Throws a UsageError for what
 * cannot be meant.
 */
export function parseCopyPaths(words: string[], { cwd, settings }: Pick<Context, 'cwd' | 'settings'>): CopyPaths {
  const remote = (text: string): CopyLocation => ({ kind: 'remote', at: parseVolumePath(text, settings) });
  const place = (text: string): CopyLocation => {
    if (standard.has(text)) return { kind: 'stream' };
    return parseRemotePath(text) ? remote(text) : { kind: 'local', path: resolve(cwd, text), written: text };
  };
  const places = words.map(place);
  const [last = '', only] = [words.at(-1), words.length === 1];
  const isRemote = places.some(({ kind }) => kind === 'remote');
  if (!isRemote && only) return checked({ sources: places, target: remote('/') });
  if (!isRemote && last !== '-') return checked({ sources: places.slice(0, -1), target: remote(last) });
  if (only) {
    throw new UsageError(`where is ${last} to be copied to?`, { fix: gantryCommand`cp ${last} .` });
  }
  return checked({ sources: places.slice(0, -1), target: places.at(-1) as CopyLocation });
}

function checked(words: CopyPaths): CopyPaths {
  const { sources, target } = words;
  const streams = sources.filter(({ kind }) => kind === 'stream').length;
  if (streams > 0 && (sources.length > 1 || target.kind !== 'remote' || target.at.path.endsWith('/'))) {
    throw new UsageError('stdin is copied alone, to a file on a volume', { fix: gantryCommand`cp - :/file` });
  }
  if (target.kind !== 'remote' && sources.some(({ kind }) => kind !== 'remote')) {
    throw new UsageError('neither side is on a volume', {
      why: 'a path on a volume is written volume:/path or :/path',
    });
  }
  return words;
}

/** Whether it is a pipe or a device, such as `/dev/null`: it is written to, never replaced. */
export async function isDevice(place: CopyLocation): Promise<boolean> {
  if (place.kind !== 'local') return false;
  // Whatever these lead to: a file, perhaps, but their own place is in /dev.
  if (/^\/dev\/(stderr|fd\/\d+)$/.test(place.path)) return true;
  const stats = await stat(place.path).catch(() => undefined);
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** What a source is: a file, or a folder whose content is meant. */
export interface CopySource {
  location: Exclude<CopyLocation, { kind: 'stream' }>;
  isFolder: boolean;
  name: string;
}

/** Looks at a source. Throws NotFoundError when it is not there. */
export async function inspectSource(
  place: Exclude<CopyLocation, { kind: 'stream' }>,
  context: PathContext,
): Promise<CopySource> {
  if (place.kind === 'remote') {
    const { isFolder, path } = await findEntry(context, place.at);
    const at = { ...place.at, path };
    return { location: { kind: 'remote', at }, isFolder, name: remoteName(path) };
  }
  const stats = await stat(place.path).catch(() => undefined);
  if (!stats) {
    const why = /^[\w.-]+:/.test(place.written)
      ? 'a name with a colon in it is written ./name when it is local'
      : undefined;
    throw new NotFoundError(`there is no file or folder ${place.written}`, why ? { why } : {});
  }
  if (!stats.isFile() && !stats.isDirectory()) {
    throw new UsageError(`${place.written} is neither a file nor a folder`, { fix: `cat it into gantry cp - :/file` });
  }
  return { location: place, isFolder: stats.isDirectory(), name: basename(place.path) };
}

/** Where the copies go: a folder, and the name a single file gets there. */
export interface CopyTarget {
  folder: { kind: 'remote'; at: VolumePath } | { kind: 'local'; path: string };
  /** Undefined: names stay as they are. */
  name: string | undefined;
}

/** A file keeps its name in a folder: in one that is written with a slash at its end, and in one that is there. */
export async function resolveTarget(
  target: Exclude<CopyLocation, { kind: 'stream' }>,
  sources: CopySource[],
  context: PathContext,
): Promise<CopyTarget> {
  const single = sources.length === 1 && sources[0]?.isFolder === false;
  const there = target.kind === 'remote' ? await remoteKind(target.at, context) : await localKind(target);
  if (there === 'file' && !single) {
    const written = target.kind === 'remote' ? formatRemotePath(target.at) : target.written;
    throw new ConflictError(`${written} is a file, not a folder`, { fix: 'name a folder as the target' });
  }
  if (sources.length > 1 && there === undefined && !isWrittenAsFolder(target)) {
    throw new UsageError('several sources need a folder as their target', { fix: 'write it with a slash at its end' });
  }
  const inside = !single || there === 'folder' || isWrittenAsFolder(target);
  if (target.kind === 'remote') {
    const { at } = target;
    const folder = inside ? withTrailingSlash(at.path) : remoteParent(at.path);
    return { folder: { kind: 'remote', at: { ...at, path: folder } }, name: inside ? undefined : remoteName(at.path) };
  }
  const { path } = target;
  return { folder: { kind: 'local', path: inside ? path : dirname(path) }, name: inside ? undefined : basename(path) };
}

function isWrittenAsFolder(target: Exclude<CopyLocation, { kind: 'stream' }>): boolean {
  if (target.kind === 'remote') return target.at.path.endsWith('/');
  return target.written.endsWith('/') || target.written.endsWith(sep);
}

async function remoteKind(at: VolumePath, context: PathContext): Promise<'file' | 'folder' | undefined> {
  if (at.path === '/') return 'folder';
  const entry = await new RemoteFolders(context).find(at);
  return entry && (entry.isFolder ? 'folder' : 'file');
}

async function localKind({ path }: { path: string }): Promise<'file' | 'folder' | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && (stats.isDirectory() ? 'folder' : 'file');
}

/** The words of a place that mean the same from any folder. */
export function formatLocation(place: CopyLocation): string {
  if (place.kind === 'stream') return '-';
  return place.kind === 'remote' ? formatRemotePath(place.at) : join(place.path);
}
