import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { onceFor } from '../../kernel/once.ts';
import { readTextIfPresent } from '../read-text.ts';
import type { IgnoreRules } from './entry.ts';

/** Also of the folders around the app up to the repository's root, and of `.git/info/exclude`. As in git. */
export async function loadGitIgnore(root: string): Promise<IgnoreRules> {
  const { default: createIgnore } = await import('ignore');
  return new GitIgnore(realpathSync(root), () => createIgnore({ ignorecase: isCaseInsensitive }));
}

const isCaseInsensitive = process.platform === 'darwin' || process.platform === 'win32';

class GitIgnore implements IgnoreRules {
  readonly #repository: string;
  /** The path of the app folder in the repository, such as `services/web/`; empty at its root. */
  readonly #prefix: string;
  /** Rules by folder in the repository; null if the folder has none. */
  readonly #rules = new Map<string, Ignore | null>();
  readonly #ownRules: Ignore | null;

  constructor(
    root: string,
    private readonly create: () => Ignore,
  ) {
    this.#repository = findRepository(root) ?? root;
    const path = relative(this.#repository, root).replaceAll(sep, '/');
    this.#prefix = path === '' ? '' : `${path}/`;
    this.#ownRules = this.#read('.git/info/exclude');
  }

  lineFor(path: string, isFolder: boolean): string | undefined {
    const whole = this.#prefix + path;
    for (let folder = posix.dirname(whole); ; folder = posix.dirname(folder)) {
      const inFolder = folder === '.' ? whole : whole.slice(folder.length + 1);
      const rules = onceFor(this.#rules, folder, () => this.#read(posix.join(folder, '.gitignore')));
      const decision = decide(rules, inFolder, isFolder);
      if (decision) return decision.line;
      if (folder === '.') return decide(this.#ownRules, whole, isFolder)?.line;
    }
  }

  #read(path: string): Ignore | null {
    const text = readTextIfPresent(join(this.#repository, path));
    if (text === undefined) return null;
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
    const rules = this.create();
    for (const [index, pattern] of lines.entries()) rules.add({ pattern, mark: `${path}:${index + 1}` });
    return rules;
  }
}

function decide(rules: Ignore | null, path: string, isFolder: boolean): { line: string | undefined } | undefined {
  if (!rules) return undefined;
  const { ignored, unignored, rule } = rules.test(isFolder ? `${path}/` : path);
  if (unignored) return { line: undefined };
  if (!ignored) return undefined;
  const parent = posix.dirname(path);
  // The walk is in the parent, so a deeper file has included it again.
  if (parent !== '.' && rules.test(`${parent}/`).ignored) return undefined;
  return { line: `${rule?.mark ?? '.gitignore'} ${rule?.pattern ?? ''}`.trim() };
}

function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}
