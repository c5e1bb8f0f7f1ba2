/** What a build takes from outside of its files, and may take in another version the next time. */
export interface ResolvedAnew {
  kind: 'pip' | 'conda' | 'apt' | 'image';
  /** As it is required: `torch>=2`, `python:3.12-slim`. */
  requirement: string;
}

/** The files that the platform installs from (docs/platform.md#builds), and what a line looks like that has one meaning. */
const lists: { kind: ResolvedAnew['kind']; path: string; pinned: RegExp }[] = [
  { kind: 'pip', path: 'requirements.txt', pinned: /^[^\s=<>!~;]+\s*={2,3}\s*[^\s*,;]+\s*(;.*)?$|[@=][0-9a-f]{40,}\b/ },
  { kind: 'conda', path: 'conda_pkglist.txt', pinned: /^[^\s=<>!~]+={1,2}\d[^*,|<>]*$/ },
  { kind: 'apt', path: 'pkglist.txt', pinned: /^[^\s=]+=[^\s*]+$/ },
];

/**
 * Packages without an exact version, and images without a digest. `read` gives the text of a file of the build, undefined
 * if it has none of this name.
 */
export async function findResolvedAnew(
  read: (path: string) => Promise<string | undefined>,
  baseImages: readonly string[],
): Promise<ResolvedAnew[]> {
  const found: ResolvedAnew[] = [];
  for (const { kind, path, pinned } of lists) {
    const requirements = linesOf((await read(path)) ?? '').filter((line) => !pinned.test(line));
    for (const requirement of requirements) found.push({ kind, requirement });
  }
  const images = baseImages.filter((image) => !image.includes('@sha256:'));
  return [...found, ...images.map((requirement) => ({ kind: 'image' as const, requirement }))];
}

/** Requirements, and other files that have more of them; no other options. */
function linesOf(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .map((line) => line.replace(/\s+--hash=\S+/g, ''))
    .filter((line) => line !== '' && !/^-(?!r|-requirement)/.test(line));
}
