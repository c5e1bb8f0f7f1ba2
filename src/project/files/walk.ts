/**
 * The walk over the project: excluded folders are never entered, excluded files never looked at.
 *
 * Reading folders synchronously is the fastest way by far; the event loop gets its turn often enough that Ctrl-C is
 * heard at once.
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
import { type Problem, ProjectError } from '../../errors.ts';
import { throwIfAborted } from '../interruption.ts';
import type { CollectOptions, FileEntry } from './entry.ts';
import { type Exclude, type Include, isExcludedByDefault, virtualEnvironmentMarkers } from './patterns.ts';

export interface WalkResult {
  entries: FileEntry[];
  /** The include patterns that found something. */
  used: Set<Include>;
  warnings: Problem[];
  errors: Problem[];
}

interface WalkOptions extends Pick<CollectOptions, 'always' | 'isTemporary' | 'signal'> {
  includes: Include[];
  excludes: Exclude[];
}

/** Problems are collected, not thrown, so that all can be told at once. Throws a ProjectError if there is no root. */
export async function walkFolder(
  root: string,
  { includes, excludes, always = [], isTemporary = () => false, signal }: WalkOptions,
): Promise<WalkResult> {
  const project = new Walk(realRoot(root), excludes, isTemporary);
  project.enter({ path: '', name: '', real: project.root, trail: [], includes });

  let lastTurn = performance.now();
  while (project.visitNext()) {
    if (performance.now() - lastTurn < breath) continue;
    await turn();
    throwIfAborted(signal);
    lastTurn = performance.now();
  }
  throwIfAborted(signal);
  for (const path of always) project.addAlways(path);
  return project.found;
}

/** How long the event loop may wait, in milliseconds. */
const breath = 20;

function realRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch (cause) {
    const message = `the project folder ${root} cannot be opened`;
    throw new ProjectError(message, [{ severity: 'error', message }], { cause });
  }
}

interface Folder {
  path: string;
  name: string;
  /** Where it is on the disk; differs from the path below a link. */
  real: string;
  /** The real folders from which links led here: to meet one of them again is a loop. */
  trail: string[];
  /** The patterns that may match something in here. */
  includes: Include[];
}

class Walk {
  readonly found: WalkResult = { entries: [], used: new Set(), warnings: [], errors: [] };
  readonly root: string;
  readonly #excludes: Exclude[];
  readonly #waiting: Folder[] = [];

  readonly #isTemporary: (name: string) => boolean;

  constructor(root: string, excludes: Exclude[], isTemporary: (name: string) => boolean) {
    this.root = root;
    this.#excludes = excludes;
    this.#isTemporary = isTemporary;
  }

  enter(folder: Folder): void {
    this.#waiting.push(folder);
  }

