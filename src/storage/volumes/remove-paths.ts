import { compileGlob, type Glob } from '../../app/files/glob.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { FailedError, type GantryError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { count, fileSummary, groupDigits, size } from '../../kernel/output/format.ts';
import { boolean, type ObjectOf, text } from '../../kernel/shape.ts';
import { looksLikeRegion } from '../../platform/config/setting-values.ts';
import type { Context } from '../../platform/context.ts';
import { readEvidence, warnUnconfirmed } from '../../platform/waiting/index.ts';
import { formatRemotePath, spellingsOf, withTrailingSlash } from '../transfer/remote-path.ts';
import { type ConfirmContext, type Deletion, deletePaths } from './delete-paths.ts';
import {
  findEntry,
  type ListedEntry,
  parseVolumePath,
  refuseMountPath,
  singleLine,
  type VolumeContext,
  type VolumePath,
  walkEntries,
  walkVolume,
} from './walk-volume.ts';

export const removalFields = {
  path: text('remote path; ends in a slash for a folder'),
  isFolder: boolean('true for a folder'),
  changed: boolean('true'),
  confirmed: boolean('false if the platform accepted it and does not list the folder'),
};
type Removal = ObjectOf<typeof removalFields>;

type RemoveContext = ConfirmContext & Pick<Context, 'progress' | 'prompt' | 'willChange'>;

/** One that is not listed is what the path says: a folder if it ends in a slash. */
type RemovalTarget = Pick<ListedEntry, 'isFolder' | 'bytes'> & { at: VolumePath; isListed: boolean };

/**
 * Removes files, and folders with their contents. Finds, shows and confirms everything before it removes anything. Throws
 * NotFoundError if a path does not exist, UsageError for a folder without `recursive`. Reports each failure; throws the
 * first one if all have the same exit code.
 */
export async function removePaths(
  context: RemoveContext,
  paths: string[],
  { recursive, confirm }: { recursive: boolean; confirm: string | undefined },
): Promise<Removal[]> {
  if (recursive) checkRegions(paths);
  const targets: RemovalTarget[] = [];
  for (const path of paths) for (const target of await resolve(context, path, paths)) targets.push(target);
  const distinct = withoutCovered(targets);
  const folder = distinct.find(({ isFolder }) => isFolder);
  if (folder && !recursive) {
    throw new UsageError(`${formatRemotePath(folder.at)} is a folder`, {
      why: 'removing a folder and its contents requires -r',
      retryWith: ['-r'],
    });
  }
  await confirmRemoval(context, distinct, paths, confirm);
  const removals = distinct.map((target) => ({
    path: formatRemotePath(target.at),
    isFolder: target.isFolder,
    changed: true,
    confirmed: false,
  }));
  context.willChange(
    removals.map(({ path }) => `remove ${singleLine(path)}`),
    removals,
  );
  return removeAll(context, distinct);
}

/** To the official client `-r` means the region: `rm -r eu-north-1 /models/` must not remove what has a region's name. */
function checkRegions(paths: string[]): void {
  const region = paths.find(looksLikeRegion);
  if (region === undefined) return;
  const others = paths.filter((path) => path !== region);
  throw new UsageError(`-r ${region}: a region or a folder?`, {
    why: 'here -r removes folders with their contents; in the official client it is followed by the region',
    fix:
      others.length > 0
        ? sentence`for the region: ${gantryCommand`rm --region ${region} ${others}`}; for the folder: ${gantryCommand`rm -r /${region}`}`
        : gantryCommand`rm -r /${region}`,
  });
}

async function resolve(context: RemoveContext, text: string, texts: readonly string[]): Promise<RemovalTarget[]> {
  const at = parseVolumePath(text, context.settings);
  const pattern = parsePathPattern(at.path);
  if ('plain' in pattern) {
    const exact = { ...at, path: pattern.plain };
    const evidence = await readEvidence(() => findEntry(context, exact));
    if ('state' in evidence) return [targetOf(at, evidence.state)];
    refuseMountPath(exact);
    return [{ isFolder: exact.path.endsWith('/'), bytes: 0, at: exact, isListed: false }];
  }
  const matches = await findMatches(context, at, pattern);
  if (matches.length === 0) {
    const fix = sentence`for a file of that name: ${gantryCommand`rm ${asName(at, unescaped(at.path))}`}`;
    throw new NotFoundError(`nothing matches ${formatRemotePath(at)}`, { fix });
  }
  checkNamesake(context, at, matches, texts);
  return matches.map((entry) => targetOf(at, entry));
}

