import type { VolumeLocation } from './changes.ts';
import type { VolumeFile } from './volume.ts';
import type { VolumeStore } from './volume-store.ts';

/** The key of a file in object storage. Names are encoded, so that they have no meaning in a URL. */
export function objectKey({ project, volume, region }: VolumeLocation, names: readonly string[]): string {
  return `volumes/${project}/${volume}/${region}/${Buffer.from(names.join('/')).toString('base64url')}`;
}

export function parseObjectKey(key: string): { location: VolumeLocation; names: string[] } {
  const [, project = '', volume = '', region = '', path = ''] = key.split('/');
  return { location: { project, volume, region }, names: Buffer.from(path, 'base64url').toString().split('/') };
}

/** Undefined if the file was deleted. */
export function findObject(volumes: VolumeStore, key: string): VolumeFile | undefined {
  const { location, names } = parseObjectKey(key);
  const entry = volumes.volume(location).find(names);
  return entry === 'folder' ? undefined : entry;
}
