import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { readFileOrPipeChunks, removeOrphanedFiles, TemporaryNames } from '../disk/index.ts';
import { readLocalApp } from '../operations/deploy/index.ts';
import { fileSummary, size } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';
import { type AppArchive, withTemporaryArchive, writeArchive } from '../project/archive.ts';
import type { FileEntry } from '../project/files/entry.ts';
import { document, integer, list, object, text } from '../result-schema.ts';

interface PackedEntry {
  path: string;
  bytes: number;
  compressedBytes: number;
  crc32: number;
}

interface Packed {
  file: string;
  bytes: number;
  entries: PackedEntry[];
}

interface ArchiveContent {
  entries: FileEntry[];
  /** Sum of their sizes. */
  bytes: number;
}

export default defineCommand({
  configure: (command) =>
    command
      .option('-o, --output <file>', 'archive to write; - for stdout', 'app.zip')
      .option('--config-file <file>', 'config file; its folder is the app folder', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file'),
  run: async (context, { output, ...options }): Promise<Packed | RawOutput> => {
    const { entries, bytes } = await readLocalApp(context, options);
    if (output === '-' || output === '/dev/stdout') return toStdout(context, { entries, bytes });
    const target = resolve(context.cwd, output);
    const isTarget = ({ source }: FileEntry) => 'file' in source && source.file === target;
    const previousBytes = entries.find(isTarget)?.size ?? 0;
    const others = { entries: entries.filter((entry) => !isTarget(entry)), bytes: bytes - previousBytes };
    return { file: output, ...(await toFile(context, others, target)) };
  },
  view: (value) => () => (value instanceof RawOutput ? '' : value.file),
  effect: 'reads',
  exits: ['project'],
  json: document({
    file: text('archive'),
    bytes: integer('size of the archive'),
    entries: list(
      object({
        path: text('path in the archive'),
        bytes: integer('size'),
        compressedBytes: integer('size in the archive'),
        crc32: integer('CRC-32'),
      }),
      'files: path, size, compressed size and CRC-32',
    ),
  }),
  examples: ['package -o app.zip', 'package --json=bytes', 'package -o - > app.zip'],
});

async function toFile(context: Context, content: ArchiveContent, target: string): Promise<Omit<Packed, 'file'>> {
  const { state } = context.settings.folders;
  removeOrphanedFiles(state);
  const names = new TemporaryNames(state);
  const { onProgress, done } = progressOf(context, content);
  const archive = await writeArchive(content.entries, target, { names, signal: context.signal, onProgress });
  names.close();
  done(archive);
  const entries = archive.entries.map(({ path, size, compressed, crc32 }) => ({
    path,
    bytes: size,
    compressedBytes: compressed,
    crc32,
  }));
  return { bytes: archive.bytes, entries };
}

/** Packs into a temporary file first: headers are written after the content that follows them. */
function toStdout(context: Context, content: ArchiveContent): RawOutput {
  const { signal } = context;
  const into: RawOutput['writeTo'] = async (take) => {
    const { onProgress, done } = progressOf(context, content);
    const send = async (archive: AppArchive) => {
      done(archive);
      for await (const piece of readFileOrPipeChunks(archive.path, signal)) await take(piece);
    };
    await withTemporaryArchive(content.entries, send, { signal, onProgress });
  };
  return new RawOutput(into, { untrusted: 'bytes', terminalFix: 'gantry package -o - > app.zip' });
}

function progressOf({ progress }: Context, { bytes }: ArchiveContent) {
  const step = progress.step('Packing');
  return {
    onProgress: (read: number) => step.update({ bytes: read, of: bytes }),
    done: (archive: AppArchive) =>
      step.done(`Packed ${fileSummary(archive.entries.length, bytes)} into ${size(archive.bytes)}`),
  };
}
