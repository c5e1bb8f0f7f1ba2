/** Requests to object storage: PUT of an app's archive, PUT of a part of a file, GET of a file. */
export type StorageTarget = 'upload' | 'part' | 'object';

/** Undefined for other requests. */
export function storageTarget({ pathname, searchParams }: URL): StorageTarget | undefined {
  if (!pathname.startsWith(storagePath)) return undefined;
  if (!pathname.startsWith(`${storagePath}volumes/`)) return 'upload';
  return searchParams.has('uploadId') ? 'part' : 'object';
}

export const storagePath = '/storage/';