/** A file may be called like the pattern: others go with it only if its own path is typed, too. */
function checkNamesake(
  { settings }: RemoveContext,
  at: VolumePath,
  found: readonly ListedEntry[],
  texts: readonly string[],
): void {
  const nameOf = (path: string) => path.replace(/\/$/, '');
  const exact = found.find(({ path }) => nameOf(path) === nameOf(unescaped(at.path)));
  if (exact === undefined || found.length === 1) return;
  const plain = asName(at, exact.path);
  if (texts.some((each) => formatRemotePath(parseVolumePath(each, settings)) === plain)) return;
  const typed = formatRemotePath(at);
  const [noun, flag] = exact.isFolder ? ['a folder', ['-r']] : ['a file', []];
  const next = gantryCommand`rm ${flag} ${plain}`;
  throw new UsageError(
    `${typed} is the name of ${noun}, and a pattern that matches ${count(found.length - 1, 'other')}`,
    {
      fix: sentence`for that name alone: ${next}; for all of them: ${gantryCommand`rm ${flag} ${[plain, typed]}`}`,
      next,
    },
  );
}

/** A path as a name, not as a pattern. */
const asName = (at: VolumePath, path: string) =>
  formatRemotePath({ ...at, path: path.replace(/[*?[\]{}\\]/g, '\\$&') });

function targetOf(volume: VolumePath, { path, isFolder, bytes }: ListedEntry): RemovalTarget {
  return { at: { ...volume, path }, isFolder, bytes, isListed: true };
}

/** Removes duplicates, and entries of folders that are removed anyway. */
function withoutCovered(targets: RemovalTarget[]): RemovalTarget[] {
  const byPath = new Map(targets.map((target) => [formatRemotePath(target.at), target]));
  const isCovered = ({ at }: RemovalTarget) =>
    foldersAbove(at.path).some((folder) => byPath.has(formatRemotePath({ ...at, path: folder })));
  return [...byPath.values()].filter((target) => !isCovered(target));
}

