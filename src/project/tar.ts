/** A file of the archive, its content in memory. */
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
  const { pack } = await import('tar-stream');
  const archive = pack();
  for (const { path, content, executable } of files) {
    archive.entry({ name: path, mode: executable ? 0o755 : 0o644, mtime: entryDate }, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
