import { refuse } from '../../http/reply.ts';
import type { FileRecord, VolumeLocation } from './changes.ts';
import { type MountedFile, MountedFolder } from './mounted-folder.ts';
import { type Folder, findInTree, isFolder, walkTree } from './tree.ts';

export type VolumeFile = FileRecord | MountedFile;

/**
 * The files of one volume. As long as no app uses it they are in a tree, whose contents are uploaded parts. Then they are
 * in a folder, and the tree keeps only names that a disk cannot have.
 */
export class Volume {
  readonly root: Folder = new Map();
  /** In GB. */
  size = initialSizeGb;
  folder: MountedFolder | undefined;

  constructor(readonly location: VolumeLocation) {}

  find(names: readonly string[]): VolumeFile | 'folder' | undefined {
    const mounted = this.folder?.find(names);
    if (mounted && names.length > 0) return mounted;
    const entry = findInTree(this.root, names);
    return isFolder(entry) ? 'folder' : entry;
  }

  /** The entries of a folder by name; undefined if it does not exist. */
  list(names: readonly string[]): Map<string, VolumeFile | 'folder'> | undefined {
    const entry = findInTree(this.root, names);
    const mounted = this.folder?.list(names);
    if (!mounted) return isFolder(entry) ? new Map(listTree(entry)) : undefined;
    return isFolder(entry) ? new Map([...listTree(entry), ...mounted]) : mounted;
  }

  /** All files and empty folders. */
  *walk(): Generator<{ names: readonly string[]; file?: VolumeFile }> {
    for (const found of this.folder?.walk() ?? []) if (found.names.length > 0) yield found;
    for (const found of walkTree(this.root)) {
      if (found.names.length > 0 && !this.folder?.find(found.names)) yield found;
    }
  }

  /** Refuses a path that is a folder or below a file with 409, and one that is too long with 400. */
  checkWritable(names: readonly string[]): void {
    if (Buffer.byteLength(names.join('/')) > maxPathBytes) refuse(400, `the path is longer than ${maxPathBytes} bytes`);
    for (let depth = 1; depth <= names.length; depth += 1) {
      const entry = this.find(names.slice(0, depth));
      if (entry === undefined) return;
      const path = `/${names.slice(0, depth).join('/')}`;
      if (depth < names.length && entry !== 'folder') refuse(409, `${path} is a file, not a folder`);
      if (depth === names.length && entry === 'folder') refuse(409, `${path} is a folder, not a file`);
    }
  }

  /** The folder that has this file or will have it; undefined if it belongs into the tree. */
  folderFor(names: readonly string[]): MountedFolder | undefined {
    return MountedFolder.canHold(names) ? this.folder : undefined;
  }
}

const initialSizeGb = 50;

/** The limit of object storage for keys. */
const maxPathBytes = 1024;

function* listTree(folder: Folder): Generator<[string, VolumeFile | 'folder']> {
  for (const [name, entry] of folder) yield [name, isFolder(entry) ? 'folder' : entry];
}

/** The key of a file in object storage. Names are encoded, so that they have no meaning in a URL. */
export function objectKey({ project, volume, region }: VolumeLocation, names: readonly string[]): string {
  return `volumes/${project}/${volume}/${region}/${Buffer.from(names.join('/')).toString('base64url')}`;
}

export function parseObjectKey(key: string): { location: VolumeLocation; names: string[] } {
  const [, project = '', volume = '', region = '', path = ''] = key.split('/');
  return { location: { project, volume, region }, names: Buffer.from(path, 'base64url').toString().split('/') };
}