  /** False when there is nothing left to visit. */
  visitNext(): boolean {
    const folder = this.#waiting.pop();
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
      this.#failToRead(folder.path || '.', error);
      return [];
    }
  }

  #visit(child: Dirent, folder: Folder, inherited: Include[]): void {
    const { name } = child;
    const path = folder.path === '' ? name : `${folder.path}/${name}`;
    if (this.#isExcluded(path, name, child.isDirectory()) || this.#isTemporary(name)) return;
    const includes = isExcludedByDefault(name) ? inherited.filter((each) => each.names(name)) : inherited;
    if (includes.length === 0) return;

    const at: Folder = { path, name, real: `${folder.real}/${name}`, trail: folder.trail, includes };
    if (child.isDirectory()) this.#enterIfReached(at);
    else if (child.isSymbolicLink()) this.#followIfWanted(at, folder);
    else if (!this.#wants(at)) return;
    else if (child.isFile()) this.#add(at);
    else this.#warn(`${path} is skipped: it is no regular file`, 'sockets, pipes and devices have no content to send');
  }

  #isExcluded(path: string, name: string, isFolder: boolean): boolean {
    return this.#excludes.some((each) => each.matches(path, name, isFolder));
  }

  #enterIfReached(folder: Folder): void {
    const includes = folder.includes.filter((each) => each.reaches(folder.path));
    if (includes.length > 0) this.enter({ ...folder, includes });
  }

  /** Every pattern is asked until it has matched once, so that idle ones can be told. */
  #wants(file: Folder): boolean {
    let wanted = false;
    for (const include of file.includes) {
      if (wanted && this.found.used.has(include)) continue;
      if (!include.matches(file.path)) continue;
      this.found.used.add(include);
      wanted = true;
    }
    return wanted;
  }

  /** A link's own name is what patterns see, wherever it leads. */
  #followIfWanted(link: Folder, parent: Folder): void {
    const reached = link.includes.some((each) => each.reaches(link.path) || each.matches(link.path));
    const target = reached ? this.#resolve(link) : undefined;
    if (!target) return;

    if (target.stats.isDirectory()) {
      if (this.#isExcluded(link.path, link.name, true)) return;
      const trail = [...parent.trail, parent.real];
      const isLoop = trail.some((folder) => isInside(target.real, folder));
      if (isLoop) this.#warn(`link ${link.path} is skipped: it leads back to a folder it lies in`);
      else this.#enterIfReached({ ...link, real: target.real, trail });
    } else if (this.#wants(link)) {
      if (target.stats.isFile()) this.#add({ ...link, real: target.real });
      else this.#warn(`link ${link.path} is skipped: it leads to no regular file`);
    }
  }

  #resolve(link: Pick<Folder, 'path' | 'real'>): { real: string; stats: Stats } | undefined {
    try {
      const real = realpathSync(link.real);
      if (isInside(this.root, real)) return { real, stats: statSync(real) };
      this.#fail(`link ${link.path} leads out of the project, to ${real}`, {
        why: 'only what lies in the folder of cerebrium.toml is sent',
        fix: `copy the file there, or exclude = ["./${link.path}"]`,
      });
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) this.#failToRead(link.path, error);
      else this.#warn(`link ${link.path} is skipped: it leads nowhere`);
    }
    return undefined;
  }

  #add({ path, real }: Pick<Folder, 'path' | 'real'>): void {
    try {
      const stats = lstatSync(real);
      // Readable by all is readable by us; only where the mode leaves a doubt is it worth asking.
      if ((stats.mode & 0o444) !== 0o444) accessSync(real, constants.R_OK);
      const executable = process.platform !== 'win32' && (stats.mode & 0o100) !== 0;
      this.found.entries.push({ path, size: stats.size, executable, source: { file: real } });
    } catch (error) {
      this.#failToRead(path, error);
    }
    if (/[\\\x00-\x1f\x7f]/.test(path)) {
      this.#warn(`${JSON.stringify(path)} has a character in its name that not every system can unpack`);
    }
  }

  addAlways(wanted: string): void {
    const path = posix.normalize(wanted.replaceAll(sep, '/'));
    const real = resolve(this.root, path);
    if (this.found.entries.some((entry) => entry.path === path)) return;
    if (!isInside(this.root, real)) {
      this.#warn(`${wanted} is not sent`, 'it lies outside the folder of cerebrium.toml');
    } else if (existsSync(real)) {
      const target = this.#resolve({ path, real });
      if (target) this.#add({ path, real: target.real });
    } else {
      this.#fail(`${wanted} is not there`);
    }
  }

  #warn(message: string, why?: string): void {
    this.found.warnings.push({ severity: 'warning', message, ...(why && { why }) });
  }

  #fail(message: string, facts: Partial<Problem> = {}): void {
    this.found.errors.push({ severity: 'error', message, ...facts });
  }

  #failToRead(path: string, error: unknown): void {
    const code = codeOf(error);
    // A name that is not UTF-8 is not shown as it is, and under the name we are shown there is nothing.
    if (code === 'ENOENT' && path.includes('\ufffd'))
      this.#fail(`the name of ${path} is not UTF-8`, { fix: 'rename or exclude it' });
    else
      this.#fail(`${path} cannot be read`, {
        why: reasons[code] ?? String(error),
        fix: `exclude = ["./${path}"] if it is not needed`,
      });
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? '';

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'it was there a moment ago and is gone',
  EIO: 'I/O error',
};

/** Whether `path` is `folder` itself or lies below it. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
