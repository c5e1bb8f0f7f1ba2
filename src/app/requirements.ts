import { readRegular } from '../kernel/disk/index.ts';
import type { Problem } from '../kernel/errors.ts';
import type { FileEntry } from './files/entry.ts';
import { pipLines, readPipLine } from './pip-line.ts';
import { readBytesIfPresent } from './read-text.ts';

export type RequiredPackages = Record<string, string>;

/** What pip reads in a requirements file: its text, and the first line that pip refuses, from 1. */
export interface RequirementsText {
  text: string;
  refusedLine?: number;
}

/** Reads bytes as pip does: by a byte-order mark, by a comment such as `# coding: latin-1` (PEP 263), else as UTF-8. */
export function decodeRequirements(bytes: Buffer): RequirementsText {
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff && 'utf-16be';
  const head = bytes.toString('latin1', 0, 1_000).split('\n', 2);
  const coding = head.flatMap((line) => /^#.*coding[:=]\s*([-\w.]+)/.exec(line)?.[1] ?? [])[0];
  // Python's name of an encoding that has another one here, or none.
  const named = coding && /^utf-?8/i.test(coding) ? 'utf-8' : coding && 'latin1';
  try {
    return { text: new TextDecoder(marked || named || 'utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = bytes.toString();
    return { text, refusedLine: text.slice(0, text.indexOf('\ufffd')).split('\n').length };
  }
}

/** The requirements file that `cerebrium.toml` names; undefined if it cannot be read. */
export function readRequirementsText(path: string): RequirementsText | undefined {
  const bytes = readBytesIfPresent(path);
  return bytes && decodeRequirements(bytes);
}

/** Parses a requirements file into names and versions. Warns about lines that are neither, such as `-r other.txt`. */
export async function readRequirements(
  { source }: FileEntry,
  warn: (problem: Problem) => void,
): Promise<RequiredPackages> {
  const text = 'text' in source ? source.text : decodeRequirements(await readRegular(source.file)).text;
  const name = 'text' in source ? 'cerebrium.toml' : source.file;
  // A package may be called like an inherited property.
  const packages: RequiredPackages = Object.create(null);
  for (const { text: line } of pipLines(text)) {
    const read = readPipLine(line);
    if (read.kind !== 'package') warn(unsupportedLine(name, line));
    else
      packages[(read.name + read.extras).replace(/\s+/g, '')] =
        read.wanted + (read.marker && `; ${read.marker}`) || 'latest';
  }
  return packages;
}

const unsupportedLine = (file: string, line: string): Problem => ({
  severity: 'warning',
  message: `"${line}" in ${file} is ignored`,
  why: 'gantry run supports only names and versions of packages',
  fix: 'list the packages themselves, or deploy the app',
});
