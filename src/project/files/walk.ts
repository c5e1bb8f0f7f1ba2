/**
 * Walks the app folder without entering excluded folders. Reads folders synchronously because that is much faster, and
 * yields to the event loop often enough for Ctrl-C.
 */
import {
  accessSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Problem, ProjectError, throwIfAborted } from '../../errors.ts';
import type { CollectOptions, FileEntry } from './entry.ts';
import { type Exclude, type Include, isExcludedByDefault, virtualEnvironmentMarkers } from './patterns.ts';

export interface WalkResult {
  entries: FileEntry[];
  /** The include patterns that matched. */
  used: Set<Include>;
  warnings: Problem[];
  errors: Problem[];
}

interface WalkOptions extends Pick<CollectOptions, 'always' | 'isTemporary' | 'signal'> {
  includes: Include[];
  excludes: Exclude[];
}

/** Returns all problems instead of throwing the first one. Throws ProjectError if the root cannot be opened. */
export async function walkFolder(
  root: string,
  { includes, excludes, always = [], isTemporary = () => false, signal }: WalkOptions,
): Promise<WalkResult> {
  const walk = new Walk(resolveRoot(root), excludes, isTemporary);
  walk.enter({ path: '', name: '', real: walk.root, linkedFrom: [], includes });

  let lastTurn = performance.now();
  while (walk.visitNext()) {
    if (performance.now() - lastTurn < maxBlockingMs) continue;
    await turn();
    throwIfAborted(signal);
    lastTurn = performance.now();
  }
  throwIfAborted(signal);
  for (const path of always) walk.addAlways(path);
  return walk.found;
}

/** The longest time between two turns of the event loop. */
const maxBlockingMs = 20;

function resolveRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch (cause) {
    const message = `cannot open the app folder ${root}`;
    throw new ProjectError(message, [{ severity: 'error', message }], { cause });
  }
}

interface Folder {
  path: string;
  name: string;
  /** The real path, which differs from `path` below a symbolic link. */
  real: string;
  /** The real folders that contain the symbolic links on the way here, to detect loops. */
  linkedFrom: string[];
  /** The patterns that may match below this folder. */
  includes: Include[];
}

class Walk {
  readonly found: WalkResult = { entries: [], used: new Set(), warnings: [], errors: [] };
  readonly #pending: Folder[] = [];

  constructor(
    readonly root: string,
    private readonly excludes: Exclude[],
    private readonly isTemporary: (name: string) => boolean,
  ) {}

  enter(folder: Folder): void {
    this.#pending.push(folder);
  }

  /** Returns false when nothing is left to visit. */
  visitNext(): boolean {
    const folder = this.#pending.pop();
    if (!folder) return false;

    const children = this.#read(folder);
    const isEnvironment =
      folder.path !== '' && children.some((child) => virtualEnvironmentMarkers.includes(child.name));
    const includes = isEnvironment ? folder.includes.filter((each) => each.names(folder.name)) : folder.includes;
    if (includes.length > 0) for (const child of children) this.#visit(child, folder, includes);
    return true;
  }

