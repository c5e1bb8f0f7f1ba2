import { checkPaths } from './archive.ts';

export interface TarInput {
  /** Relative, with forward slashes. */
  path: string;
  content: Buffer;
  executable: boolean;
}

/** The time of every entry, as in the zip of a deploy: some tools reject 1970. */
const entryDate = new Date('1980-01-01T00:00:00Z');

/** Packs files into an uncompressed tar: the same bytes for the same files. The library is loaded by the first call. */
export async function createTar(files: readonly TarInput[]): Promise<Buffer<ArrayBuffer>> {
  checkPaths(files);
  const { TarArchive } = await import('archiver');
  const archive = new TarArchive();
  for (const { path, content, executable } of files) {
    // Archiver takes the beginning of `a:b.py` for a drive letter and drops it, unless the name begins with a folder.
    const name = path.replace(/^\w+:/, './$&');
    archive.append(content, { name, mode: executable ? 0o755 : 0o644, date: entryDate });
  }
  const chunks: Buffer[] = [];
  archive.on('data', (chunk: Buffer) => chunks.push(chunk));
  await archive.finalize();
  return Buffer.concat(chunks);
}
