/** What object storage is asked for: an app's archive comes, a part of a volume's file comes, such a file goes. */
export type StorageTarget = 'upload' | 'part' | 'object';

/** What a request to object storage is for; undefined when it is none. */
export function storageTarget({ pathname, searchParams }: URL): StorageTarget | undefined {
  if (!pathname.startsWith(storagePath)) return undefined;
  if (!pathname.startsWith(`${storagePath}volumes/`)) return 'upload';
  return searchParams.has('uploadId') ? 'part' : 'object';
}

/** Where object storage begins in the platform's paths. */
export const storagePath = '/storage/';
