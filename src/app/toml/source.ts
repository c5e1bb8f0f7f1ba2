import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { lookedFor, namesIn, readRegular } from '../../kernel/disk/index.ts';
import type { FileLocation, Problem } from '../../kernel/errors.ts';

export interface TomlSource {
  shownAs: string;
  /** Without a byte-order mark, so that columns match those of editors. */
  text: string;
}

/** A larger file is most likely not a cerebrium.toml. */
const maxBytes = 1024 * 1024;

/** Reads a text file without changing byte-order mark or line breaks. Returns a problem instead of throwing. */
export async function readText(file: string, shownAs: string): Promise<{ text: string } | { problem: Problem }> {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) return failure(`${shownAs} is a folder`, { fix: `${shownAs}/cerebrium.toml` });
    if (!stats.isFile()) return failure(`${shownAs} is not a regular file`);
    if (stats.size > maxBytes) return failure(`${shownAs} is too large`, { why: 'the limit is 1 MiB' });
    return decode(await readRegular(file), shownAs);
  } catch (cause) {
    return readFailure(cause as NodeJS.ErrnoException, file, shownAs);
  }
}

export function createSource(text: string, shownAs: string): TomlSource {
  return { shownAs, text: text.replace(/^\uFEFF/, '') };
}

/** The location of a range of text, cut at the end of its first line. Offsets are in UTF-16 units. */
export function locationOf(source: TomlSource, start: number, end: number): FileLocation {
  const before = source.text.slice(0, start).split('\n');
  const from = start - (before.at(-1)?.length ?? 0);
  return locationAt(source, before.length, start - from, end - from);
}

/** That of a part of a line. Lines count from 1. */
export function locationAt(source: TomlSource, line: number, from: number, to: number): FileLocation {
  const text = lineText(source, line);
  const column = countCodePoints(text.slice(0, from)) + 1;
  return { file: source.shownAs, line, column, length: countCodePoints(text.slice(from, Math.max(from, to))), text };
}

/** A line without its line break. */
export function lineText({ text }: TomlSource, line: number): string {
  return text.split(/\r?\n/, line)[line - 1] ?? '';
}

function countCodePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function decode(bytes: Uint8Array, shownAs: string): { text: string } | { problem: Problem } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const why = `TOML files must be UTF-8${wide ? ', but this file is UTF-16' : ''}`;
    const source = createSource(new TextDecoder().decode(bytes), shownAs);
    const bad = Math.max(0, source.text.indexOf('\uFFFD'));
    const location = wide ? {} : { location: locationOf(source, bad, bad + 1) };
    return failure(`${shownAs} is not valid UTF-8`, { why, fix: 'save the file as UTF-8', ...location });
  }
}

function readFailure(cause: NodeJS.ErrnoException, file: string, shownAs: string): { problem: Problem } {
  const { code = '' } = cause;
  if (['ENOENT', 'ENOTDIR'].includes(code)) return failure(`${shownAs} not found`, whereElse(file, shownAs));
  if (['EACCES', 'EPERM'].includes(code)) return failure(`cannot read ${shownAs}: permission denied`);
  return failure(`cannot read ${shownAs}`, { why: cause.message });
}

function whereElse(file: string, shownAs: string): Partial<Problem> {
  if (basename(file) !== 'cerebrium.toml') return { why: lookedFor(file) };
  const below = appsBelow(dirname(file));
  const [folder, another] = below;
  if (folder === undefined) return { why: lookedFor(file), fix: gantryCommand`init` };
  const apps = below.map((app) => join(dirname(shownAs), app));
  const why = `looked for ${file}; there is one in ${apps.join(', ')}`;
  if (another !== undefined) return { why, fix: 'change to the folder of the app, or name it with -C' };
  return {
    why,
    fix: `cd ${apps[0]}`,
    // Another argument than the folder would be looked for in it.
    ...(shownAs === 'cerebrium.toml' && { retryWith: ['-C', join(dirname(file), folder)] }),
  };
}

/** The apps in a folder, or in the folders of it, as `apps/web` is; few of them. */
export function appsBelow(folder: string): string[] {
  const namesOf = (below = '') =>
    namesIn(join(folder, below))
      .slice(0, 200)
      .map((name) => join(below, name));
  const appsOf = (names: readonly string[]) => names.filter((name) => existsSync(join(folder, name, 'cerebrium.toml')));
  const names = namesOf();
  const apps = appsOf(names);
  return (apps.length > 0 ? apps : appsOf(names.slice(0, 50).flatMap(namesOf))).slice(0, 3);
}

function failure(message: string, more: Partial<Problem> = {}): { problem: Problem } {
  return { problem: { severity: 'error', message, ...more } };
}
