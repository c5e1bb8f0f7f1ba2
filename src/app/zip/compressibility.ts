/** Decides whether a file is worth compressing: by its extension, and for large files by compressing samples. */
import type { FileHandle } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';

const compressedExtensions = new Set(
  [
    'png jpg jpeg gif webp avif heic jxl jp2 ico',
    'mp4 m4v mov mkv webm avi mp3 m4a aac ogg opus flac wma',
    'zip gz tgz bz2 tbz2 xz txz zst lz4 br 7z rar lzma whl egg jar apk',
    'docx xlsx pptx odt ods epub woff woff2 npz parquet',
  ].flatMap((group) => group.split(' ')),
);

export function hasCompressedExtension(path: string): boolean {
  return compressedExtensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

const sampleCount = 4;
const sampleBytes = 2 ** 15;

/** Compresses several samples: model weights, for example, do not shrink, but their text header does. */
export async function isCompressible(file: FileHandle, size: number): Promise<boolean> {
  const sample = Buffer.allocUnsafe(sampleBytes);
  let shrunk = 0;
  for (let index = 0; index < sampleCount; index++) {
    const { bytesRead } = await file.read(sample, 0, sampleBytes, Math.floor((size / sampleCount) * index));
    const content = sample.subarray(0, bytesRead);
    if (deflateRawSync(content).length < content.length * 0.95) shrunk++;
  }
  return shrunk >= sampleCount / 2;
}
