import type { Place } from './changes.ts';
import { type FileRecord, find, isFolder } from './tree.ts';
import type { Volumes } from './volumes.ts';

/** The key of a file in object storage. Its path is written so that no name in it can mean anything in a link. */
export function objectKey({ project, volume, region }: Place, names: readonly string[]): string {
  return `volumes/${project}/${volume}/${region}/${Buffer.from(names.join('/')).toString('base64url')}`;
}

/** What a key is for, again. */
export function readKey(key: string): { place: Place; names: string[] } {
  const [, project = '', volume = '', region = '', path = ''] = key.split('/');
  return { place: { project, volume, region }, names: Buffer.from(path, 'base64url').toString().split('/') };
}

/** The file of a key; undefined when it is gone. */
export function fileOf(volumes: Volumes, key: string): FileRecord | undefined {
  const { place, names } = readKey(key);
  const found = find(volumes.volume(place).root, names);
  return isFolder(found) ? undefined : found;
}
