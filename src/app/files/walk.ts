/** Reads folders synchronously, which is much faster, and yields to the event loop often enough for Ctrl-C. */

import { accessSync, constants, existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { turn, turnIsDue } from '../../kernel/clock.ts';
import {
  entriesByBytes,
  isFileOfStream,
  mayBeOtherBytes,
  type NamedEntry,
  namedByBytes,
} from '../../kernel/disk/index.ts';
import { type Problem, ProjectError, systemCode, throwIfAborted } from '../../kernel/errors.ts';
import type { CollectOptions, FileEntry, FileReason } from './entry.ts';
import { type Exclude, excludeLine, type Include, isExcludedByDefault, virtualEnvironmentMarkers } from './patterns.ts';
import { isOwnFile } from './plans.ts';

export interface WalkResult {
  entries: FileEntry[];
  used: Set<Include>;
  warnings: Problem[];
  errors: Problem[];
}

interface WalkAppOptions extends Omit<CollectOptions, 'include'> {
  includes: Include[];
  excludes: Exclude[];
}

/** Returns all problems instead of throwing the first one. Throws ProjectError if the root cannot be opened. */
export async function walkFolder(root: string, options: WalkAppOptions): Promise<WalkResult> {
  const { includes, always = [], signal } = options;
  const walk = new Walk(resolveRoot(root), options);
  walk.enter({ path: '', name: '', real: walk.root, linkedFrom: [], includes });

  for (const isDue = turnIsDue(); walk.visitNext(); ) {
    if (!isDue()) continue;
    await turn();
    throwIfAborted(signal);
  }
  throwIfAborted(signal);
  for (const path of always) walk.addAlways(path);
  return walk.found;
}

function resolveRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch (cause) {
    const message = `cannot open the app folder ${root}`;
    throw new ProjectError(message, [{ severity: 'error', message }], { cause });
  }
}

interface WalkedFolder {
  path: string;
  name: string;
  /** The real path, which differs from `path` below a symbolic link. */
  real: string;
  /** The real folders that contain the symbolic links on the way here, to detect loops. */
  linkedFrom: string[];
  includes: Include[];
}

class Walk {
  readonly found: WalkResult;
  readonly #problems: WalkProblems;
  readonly #pending: WalkedFolder[] = [];
  readonly #outputs: ReadonlySet<string>;

  constructor(
    readonly root: string,
    private readonly options: WalkAppOptions,
  ) {
    this.#problems = new WalkProblems(options.exclude);
    const { warnings, errors } = this.#problems;
    this.found = { entries: [], used: new Set(), warnings, errors };
    this.#outputs = new Set(options.outputs?.filter(existsSync).map((file) => realpathSync(file)));
  }

  enter(folder: WalkedFolder): void {
    this.#pending.push(folder);
  }

  visitNext(): boolean {
    const folder = this.#pending.pop();
    if (!folder) return false;

    const children = this.#read(folder);
    const isEnvironment =
      folder.path !== '' && children.some((child) => virtualEnvironmentMarkers.includes(child.name));
    const includes = isEnvironment ? folder.includes.filter((each) => each.names(folder.name)) : folder.includes;
    if (includes.length > 0) for (const child of children) this.#visit(child, folder, includes);
    else this.#skip(`${folder.path}/`, { kind: 'environment' });
    return true;
  }

