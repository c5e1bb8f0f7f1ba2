import { realpathSync } from 'node:fs';

/**
 * Python prints where an error is as an absolute path. Returns a function that makes those in the app's folder relative,
 * so that they are the files that the user knows.
 */
export function pathShortener(folder: string): (line: string) => string {
  const prefixes = [...new Set([folder, realPath(folder)])].map((path) => `${path}/`);
  return (line) => {
    const [start = '', path] = /^(\s*File "|(?=\/))/.exec(line) ?? [];
    const rest = line.slice(start.length);
    const prefix = path === undefined ? undefined : prefixes.find((one) => rest.startsWith(one));
    return prefix ? start + rest.slice(prefix.length) : line;
  };
}

/** Temporary folders are below a symbolic link on macOS. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
