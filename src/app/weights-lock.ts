import { join, posix } from 'node:path';
import { distinctPaths } from '../kernel/distinct-paths.ts';
import { isRecord, tryParseJson } from '../kernel/json-text.ts';
import { readTextIfPresent } from './read-text.ts';

/** The file in the folder of an app that says which weights are on a volume, where, and with which content. */
export const weightsLockName = 'weights.lock';

/** What was pulled from one source into one folder of a volume. */
export interface LockedWeights {
  /** `hf://ORG/NAME`, or a URL. */
  source: string;
  /** The commit of the model; absent for a URL. */
  revision?: string;
  /** The folder, `default:/models/qwen`. */
  target: string;
  include?: string[];
  exclude?: string[];
  seen: { project: string; region: string };
  files: LockedFile[];
}

export interface LockedFile {
  /** Below the target, with forward slashes. */
  path: string;
  bytes: number;
  sha256: string;
  /** The id that Git gives the content, if the hub has no SHA-256 of it. */
  gitId?: string;
  /** When it was last changed, as the volume listed it after its content was proven. */
  modified?: string;
}

/** Undefined if there is no lock in the folder; 'damaged' if it cannot be read. */
export function readWeightsLock(folder: string): LockedWeights[] | 'damaged' | undefined {
  const text = readTextIfPresent(join(folder, weightsLockName));
  if (text === undefined) return undefined;
  const value = tryParseJson(text);
  if (!isRecord(value) || value.version !== 1 || !Array.isArray(value.weights)) return 'damaged';
  return value.weights.every(isLocked) ? value.weights : 'damaged';
}

/** Why a lock is damaged, and what to do. */
export const damagedLock = {
  why: 'it is not what gantry cp writes, or has an unresolved merge conflict',
  fix: 'take one side of the merge, restore it from git, or delete it and pull the weights again',
};

/** A line for each file, so that a change is a short difference. */
export function weightsLockText(weights: readonly LockedWeights[]): string {
  const sorted = weights.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const parts = sorted.map(({ files, ...facts }) => {
    const lines = files.map((file) => `        ${JSON.stringify(file)}`);
    const head = JSON.stringify(facts, null, 2).slice(0, -2).replaceAll('\n', '\n    ');
    return `    ${head},\n      "files": [\n${lines.join(',\n')}\n      ]\n    }`;
  });
  return `{\n  "version": 1,\n  "weights": [\n${parts.join(',\n')}\n  ]\n}\n`;
}

/** Where apps find the weights: `/persistent-storage/models/qwen`. */
export function mountedPath({ target, seen }: Pick<LockedWeights, 'target' | 'seen'>): string {
  const folder = target.slice(target.indexOf(':') + 1).replace(/\/$/, '');
  return posix.join(seen.region === 'global' ? '/global-persistent-storage' : '/persistent-storage', folder);
}

const keyOf = ({ source, target }: LockedWeights) => `${target} ${source}`;

function isLocked(value: unknown): value is LockedWeights {
  if (!isRecord(value) || !isRecord(value.seen) || !Array.isArray(value.files)) return false;
  const { source, target, revision = 'fffffff', include = [], exclude = [], seen, files } = value;
  return (
    [source, target, revision, seen.project, seen.region].every(isText) &&
    isVolumeFolder(String(target)) &&
    /^[0-9a-f]{7,64}$/.test(String(revision)) &&
    [include, exclude].every((globs) => Array.isArray(globs) && globs.every(isText)) &&
    files.every(isLockedFile) &&
    distinctPaths(files).repeated === undefined
  );
}

/** A path that means another one is not what a pull writes. */
function isVolumeFolder(target: string): boolean {
  const [, path] = /^[A-Za-z][\w.-]+:(\/.*)$/s.exec(target) ?? [];
  return path !== undefined && posix.normalize(path) === path;
}

function isLockedFile(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.path) || !isText(value.sha256)) return false;
  const isInside = value.path.split('/').every((name) => !['', '.', '..'].includes(name));
  const areTexts = [value.modified, value.gitId].every((one) => one === undefined || isText(one));
  return isInside && areTexts && Number.isSafeInteger(value.bytes) && /^[0-9a-f]{64}$/.test(value.sha256);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
