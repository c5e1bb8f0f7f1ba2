import { largestFiles, totalBytes } from '../../app/collect.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { excludeLine } from '../../app/files/patterns.ts';
import { createTar } from '../../app/tar.ts';
import { readRegular } from '../../kernel/disk/index.ts';
import { ProjectError } from '../../kernel/errors.ts';
import { size } from '../../kernel/output/format.ts';
import { runLimits } from '../../platform/contract/run-app.ts';

interface PackedFiles {
  entries: readonly FileEntry[];
  /** The present patterns. */
  exclude: readonly string[];
}

/** The archive of a run: the files of the folder, where `file` has this content. Throws ProjectError if it is too large. */
export async function packProgram(packed: PackedFiles, file: string, content: Buffer): Promise<Buffer<ArrayBuffer>> {
  const { entries } = packed;
  // Checked before anything is read: the archive is never smaller than its files.
  checkArchive(totalBytes(entries), packed);
  const files = [];
  for (const entry of entries) {
    const { path, executable } = entry;
    if (path.includes('\\')) throw backslashIn(path);
    files.push({ path, executable, content: path === file ? content : await readEntry(entry) });
  }
  const tar = await createTar(files);
  checkArchive(tar.length, packed);
  return tar;
}

/** Tar writers and readers disagree on whether it separates folders. */
function backslashIn(path: string): ProjectError {
  const message = `the file name ${path} contains a backslash`;
  const fix = `rename the file, or exclude it in cerebrium.toml`;
  return new ProjectError(message, [{ severity: 'error', message, fix }], { fix });
}

/** Checks the limit of a run. The error lists the largest files. */
function checkArchive(bytes: number, { entries, exclude }: PackedFiles): void {
  if (bytes <= runLimits.archiveBytes) return;
  const message = `the files are too large for a run: ${size(bytes)} (maximum ${size(runLimits.archiveBytes)})`;
  const top = largestFiles(entries, 5);
  const why = ['the largest files:', ...top.map((each) => `${size(each.size).padStart(9)}  ${each.path}`)].join('\n');
  const names = top.slice(0, 3).map(({ path }) => path);
  const fix = `${excludeLine(exclude, names)} in cerebrium.toml, and copy data to a volume with gantry cp`;
  const details = {
    bytes,
    limit: runLimits.archiveBytes,
    largest: top.map(({ path, size }) => ({ path, size })),
  };
  throw new ProjectError(message, [{ severity: 'error', message, why, fix }], { why, fix, details });
}

export async function readEntry({ source, path }: FileEntry): Promise<Buffer> {
  if ('text' in source) return Buffer.from(source.text);
  return readRegular(source.file).catch((cause: Error) => {
    const message = `cannot read ${path}`;
    throw new ProjectError(message, [{ severity: 'error', message, why: cause.message }], { cause });
  });
}
