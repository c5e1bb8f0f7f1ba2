import type { VolumeLocation } from './changes.ts';
import { type FileRecord, findEntry, isFolder } from './tree.ts';
import type { VolumeStore } from './volume-store.ts';

/** The key of a file in object storage. Its path is written so that no name in it can mean anything in a link. */
export function objectKey({ project, volume, region }: VolumeLocation, names: readonly string[]): string {
  return `volumes/${project}/${volume}/${region}/${Buffer.from(names.join('/')).toString('base64url')}`;
}

/** What a key is for, again. */
export function parseObjectKey(key: string): { place: VolumeLocation; names: string[] } {
  const [, project = '', volume = '', region = '', path = ''] = key.split('/');
  return { place: { project, volume, region }, names: Buffer.from(path, 'base64url').toString().split('/') };
}

/** The file of a key; undefined when it is gone. */
export function findObject(volumes: VolumeStore, key: string): FileRecord | undefined {
  const { place, names } = parseObjectKey(key);
  const found = findEntry(volumes.volume(place).root, names);
  return isFolder(found) ? undefined : found;
}
