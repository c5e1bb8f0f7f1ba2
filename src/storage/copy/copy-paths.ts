import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, posix, resolve, sep } from 'node:path';
import { gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { lookedFor } from '../../kernel/disk/index.ts';
import { ConflictError, type ErrorFacts, NotFoundError, systemCode, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import {
  formatRemotePath,
  parseRemotePath,
  remoteName,
  remoteParent,
  withTrailingSlash,
} from '../transfer/remote-path.ts';
import type { WebFile } from '../transfer/web-file.ts';
import { checkVolume, findEntry, parseVolumePath, type VolumePath } from '../volumes/index.ts';
import { ListedFiles } from './listed-files.ts';

/** A source or target as the user wrote it. */
export type CopyLocation =
  | { kind: 'stream' }
  | { kind: 'local'; path: string; written: string }
  | { kind: 'remote'; at: VolumePath }
  | { kind: 'web'; web: WebFile };

export type CopyEnd = Exclude<CopyLocation, { kind: 'stream' | 'web' }>;

/** Stdin as a source, stdout as a target. */
const streamNames = new Set(['-', '/dev/stdin', '/dev/stdout']);

export interface CopyPaths {
  sources: CopyLocation[];
  target: Exclude<CopyLocation, { kind: 'web' }>;
}

type PathContext = Pick<Context, 'cwd' | 'settings' | 'api' | 'project'>;

/** Throws UsageError unless the last path may be one on the default volume. */
function checkBareTarget(paths: string[], locations: CopyLocation[], isAllowed: boolean): void {
  if (locations.some(({ kind }) => kind === 'web')) throw webAloneError();
  const [last = '', target] = [paths.at(-1), locations.at(-1)];
  const here = isAllowed && locations.length > 1 && target?.kind === 'local' ? folderHere(target) : undefined;
  if (isAllowed && here === undefined) return;
  throw bareTargetError(last, here && `${here} is a folder of this machine; `);
}

/** The folder of this machine that an absolute path, or one with dots, is or would be in. */
function folderHere({ path, written }: { path: string; written: string }): string | undefined {
  if (!isAbsolute(written) && !/^\.{1,2}([\\/]|$)/.test(written)) return undefined;
  const folders = [path, dirname(path)].filter((folder) => folder !== dirname(folder));
  return folders.find((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory());
}

function parseLocation(
  text: string,
  { cwd, settings }: Pick<Context, 'cwd' | 'settings'>,
  sha256: string | undefined,
): CopyLocation {
  if (streamNames.has(text)) return { kind: 'stream' };
  if (isWebUrl(text)) return { kind: 'web', web: parseWebSource(text, sha256) };
  return parseRemotePath(text)
    ? { kind: 'remote', at: parseVolumePath(text, settings) }
    : { kind: 'local', path: resolve(cwd, text), written: text };
}

/**
 * Splits arguments into sources and target. If none is written as remote (`volume:/path`), the last one is a path on the
 * default volume, and a single one is copied to its root, as the official client does. Throws a UsageError for invalid
 * combinations. `allowBareTarget`: false for commands that the official client lacks.
 */
export function parseCopyPaths(
  paths: string[],
  { cwd, settings }: Pick<Context, 'cwd' | 'settings'>,
  { allowBareTarget = true, sha256 }: { allowBareTarget?: boolean; sha256?: string | undefined },
): CopyPaths {
  const remote = (text: string): CopyEnd => ({ kind: 'remote', at: parseVolumePath(text, settings) });
  const last = paths.at(-1) ?? '';
  const only = paths.length === 1;
  if (isWebUrl(last)) throw webTargetError(last, only);
  const locations = paths.map((text) => parseLocation(text, { cwd, settings }, sha256));
  const isRemote = locations.some(({ kind }) => kind === 'remote');
  if (!isRemote) checkBareTarget(paths, locations, allowBareTarget);
  if (only && isRemote) throw new UsageError(`missing target for ${last}`, { fix: gantryCommand`cp ${last} .` });
  if (only) return checkPaths({ sources: locations, target: remote('/') });
  const target = isRemote || last === '-' ? (locations.at(-1) as CopyPaths['target']) : remote(last);
  return checkPaths({ sources: locations.slice(0, -1), target });
}

/** Whether such a copy leaves the volumes as they are. */
export function isDownload(paths: readonly string[]): boolean {
  if (paths.some(isWebUrl)) return false;
  return !parseRemotePath(paths.at(-1) ?? '') && paths.some((path) => parseRemotePath(path));
}

function checkPaths(paths: CopyPaths): CopyPaths {
  const { sources, target } = paths;
  if (sources.some(({ kind }) => kind === 'web') && (sources.length > 1 || target.kind !== 'remote')) {
    throw webAloneError();
  }
  const streams = sources.filter(({ kind }) => kind === 'stream').length;
  if (streams > 0 && (sources.length > 1 || target.kind !== 'remote' || target.at.path.endsWith('/'))) {
    throw new UsageError('stdin can only be copied alone, to a file on a volume', { fix: gantryCommand`cp - :/file` });
  }
  if (target.kind !== 'remote' && sources.some(({ kind }) => kind !== 'remote')) throw nothingRemoteError();
  return paths;
}

function webAloneError(): UsageError {
  return new UsageError('a file from the web can only be copied alone, to a volume', {
    fix: 'name one URL and a target such as :/models/',
  });
}

function webTargetError(url: string, isOnly: boolean): UsageError {
  const target = `:/${webFileName(url)}`;
  return isOnly
    ? new UsageError(`missing target for ${withoutQuery(url)}`, {
        fix: gantryCommand`cp ${url} ${target} --sha256 HEX`,
      })
    : new UsageError('files cannot be copied to a URL', { why: 'the last path is the target' });
}

function nothingRemoteError(prefix = '', facts: ErrorFacts = {}): UsageError {
  const why = `${prefix}remote paths are written volume:/path or :/path`;
  return new UsageError('neither the source nor the target is on a volume', { why, ...facts });
}

/** For a target that must be on a volume, and is written as a path of this machine. */
export function bareTargetError(typed: string, prefix?: string): UsageError {
  return nothingRemoteError(prefix, { corrected: { typed, meant: `:${posix.join('/', typed)}` } });
}

/** A source: a file, or a folder whose contents are copied. */
export type CopySource = CopyEndSource | { location: { kind: 'web'; web: WebFile }; isFolder: false; name: string };

export interface CopyEndSource {
  location: CopyEnd;
  isFolder: boolean;
  name: string;
}

/** Throws NotFoundError or UsageError for what cannot be copied, with what would copy it to the target. */
export async function inspectSource(
  location: CopySource['location'],
  context: PathContext,
  target: CopyPaths['target'],
): Promise<CopySource> {
  if (location.kind === 'web') return { location, isFolder: false, name: webFileName(location.web.url) };
  if (location.kind === 'remote') {
    const { isFolder, path } = await findEntry(context, location.at, typedLocation(target));
    const at = { ...location.at, path };
    return { location: { kind: 'remote', at }, isFolder, name: remoteName(path) };
  }
  const stats = await stat(location.path).catch(() => undefined);
  if (!stats) {
    const why = /^[\w.-]+:/.test(location.written)
      ? 'for a local file with a colon in its name, pass ./name'
      : lookedFor(location.path);
    throw new NotFoundError(`${location.written} not found`, { why });
  }
  if (!stats.isFile() && !stats.isDirectory()) {
    throw new UsageError(`${location.written} is neither a file nor a folder`, {
      fix: sentence`pipe it: ${readerOf(location)} | ${gantryCommand`cp - ${fileIn(target, basename(location.path))}`}`,
    });
  }
  return { location, isFolder: stats.isDirectory(), name: basename(location.path) };
}

/** A location as the user typed it. */
export const typedLocation = (location: CopyLocation): string =>
  location.kind === 'local' ? location.written : formatLocation(location);

function fileIn(target: CopyPaths['target'], name: string): string {
  const typed = typedLocation(target);
  return typed.endsWith('/') ? `${typed}${name}` : typed;
}

/** What a shell made for one command, as `<(seq 5)`, ends with it. */
function readerOf({ path, written }: { path: string; written: string }): string {
  return /^\/(dev|proc\/self)\/fd\//.test(path) ? 'the command that writes it' : `cat ${quoteForShell(written)}`;
}

export interface CopyTarget {
  folder: { kind: 'remote'; at: VolumePath } | { kind: 'local'; path: string };
  /** Undefined: files keep their names. */
  name: string | undefined;
}

/** A file keeps its name if the target is an existing folder or has a trailing slash. */
export async function resolveTarget(target: CopyEnd, sources: CopySource[], context: PathContext): Promise<CopyTarget> {
  if (target.kind === 'remote') await checkTargetVolume(target.at, context);
  const existing = target.kind === 'remote' ? await remoteKind(target.at, context) : await localKind(target, sources);
  const intoFolder = existing === 'folder' || isWrittenAsFolder(target);
  checkSources(target, sources, { isFile: existing === 'file', intoFolder });
  const [source] = sources;
  const keepsName = intoFolder || sources.length > 1 || source?.isFolder !== false;
  return keepsName ? { folder: asFolder(target), name: undefined } : asFile(target);
}

function asFolder(target: CopyEnd): CopyTarget['folder'] {
  if (target.kind === 'local') return { kind: 'local', path: target.path };
  return { kind: 'remote', at: { ...target.at, path: withTrailingSlash(target.at.path) } };
}

function asFile(target: CopyEnd): CopyTarget {
  if (target.kind === 'local') {
    return { folder: { kind: 'local', path: dirname(target.path) }, name: basename(target.path) };
  }
  const { at } = target;
  return { folder: { kind: 'remote', at: { ...at, path: remoteParent(at.path) } }, name: remoteName(at.path) };
}

/** Throws ConflictError or UsageError if the sources do not fit in the target. */
function checkSources(
  target: CopyEnd,
  [source, ...others]: CopySource[],
  { isFile, intoFolder }: { isFile: boolean; intoFolder: boolean },
): void {
  const written = formatLocation(target);
  const file = others.length > 0 || source?.isFolder ? undefined : source;
  if (isFile && (!file || intoFolder)) throw noFolderError(written);
  if (others.length > 0 && !intoFolder) {
    throw new UsageError('several sources need a folder as their target', {
      fix: `add a slash to the target: ${written}/`,
    });
  }
  if (intoFolder && file) checkName(file);
}

function noFolderError(path: string): ConflictError {
  return new ConflictError(`${path} is a file, not a folder`, { fix: 'pass a folder as the target' });
}

function checkName({ location, name }: CopySource): void {
  if (location.kind !== 'web' || name !== '') return;
  throw new UsageError(`${formatLocation(location)} has no name for the file`, {
    fix: 'name it in the target, as in :/models/NAME',
  });
}

/** A wrong volume is one error, not one for each file. */
export async function checkTargetVolume(at: VolumePath, context: PathContext): Promise<void> {
  await checkVolume(context, at).catch((error: unknown) => {
    if (error instanceof NotFoundError)
      error.message = error.message.replace(/(: did you mean .+)?$/, '; nothing was copied$1');
    throw error;
  });
}

function isWrittenAsFolder(target: CopyEnd): boolean {
  if (target.kind === 'remote') return target.at.path.endsWith('/');
  return target.written.endsWith('/') || target.written.endsWith(sep);
}

async function remoteKind(at: VolumePath, context: PathContext): Promise<'file' | 'folder' | undefined> {
  if (at.path === '/') return 'folder';
  const folder = new ListedFiles(context, { ...at, path: remoteParent(at.path) });
  const entry = (await folder.listNow(folder.root)).get(remoteName(at.path));
  return entry && (entry.isFolder ? 'folder' : 'file');
}

/** Throws a UsageError for a pipe or a device, such as `/dev/null`, which must not be replaced. */
async function localKind({ path }: { path: string }, [source]: CopySource[]): Promise<'file' | 'folder' | undefined> {
  const stats = await stat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOTDIR') throw noFolderError(`part of ${path}`);
  });
  if (!stats) return undefined;
  if (stats.isDirectory()) return 'folder';
  // What the system has there may lead to a regular file.
  if (stats.isFile() && !/^\/dev\/(stderr|fd\/\d+)$/.test(path)) return 'file';
  const from = source ? formatLocation(source.location) : ':/FILE';
  throw new UsageError(`${path} is a pipe or a device`, {
    fix: source?.isFolder
      ? sentence`name a folder: ${gantryCommand`cp ${from} .`}`
      : sentence`write to stdout: ${gantryCommand`cp ${from} -`}`,
  });
}

export function formatLocation(location: CopyLocation): string {
  if (location.kind === 'stream') return '-';
  if (location.kind === 'web') return withoutQuery(location.web.url);
  return location.kind === 'remote' ? formatRemotePath(location.at) : join(location.path);
}

export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Throws a UsageError without the checksum: nothing else would tell whether the bytes are the right ones. */
export function parseWebSource(text: string, sha256: string | undefined): WebFile {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('a URL must have no password', { why: 'other users of this machine can see arguments' });
  }
  if (sha256 === undefined) {
    throw new UsageError(`the SHA-256 of ${withoutQuery(text)} is missing`, {
      why: 'nothing else tells whether the bytes that arrive are the right ones',
      fix: 'add --sha256 and the checksum that its publisher shows',
    });
  }
  return { url: url.href, sum: { algorithm: 'sha256', hex: sha256 } };
}

export function webFileName(url: string): string {
  const name = posix.basename(new URL(url).pathname);
  try {
    return decodeURIComponent(name).replaceAll('/', '_');
  } catch {
    return name;
  }
}

/** A query may have a signature, and that changes each time. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
