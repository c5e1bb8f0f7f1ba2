import { resolve } from 'node:path';
import { groupsOf } from '../../kernel/groups.ts';
import { readTextIfPresent } from '../read-text.ts';
import type { IgnoreRules } from './entry.ts';
import { compileGlob } from './glob.ts';

/** That beside a Dockerfile of its name, or of the app folder: an engine reads it in the folder that it builds. */
export function loadDockerIgnore(root: string, dockerfile: string): IgnoreRules | undefined {
  for (const file of [`${dockerfile}.dockerignore`, '.dockerignore']) {
    const text = readTextIfPresent(resolve(root, file));
    if (text !== undefined) return new DockerIgnore(file, text);
  }
  return undefined;
}

class DockerIgnore implements IgnoreRules {
  readonly #lines: { shown: string; isException: boolean; matches: (path: string) => boolean }[];

  constructor(file: string, text: string) {
    this.#lines = text.split(/\r?\n/).flatMap((line, at) => {
      const [, exception = '', pattern = ''] = groupsOf(/^\s*(!?)\s*(?:\.?\/)*(.*?)\/*\s*$/, line);
      const glob = line.startsWith('#') || pattern === '' ? undefined : compileGlob(pattern.replace(/[{}]/g, '\\$&'));
      const place = `${file}:${at + 1} ${line.trim()}`;
      return glob ? [{ shown: place, isException: exception !== '', matches: glob.matches }] : [];
    });
  }

  /** As in Docker, the last line that matches a path or a folder around it decides. An exception may be below any folder. */
  lineFor(path: string, isFolder: boolean): string | undefined {
    if (isFolder && this.#lines.some(({ isException }) => isException)) return undefined;
    const names = path.split('/');
    const paths = names.map((_, at) => names.slice(0, at + 1).join('/'));
    const line = this.#lines.findLast(({ matches }) => paths.some(matches));
    return line?.isException === false ? line.shown : undefined;
  }
}
