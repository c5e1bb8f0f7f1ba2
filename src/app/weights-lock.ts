import { join, posix } from 'node:path';
import * as v from 'valibot';
import { distinctPaths } from '../kernel/distinct-paths.ts';
import { groupsOf } from '../kernel/groups.ts';
import { tryParseJson } from '../kernel/json-text.ts';
import { readTextIfPresent } from './read-text.ts';

/** The file in the folder of an app that says which weights are on a volume, where, and with which content. */
export const weightsLockName = 'weights.lock';

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
  return v.is(lockFile, value) ? value.weights : 'damaged';
}

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

/** A path that means another one is not what a pull writes. */
function isVolumeFolder(target: string): boolean {
  const [, path] = groupsOf(/^[A-Za-z][\w.-]+:(\/.*)$/s, target);
  return path !== undefined && posix.normalize(path) === path;
}

const lockedFile = v.object({
  path: v.pipe(
    v.string(),
    v.check((path) => path.split('/').every((name) => !['', '.', '..'].includes(name))),
  ),
  bytes: v.pipe(v.number(), v.safeInteger()),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  gitId: v.exactOptional(v.string()),
  modified: v.exactOptional(v.string()),
});

const lockFile = v.object({
  version: v.literal(1),
  weights: v.array(
    v.object({
      source: v.string(),
      revision: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/))),
      target: v.pipe(v.string(), v.check(isVolumeFolder)),
      include: v.exactOptional(v.array(v.string())),
      exclude: v.exactOptional(v.array(v.string())),
      seen: v.object({ project: v.string(), region: v.string() }),
      files: v.pipe(
        v.array(lockedFile),
        v.check((files) => distinctPaths(files).repeated === undefined),
      ),
    }),
  ),
});
