import { posix } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';

/** A file or folder on a volume, written `volume:/path`. */
export interface RemotePath {
  volume: string;
  /** Absolute path on the volume, `/models/a.bin`. A trailing slash marks a folder. */
  path: string;
}

/** The volume of a path that names none (docs/platform.md#volumes). */
export const defaultVolume = 'default';

/**
 * Parses `default:/a/b`, `:/a/b` (the default volume), `default:a/b` and `default:`, as scp and rclone do. Returns
 * undefined for local paths: a bare path, `./a:b` and Windows drives (`C:\a`, `C:/a`, `C:`). Throws a UsageError for a URL.
 */
export function parseRemotePath(text: string): RemotePath | undefined {
  const match = /^((?:[A-Za-z][\w.-]+)?):(.*)$/s.exec(text);
  if (!match) return undefined;
  const [, volume = '', path = ''] = match;
  if (volume === 'hf' && path.startsWith('//')) {
    throw new UsageError(`${text} is a model of a hub, which has many files`, {
      fix: gantryCommand`cp ${text} ${`:/${posix.basename(path)}`}`,
    });
  }
  if (volume && path.startsWith('//')) {
    throw new UsageError(`invalid remote path: ${text}`, {
      why: 'remote paths are written volume:/path; gantry copies between this machine and volumes, not from other storage',
      corrected: { typed: text, meant: path.replace(/^\/\/+([^/]*)\/?/, '$1:/') },
    });
  }
  return { volume: volume || defaultVolume, path: toAbsolute(path) };
}

/** Like {@link parseRemotePath}, but a bare path is on the default volume. */
export function toRemotePath(text: string): RemotePath {
  return parseRemotePath(text) ?? { volume: defaultVolume, path: toAbsolute(text) };
}

/** `default:/a/b`, the inverse of {@link parseRemotePath}. */
export function formatRemotePath({ volume, path }: RemotePath): string {
  return `${volume}:${path}`;
}

/** What confirms a removal: the path with or without its volume, and with or without the last slash. */
export function spellingsOf({ volume, path }: RemotePath): string[] {
  const bare = path.replace(/(?<=.)\/$/, '');
  const places = volume === defaultVolume ? ['', ':', `${volume}:`] : [`${volume}:`];
  return places.flatMap((place) => [place + bare, `${place}${bare}/`]);
}

/** `/a` or `/a/` and `b/c` give `/a/b/c`. Does not resolve `..` in the name. */
export function joinRemotePath(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** The last name of a path: `/a/b` and `/a/b/` give `b`, `/` gives ''. */
export function remoteName(path: string): string {
  return posix.basename(path);
}

/** The parent folder with a trailing slash: `/a/b` and `/a/b/` give `/a/`. */
export function remoteParent(path: string): string {
  const folder = posix.dirname(path);
  return folder === '/' ? folder : `${folder}/`;
}

/** `/a` and `/a/` give `/a/`. */
export function withTrailingSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function toAbsolute(path: string): string {
  return posix.normalize(`/${path}`);
}
