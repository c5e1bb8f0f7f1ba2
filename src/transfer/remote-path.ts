import { posix } from 'node:path';
import { UsageError } from '../errors.ts';

/** A file or folder on a volume, written `volume:/path`. */
export interface RemotePath {
  volume: string;
  /** From the root of the volume, `/models/a.bin`. What ends in a slash is a folder. */
  path: string;
}

/** The volume when a path does not name one (docs/platform.md#volumes). */
export const defaultVolume = 'default';

/**
 * `default:/a/b`, `:/a/b` (the default volume), `default:a/b` and `default:` are remote, as scp and rclone have it; a
 * bare path, `./a:b` and a drive of Windows (`C:\a`, `C:/a`, `C:`) are not, and give undefined. Throws a UsageError for
 * a web address.
 */
export function parseRemotePath(text: string): RemotePath | undefined {
  const [, volume, path] = /^((?:[A-Za-z][\w.-]+)?):(.*)$/s.exec(text) ?? [];
  if (volume === undefined || path === undefined) return undefined;
  if (volume && path.startsWith('//')) {
    throw new UsageError(`invalid remote path: ${text}`, {
      why: 'remote paths are written volume:/path, for example default:/models',
    });
  }
  return { volume: volume || defaultVolume, path: fromRoot(path) };
}

/** The same, where only a remote path makes sense: a bare path is one on the default volume. */
export function toRemotePath(text: string): RemotePath {
  return parseRemotePath(text) ?? { volume: defaultVolume, path: fromRoot(text) };
}

/** `default:/a/b`: {@link parseRemotePath} reads it back. */
export function formatRemotePath({ volume, path }: RemotePath): string {
  return `${volume}:${path}`;
}

/** `/a` or `/a/` and `b/c` give `/a/b/c`. The name is taken as it is: `..` in it goes nowhere. */
export function joinRemotePath(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** The last name of a path: `/a/b` and `/a/b/` give `b`, `/` gives nothing. */
export function remoteName(path: string): string {
  return posix.basename(path);
}

/** The folder a path is in, with a slash at its end: `/a/b` and `/a/b/` give `/a/`. */
export function remoteParent(path: string): string {
  const folder = posix.dirname(path);
  return folder === '/' ? folder : `${folder}/`;
}

/** `/a` and `/a/` give `/a/`. */
export function withTrailingSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function fromRoot(path: string): string {
  return posix.normalize(`/${path}`);
}
