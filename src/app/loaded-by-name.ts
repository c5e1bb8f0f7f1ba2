import { relative } from 'node:path';
import type { FileLocation, Problem } from '../kernel/errors.ts';
import type { FileEntry } from './files/entry.ts';
import { readTextIfPresent } from './read-text.ts';
import { damagedLock, type LockedWeights, mountedPath, readWeightsLock, weightsLockName } from './weights-lock.ts';

const maxSourceBytes = 1024 * 1024;

/** Models that the app loads from the hub although `weights.lock` has them. Looks for the name as a string. */
export function checkLoadedByName(root: string, cwd: string, entries: readonly FileEntry[]): Problem[] {
  const weights = readWeightsLock(root) ?? [];
  if (weights === 'damaged') {
    return [{ severity: 'warning', message: `${weightsLockName} cannot be read`, ...damagedLock }];
  }
  const models = wholeModels(weights);
  if (models.length === 0) return [];
  return entries.flatMap((entry) => {
    if (!entry.path.endsWith('.py') || entry.size > maxSourceBytes || !('file' in entry.source)) return [];
    const shownAs = relative(cwd, entry.source.file);
    const lines = readTextIfPresent(entry.source.file)?.split(/\r?\n/) ?? [];
    return models.flatMap((model) => loadsOf(model, lines, shownAs));
  });
}

/** The part of each model that has the most bytes: another part may be in another folder, too. */
function wholeModels(weights: readonly LockedWeights[]): LockedWeights[] {
  const models = new Map<string, LockedWeights>();
  for (const each of weights) {
    const other = models.get(each.source);
    if (each.source.startsWith('hf://') && (!other || bytesOf(each) > bytesOf(other))) models.set(each.source, each);
  }
  return [...models.values()];
}

function bytesOf({ files }: LockedWeights): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function loadsOf(model: LockedWeights, lines: readonly string[], file: string): Problem[] {
  const name = model.source.slice('hf://'.length);
  const index = lines.findIndex((line) => positionOf(name, line) >= 0);
  const text = lines[index];
  if (text === undefined) return [];
  const column = [...text.slice(0, positionOf(name, text))].length + 1;
  const location: FileLocation = { file, line: index + 1, column, length: name.length + 2, text };
  return [
    {
      severity: 'warning',
      message: `${file} loads ${name} by name, although the volume has it`,
      location,
      why: 'each new replica downloads it again before it answers',
      fix: `load "${mountedPath(model)}" instead`,
    },
  ];
}

/** The position of the quoted name; -1 if there is none, or if it is in a comment. */
function positionOf(name: string, line: string): number {
  const at = Math.max(line.indexOf(`"${name}"`), line.indexOf(`'${name}'`));
  return /^\s*#/.test(line) ? -1 : at;
}