  #read(folder: WalkedFolder): NamedEntry[] {
    try {
      const entries = readdirSync(folder.real, { withFileTypes: true });
      return entries.some(({ name }) => mayBeOtherBytes(name)) ? entriesByBytes(folder.real) : entries;
    } catch (error) {
      this.#problems.addReadError(folder.path || '.', error);
      return [];
    }
  }

  #visit(child: NamedEntry, folder: WalkedFolder, inherited: Include[]): void {
    const { name } = child;
    const path = folder.path === '' ? name : `${folder.path}/${name}`;
    const isFolder = child.isDirectory();
    const includes = isExcludedByDefault(name) ? inherited.filter((each) => each.names(name)) : inherited;
    const excluded =
      this.#exclusion(path, name, isFolder) ?? (includes.length === 0 ? ({ kind: 'never-sent' } as const) : undefined);

    const at: WalkedFolder = { path, name, real: `${folder.real}/${name}`, linkedFrom: folder.linkedFrom, includes };
    if (excluded) this.#skip(isFolder ? `${path}/` : path, excluded);
    else if (child.bytes !== undefined) this.#refuseIfIncluded(at, folder, child);
    else if (isFolder) this.#enterIfReached(at);
    else if (child.isSymbolicLink()) this.#followIfIncluded(at, folder);
    else this.#addIfIncluded(at, child);
  }

  #addIfIncluded(file: WalkedFolder, child: Pick<NamedEntry, 'isFile'>): void {
    const include = this.#findInclude(file);
    if (!include) this.#skip(file.path, { kind: 'not-included' });
    else if (child.isFile()) this.#addFile(file, { kind: 'included', by: include.text });
    else {
      this.#skip(file.path, { kind: 'unsupported' });
      const why = 'sockets, pipes and devices cannot be sent';
      this.#problems.addWarning(`skipped ${file.path}: not a regular file`, why);
    }
  }

  #refuseIfIncluded({ path, includes }: WalkedFolder, parent: WalkedFolder, child: NamedEntry): void {
    if (includes.some((each) => (child.isDirectory() ? each.reaches(path) : each.matches(path))))
      this.#problems.addUnnamed(parent.path === '' ? `${child.bytes}` : `${parent.path}/${child.bytes}`);
    else this.#skip(path, { kind: 'not-included' });
  }

  #exclusion(path: string, name: string, isFolder: boolean): FileReason | undefined {
    const pattern = this.options.excludes.find((each) => each.matches(path, name, isFolder));
    if (pattern) return { kind: 'excluded', by: pattern.text };
    if (this.options.isTemporary?.(name)) return { kind: 'temporary' };
    for (const kind of ['gitignored', 'dockerignored'] as const) {
      const line = this.options.ignored?.[kind]?.lineFor(path, isFolder);
      if (line !== undefined) return { kind, by: line };
    }
    return undefined;
  }

  #enterIfReached(folder: WalkedFolder): void {
    const includes = folder.includes.filter((each) => each.reaches(folder.path));
    if (includes.length > 0) this.enter({ ...folder, includes });
    else this.#skip(`${folder.path}/`, { kind: 'not-included' });
  }

  /** Tests each pattern until it has matched once, to report patterns that match nothing. */
  #findInclude(file: WalkedFolder): Include | undefined {
    let included: Include | undefined;
    for (const include of file.includes) {
      if (included && this.found.used.has(include)) continue;
      if (!include.matches(file.path)) continue;
      this.found.used.add(include);
      included ??= include;
    }
    return included;
  }

  #skip(path: string, reason: FileReason): void {
    this.options.onSkipped?.({ path, reason });
  }

  /** Patterns apply to the path of the link, not to its target. */
  #followIfIncluded(link: WalkedFolder, parent: WalkedFolder): void {
    const isReached = link.includes.some((each) => each.reaches(link.path) || each.matches(link.path));
    const target = isReached ? this.#resolveLink(link) : undefined;
    if (!target) this.#skip(link.path, { kind: isReached ? 'unsupported' : 'not-included' });
    else if (!target.stats.isDirectory()) this.#addIfIncluded({ ...link, real: target.real }, target.stats);
    else this.#followIntoFolder(link, target.real, [...parent.linkedFrom, parent.real]);
  }

  #followIntoFolder(link: WalkedFolder, real: string, linkedFrom: string[]): void {
    const excluded = this.#exclusion(link.path, link.name, true);
    if (excluded) this.#skip(`${link.path}/`, excluded);
    else if (linkedFrom.some((folder) => isInside(real, folder))) {
      this.#skip(link.path, { kind: 'unsupported' });
      this.#problems.addWarning(`skipped symbolic link ${link.path}: it leads to a folder that contains it`);
    } else this.#enterIfReached({ ...link, real, linkedFrom });
  }

  #addFile({ path, real }: Pick<WalkedFolder, 'path' | 'real'>, reason: FileReason): void {
    try {
      const stats = lstatSync(real);
      if (this.#outputs.has(resolve(real)) || isFileOfStream(stats) || isOwnFile(real)) {
        this.#skip(path, { kind: 'output' });
        return;
      }
      // A file that everyone may read needs no further check.
      if ((stats.mode & 0o444) !== 0o444) accessSync(real, constants.R_OK);
      const executable = process.platform !== 'win32' && (stats.mode & 0o100) !== 0;
      // All of `stats` would be most of the memory of a large app.
      const { dev, ino, size, mtimeMs, ctimeMs } = stats;
      const facts = { dev, ino, size, mtimeMs, ctimeMs };
      this.found.entries.push({ path, size, executable, source: { file: real }, stats: facts, reason });
    } catch (error) {
      this.#problems.addReadError(path, error);
    }
    if (/[\\\x00-\x1f\x7f]/.test(path)) {
      this.#problems.addWarning(`${JSON.stringify(path)} has a character in its name that some systems cannot unpack`);
    }
  }

  addAlways(given: string): void {
    const path = posix.normalize(given.replaceAll(sep, '/'));
    const real = resolve(this.root, path);
    if (this.found.entries.some((entry) => entry.path === path)) return;
    if (!isInside(this.root, real)) {
      this.#problems.addWarning(`${given} is not sent`, 'it is outside of the folder of cerebrium.toml');
    } else if (existsSync(real)) {
      const target = this.#resolveLink({ path, real });
      if (target) this.#addFile({ path, real: target.real }, { kind: 'required' });
    } else {
      this.#problems.addError(`${given} not found`);
    }
  }

  /** Where a symbolic link of the app folder leads. Undefined, and a problem, if its target cannot be sent. */
  #resolveLink({ path, real: link }: Pick<WalkedFolder, 'path' | 'real'>): { real: string; stats: Stats } | undefined {
    try {
      const real = realpathSync(link);
      const { bytes } = mayBeOtherBytes(real) ? namedByBytes(realpathSync.native(link, 'buffer')) : {};
      if (bytes !== undefined) return void this.#problems.addUnnamed(bytes);
      if (isInside(this.root, real)) return { real, stats: statSync(real) };
      this.#problems.addOutside(path, real);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error))) this.#problems.addReadError(path, error);
      else this.#problems.addWarning(`skipped symbolic link ${path}: its target does not exist`);
    }
    return undefined;
  }
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** What is wrong with files of an app folder: errors are files that cannot be sent. */
class WalkProblems {
  readonly warnings: Problem[] = [];
  readonly errors: Problem[] = [];

  /** `exclude` has the present patterns. */
  constructor(private readonly exclude: readonly string[]) {}

  addWarning(message: string, why?: string): void {
    this.warnings.push({ severity: 'warning', message, why });
  }

  addError(message: string, facts: Partial<Problem> = {}): void {
    this.errors.push({ severity: 'error', message, ...facts });
  }

  addOutside(link: string, target: string): void {
    this.addError(`symbolic link ${link} leads out of the app folder, to ${target}`, {
      why: 'only files in the folder of cerebrium.toml are sent',
      fix: `copy the file there, or ${excludeLine(this.exclude, [link])}`,
    });
  }

  /** Under another name it would be another file. */
  addUnnamed(path: string): void {
    this.addError(`the name of ${path} is not valid UTF-8`, { fix: 'rename or exclude it' });
  }

  addReadError(path: string, error: unknown): void {
    this.addError(`cannot read ${path}`, {
      why: reasons[systemCode(error)] ?? String(error),
      fix: `make it readable for this user, or ${excludeLine(this.exclude, [path])} if it is not needed`,
    });
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'it was deleted meanwhile',
  EIO: 'input/output error',
};
