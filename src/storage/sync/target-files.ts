import { join } from 'node:path';
import { temporaryFilter, toDiskErrorOf } from '../../kernel/disk/index.ts';
import { systemCode } from '../../kernel/errors.ts';
import {
  type CopyTarget,
  createPathFilter,
  isDeletedMeanwhile,
  type PathFilter,
  parseTimestamp,
  walkLocal,
} from '../copy/index.ts';
import { type VolumePath, walkVolume } from '../volumes/index.ts';
import type { CompareContext, CompareOptions } from './difference.ts';

export interface TargetFileInfo {
  path: string;
  bytes: number;
  modified: number | undefined;
}

/**
 * The files of a target folder; none of a folder that does not exist, or that another command deletes meanwhile. Sorted as a
 * source.
 */
export function findTargetFiles(
  folder: CopyTarget['folder'],
  { include, exclude }: CompareOptions,
  context: CompareContext,
): AsyncGenerator<TargetFileInfo> {
  const filter = createPathFilter(include, exclude);
  return folder.kind === 'remote' ? remoteFiles(folder.at, filter, context) : localFiles(folder.path, filter, context);
}

async function* remoteFiles(
  at: VolumePath,
  filter: PathFilter,
  context: CompareContext,
): AsyncGenerator<TargetFileInfo> {
  for await (const { path, size, modified } of walkVolume(context, at, { missingIsEmpty: true })) {
    if (filter.includes(path)) yield { path, bytes: size, modified: parseTimestamp(modified) };
  }
}

async function* localFiles(
  folder: string,
  filter: PathFilter,
  { settings }: CompareContext,
): AsyncGenerator<TargetFileInfo> {
  const isTemporary = temporaryFilter(() => settings.folders.state);
  try {
    // Sync does not delete through symbolic links, so files behind them do not count.
    for await (const file of walkLocal({ folder, prefix: '', filter, follow: false, isTemporary })) {
      if ('failure' in file && !isDeletedMeanwhile(file))
        throw toDiskErrorOf(`cannot read ${join(folder, file.path)}`, file.failure);
      if ('bytes' in file) yield { path: file.path, bytes: file.bytes, modified: file.modified };
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
