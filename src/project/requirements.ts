import { readRegular } from '../disk/index.ts';
import type { Problem } from '../errors.ts';
import type { FileEntry } from './files/entry.ts';

/** Versions by name: `==1.2`, `>=1,<2`, or `latest`. */
export type RequiredPackages = Record<string, string>;

/** Parses a requirements file into names and versions. Warns about lines that are neither, such as `-r other.txt`. */
export async function readRequirements(
  { source }: FileEntry,
  warn: (problem: Problem) => void,
): Promise<RequiredPackages> {
  const text = 'text' in source ? source.text : (await readRegular(source.file)).toString('utf8');
  const name = 'text' in source ? 'cerebrium.toml' : source.file;
  // A package may be called like an inherited property.
  const packages: RequiredPackages = Object.create(null);
  for (const line of text
    .replace(/^\ufeff/, '')
    .replace(/\\\r?\n/g, ' ')
    .split(/\r\n|\r|\n/)) {
    const plain = line.replace(/(^|\s)#.*$/, '').trim();
    if (plain === '') continue;
    const [, wanted, rest = ''] = /^([^\s=<>!~@;[\]-][^\s=<>!~@;[\]]*(?:\s*\[[^\]]*\])?)\s*(.*)$/.exec(plain) ?? [];
    if (wanted === undefined || /^[^\s]*:\/\//.test(plain)) warn(unsupportedLine(name, plain));
    else packages[wanted.replace(/\s+/g, '')] = rest.replace(/(?<!\s)\s+--[a-z].*$/, '') || 'latest';
  }
  return packages;
}

const unsupportedLine = (file: string, line: string): Problem => ({
  severity: 'warning',
  message: `"${line}" in ${file} is ignored`,
  why: 'gantry run supports only names and versions of packages',
  fix: 'list the packages themselves, or deploy the app',
});
