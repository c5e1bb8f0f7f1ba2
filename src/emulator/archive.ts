import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** The files in an archive by path. Sizes in bytes, unpacked; the checksum as the zip has it. */
export type FileList = Map<string, { size: number; crc32: number }>;

export interface Archive {
  files: FileList;
  /** The text of those files that were asked for and are there. */
  texts: Map<string, string>;
}

/** Lists an archive without unpacking it. Rejects when it is no zip. */
export async function listFiles(path: string): Promise<FileList> {
  const files: FileList = new Map();
  for await (const { entry } of fileEntries(path)) files.set(entry.fileName, facts(entry));
  return files;
}

/** Unpacks every file, as the machine that builds it would. Rejects when the archive or any file in it is damaged. */
export async function unpack(path: string, wanted: readonly string[]): Promise<Archive> {
  const archive: Archive = { files: new Map(), texts: new Map() };
  for await (const { entry, zip } of fileEntries(path)) {
    const { fileName } = entry;
    const keep = wanted.includes(fileName);
    const text = await readEntry(zip, entry, keep);
    archive.files.set(fileName, facts(entry));
    if (keep) archive.texts.set(fileName, text);
  }
  return archive;
}

/** The files of a zip, one by one; its folders are passed over. */
export async function* fileEntries(path: string): AsyncGenerator<{ entry: Entry; zip: ZipFile }> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true });
  try {
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) yield { entry, zip };
  } finally {
    zip.close();
  }
}

function facts(entry: Entry) {
  return { size: entry.uncompressedSize, crc32: entry.crc32 };
}

/** The file's text when it is to be kept. yauzl compares sizes but not checksums, so we do. */
async function readEntry(zip: ZipFile, entry: Entry, keep: boolean): Promise<string> {
  const kept: Buffer[] = [];
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    sum = crc32(chunk, sum);
    if (keep) kept.push(chunk);
  }
  if (sum !== entry.crc32) throw new Error(`bad checksum of ${entry.fileName}`);
  return Buffer.concat(kept).toString();
}