  #read(folder: Folder): Dirent[] {
    try {
      return readdirSync(folder.real, { withFileTypes: true });
    } catch (error) {
      this.#addReadError(folder.path || '.', error);
      return [];
    }
  }

  #visit(child: Dirent, folder: Folder, inherited: Include[]): void {
    const { name } = child;
    const path = folder.path === '' ? name : `${folder.path}/${name}`;
    if (this.#isExcluded(path, name, child.isDirectory()) || this.isTemporary(name)) return;
    const includes = isExcludedByDefault(name) ? inherited.filter((each) => each.names(name)) : inherited;
    if (includes.length === 0) return;

    const at: Folder = { path, name, real: `${folder.real}/${name}`, linkedFrom: folder.linkedFrom, includes };
    if (child.isDirectory()) this.#enterIfReached(at);
    else if (child.isSymbolicLink()) this.#followIfIncluded(at, folder);
    else if (!this.#isIncluded(at)) return;
    else if (child.isFile()) this.#addFile(at);
    else this.#addWarning(`skipped ${path}: not a regular file`, 'sockets, pipes and devices cannot be sent');
  }

  #isExcluded(path: string, name: string, isFolder: boolean): boolean {
    return this.excludes.some((each) => each.matches(path, name, isFolder));
  }

  #enterIfReached(folder: Folder): void {
    const includes = folder.includes.filter((each) => each.reaches(folder.path));
    if (includes.length > 0) this.enter({ ...folder, includes });
  }

  /** Tests each pattern until it has matched once, to report patterns that match nothing. */
  #isIncluded(file: Folder): boolean {
    let isIncluded = false;
    for (const include of file.includes) {
      if (isIncluded && this.found.used.has(include)) continue;
      if (!include.matches(file.path)) continue;
      this.found.used.add(include);
      isIncluded = true;
    }
    return isIncluded;
  }

  /** Patterns apply to the path of the link, not to its target. */
  #followIfIncluded(link: Folder, parent: Folder): void {
    const reached = link.includes.some((each) => each.reaches(link.path) || each.matches(link.path));
    const target = reached ? this.#resolve(link) : undefined;
    if (!target) return;

    if (target.stats.isDirectory()) {
      if (this.#isExcluded(link.path, link.name, true)) return;
      const linkedFrom = [...parent.linkedFrom, parent.real];
      const isLoop = linkedFrom.some((folder) => isInside(target.real, folder));
      if (isLoop) this.#addWarning(`skipped symbolic link ${link.path}: it leads to a folder that contains it`);
      else this.#enterIfReached({ ...link, real: target.real, linkedFrom });
    } else if (this.#isIncluded(link)) {
      if (target.stats.isFile()) this.#addFile({ ...link, real: target.real });
      else this.#addWarning(`skipped symbolic link ${link.path}: not a regular file`);
    }
  }

  #resolve(link: Pick<Folder, 'path' | 'real'>): { real: string; stats: Stats } | undefined {
    try {
      const real = realpathSync(link.real);
      if (isInside(this.root, real)) return { real, stats: statSync(real) };
      this.#addError(`symbolic link ${link.path} leads out of the app folder, to ${real}`, {
        why: 'only files in the folder of cerebrium.toml are sent',
        fix: `copy the file there, or exclude = ["./${link.path}"]`,
      });
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) this.#addReadError(link.path, error);
      else this.#addWarning(`skipped symbolic link ${link.path}: its target does not exist`);
    }
    return undefined;
  }

  #addFile({ path, real }: Pick<Folder, 'path' | 'real'>): void {
    try {
      const stats = lstatSync(real);
      // A file that everyone may read needs no further check.
      if ((stats.mode & 0o444) !== 0o444) accessSync(real, constants.R_OK);
      const executable = process.platform !== 'win32' && (stats.mode & 0o100) !== 0;
      this.found.entries.push({ path, size: stats.size, executable, source: { file: real } });
    } catch (error) {
      this.#addReadError(path, error);
    }
    if (/[\\\x00-\x1f\x7f]/.test(path)) {
      this.#addWarning(`${JSON.stringify(path)} has a character in its name that some systems cannot unpack`);
    }
  }

  addAlways(given: string): void {
    const path = posix.normalize(given.replaceAll(sep, '/'));
    const real = resolve(this.root, path);
    if (this.found.entries.some((entry) => entry.path === path)) return;
    if (!isInside(this.root, real)) {
      this.#addWarning(`${given} is not sent`, 'it is outside of the folder of cerebrium.toml');
    } else if (existsSync(real)) {
      const target = this.#resolve({ path, real });
      if (target) this.#addFile({ path, real: target.real });
    } else {
      this.#addError(`${given} not found`);
    }
  }

  #addWarning(message: string, why?: string): void {
    this.found.warnings.push({ severity: 'warning', message, ...(why && { why }) });
  }

  #addError(message: string, facts: Partial<Problem> = {}): void {
    this.found.errors.push({ severity: 'error', message, ...facts });
  }

  #addReadError(path: string, error: unknown): void {
    const code = errorCode(error);
    // Node replaces invalid UTF-8 in names, and finds no file under the replaced name.
    if (code === 'ENOENT' && path.includes('\ufffd'))
      this.#addError(`the name of ${path} is not valid UTF-8`, { fix: 'rename or exclude it' });
    else
      this.#addError(`cannot read ${path}`, {
        why: reasons[code] ?? String(error),
        fix: `exclude = ["./${path}"] if it is not needed`,
      });
  }
}

const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? '';

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'it was deleted meanwhile',
  EIO: 'input/output error',
};

/** Whether `path` is `folder` or below it. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