/** `/a/b/c` is below `/`, `/a/` and `/a/b/`. */
function foldersAbove(path: string): string[] {
  return [...path.slice(0, -1).matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
}

/** Shows what would be removed unless that is confirmed, then asks: yes for files, the typed paths for folders. */
async function confirmRemoval(
  context: RemoveContext,
  targets: RemovalTarget[],
  paths: string[],
  confirm: string | undefined,
) {
  const { prompt } = context;
  const [only, ...others] = targets;
  if (only && others.length === 0 && !only.isFolder) {
    return prompt.confirm(`Remove ${singleLine(formatRemotePath(only.at))}${bytesText(only)}?`);
  }
  if (!prompt.isConfirmed && confirm === undefined) showTargets(context, targets);
  const files = targets.filter(({ isFolder }) => !isFolder);
  const folders = targets.filter(({ isFolder }) => isFolder);
  const summary = fileSummary(files.length, totalSize(files));
  if (folders.length === 0) return prompt.confirm(`Remove ${summary}?`);
  const what = (files.length > 0 ? `${summary} and ` : '') + (await describeFolders(context, folders));
  await prompt.confirmByName(`This permanently removes ${what}.`, paths.join(' '), confirm, otherSpellings(targets));
}

const otherSpellings = ([only, ...others]: RemovalTarget[]) =>
  only && others.length === 0 ? spellingsOf(only.at) : [];
const bytesText = ({ bytes, isListed }: RemovalTarget) => (isListed ? ` (${size(bytes)})` : '');
const totalSize = (files: RemovalTarget[]) => files.reduce((sum, file) => sum + file.bytes, 0);

function showTargets({ progress }: RemoveContext, targets: RemovalTarget[]): void {
  for (const target of targets.slice(0, maxShownPaths)) progress.note(`  ${singleLine(formatRemotePath(target.at))}`);
  if (targets.length > maxShownPaths) progress.note(`  and ${groupDigits(targets.length - maxShownPaths)} more`);
}

/** With what is in them; only in general if one is not listed. */
async function describeFolders(context: RemoveContext, folders: RemovalTarget[]): Promise<string> {
  const named = count(folders.length, 'folder');
  const inside = folders.length === 1 ? 'in it' : 'in them';
  if (folders.some(({ isListed }) => !isListed)) return `${named} with everything ${inside}`;
  const sum = { files: 0, bytes: 0 };
  const step = context.progress.step('Counting files');
  for (const { at } of folders) {
    for await (const { bytes } of walkVolume(context, at)) {
      sum.files += 1;
      sum.bytes += bytes;
    }
  }
  step.done(`Found ${fileSummary(sum.files, sum.bytes)}`);
  return `${named} with ${count(sum.files, 'file')} ${inside} (${size(sum.bytes)})`;
}

async function removeAll(context: RemoveContext, targets: RemovalTarget[]): Promise<Removal[]> {
  const paths = targets.map(({ at }) => at);
  const outcomes = await deletePaths(context, paths, new Set(paths.filter((_, index) => !targets[index]?.isListed)));
  const removed: Removal[] = [];
  const alreadyGone: string[] = [];
  const failures: { path: string; error: GantryError }[] = [];
  for (const [index, target] of targets.entries()) {
    const { error, refusal, wasGone } = outcomes[index] as Deletion;
    const path = formatRemotePath(target.at);
    if (error) failures.push({ path, error });
    else removed.push({ path, isFolder: target.isFolder, changed: true, confirmed: !refusal });
    if (refusal) warnUnconfirmed(context, `${singleLine(path)} is gone`, refusal);
    if (wasGone) alreadyGone.push(path);
  }
  const [firstGone = ''] = alreadyGone;
  if (alreadyGone.length > 0) {
    const what =
      alreadyGone.length === 1 ? `${singleLine(firstGone)} was` : `${alreadyGone.length} of ${targets.length} were`;
    context.progress.note(`${what} already gone`);
  }
  if (failures.length > 0) throw removalError(context, failures, removed);
  return removed;
}

function removalError(
  { progress }: RemoveContext,
  failures: { path: string; error: GantryError }[],
  removed: Removal[],
): GantryError {
  const details = {
    removed: removed.map(({ path }) => path),
    failed: failures.map(({ path, error }) => ({ path, message: error.message })),
  };
  const attempted = failures.length + removed.length;
  if (attempted > 1) for (const { path, error } of failures) progress.warn(`${singleLine(path)}: ${error.message}`);
  const [first] = failures;
  if (first && failures.every(({ error }) => error.exit === first.error.exit)) {
    first.error.facts.details = details;
    return first.error;
  }
  return new FailedError(`${failures.length} of ${attempted} could not be removed`, { details });
}

const maxShownPaths = 20;

/** A parsed pattern, or a plain path with its escapes removed. */
type PathPattern = { plain: string } | { from: string; wild: Glob; onlyFolders: boolean };

/** Splits `/logs/*.txt` into the folder to walk and a glob. A backslash escapes: `/a\*b` is a plain path. */
export function parsePathPattern(path: string): PathPattern {
  const names = path.slice(1).split('/');
  const first = names.findIndex((name) => isWild(name));
  if (first < 0) return { plain: unescaped(path) };
  const onlyFolders = path.endsWith('/');
  const wild = compileGlob(names.slice(first).join('/').replace(/\/$/, ''));
  if (wild) return { from: withTrailingSlash(`/${names.slice(0, first).map(unescaped).join('/')}`), wild, onlyFolders };
  throw new UsageError(`invalid pattern ${path}`, {
    why: 'it has an unclosed "[", a trailing "\\" or too many alternatives',
    fix: 'escape special characters in names with a backslash',
  });
}

/** The entries that match a pattern. Does not look into a folder that matches: its contents belong to it. */
async function findMatches(
  context: VolumeContext,
  volume: Omit<VolumePath, 'path'>,
  { from, wild, onlyFolders }: Exclude<PathPattern, { plain: string }>,
): Promise<ListedEntry[]> {
  const relative = ({ path }: ListedEntry) => path.slice(from.length).replace(/\/$/, '');
  const matches: ListedEntry[] = [];
  const enters = (folder: ListedEntry) => !wild.matches(relative(folder)) && wild.reaches(relative(folder));
  for await (const entry of walkEntries(context, { ...volume, path: from }, { entersFolder: enters })) {
    if (wild.matches(relative(entry)) && (entry.isFolder || !onlyFolders)) matches.push(entry);
  }
  return matches;
}

function isWild(name: string): boolean {
  return /[*?[]|\{[^}]*,[^}]*\}/.test(name.replace(/\\./gs, ''));
}

function unescaped(text: string): string {
  return text.replace(/\\([*?[\]{},!\\])/g, '$1');
}
