/**
 * Whether deflating is worth the time: by name, where the ending says that a file is compressed already, and for large
 * files by trying. Both depend on name and content alone, so that the archive does too.
 */
import type { FileHandle } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';

const compressed = new Set(
  [
    'png jpg jpeg gif webp avif heic jxl jp2 ico',
    'mp4 m4v mov mkv webm avi mp3 m4a aac ogg opus flac wma',
    'zip gz tgz bz2 tbz2 xz txz zst lz4 br 7z rar lzma whl egg jar apk',
    'docx xlsx pptx odt ods epub woff woff2 npz parquet',
  ].flatMap((group) => group.split(' ')),
);

export function hasCompressedExtension(path: string): boolean {
  return compressed.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

const samples = 4;
const sampleBytes = 2 ** 15;

/** Looks at several places, since weights that will not shrink come with a header of text that does. */
export async function isCompressible(file: FileHandle, size: number): Promise<boolean> {
  const sample = Buffer.allocUnsafe(sampleBytes);
  let yes = 0;
  for (let index = 0; index < samples; index++) {
    const { bytesRead } = await file.read(sample, 0, sampleBytes, Math.floor((size / samples) * index));
    const content = sample.subarray(0, bytesRead);
    if (deflateRawSync(content).length < content.length * 0.95) yes++;
  }
  return yes >= samples / 2;
}
