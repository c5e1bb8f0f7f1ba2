import { readRegular } from '../disk/index.ts';
import type { Problem } from '../errors.ts';
import type { FileEntry } from './files/entry.ts';

/** Versions by name: `==1.2`, `>=1,<2`, or `latest`. */
export type RequiredPackages = Record<string, string>;

/**
 * A list of packages, one a line, as names and versions: a run takes no files. Options such as `-r other.txt` have no
 * such form; they are reported, not dropped in silence.
 */
export async function readRequirements(
  { source }: FileEntry,
  warn: (problem: Problem) => void,
): Promise<RequiredPackages> {
  const text = 'text' in source ? source.text : (await readRegular(source.file)).toString('utf8');
  const name = 'text' in source ? 'cerebrium.toml' : source.file;
  // A name may be that of an inherited property.
  const packages: RequiredPackages = Object.create(null);
  for (const line of text
    .replace(/^\ufeff/, '')
    .replace(/\\\r?\n/g, ' ')
    .split(/\r\n|\r|\n/)) {
    const plain = line.replace(/(^|\s)#.*$/, '').trim();
    if (plain === '') continue;
    const [, wanted, rest = ''] = /^([^\s=<>!~@;[\]-][^\s=<>!~@;[\]]*(?:\s*\[[^\]]*\])?)\s*(.*)$/.exec(plain) ?? [];
    if (wanted === undefined || /^[^\s]*:\/\//.test(plain)) warn(unlisted(name, plain));
    else packages[wanted.replace(/\s+/g, '')] = rest.replace(/(?<!\s)\s+--[a-z].*$/, '') || 'latest';
  }
  return packages;
}

const unlisted = (file: string, line: string): Problem => ({
  severity: 'warning',
  message: `"${line}" in ${file} is left out`,
  why: 'a run takes names and versions of packages, and nothing else',
  fix: 'write the packages themselves there, or deploy the app',
});
