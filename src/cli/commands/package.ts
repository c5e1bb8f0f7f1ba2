import { join, resolve } from 'node:path';
import { type AppArchive, withTemporaryArchive, writeArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { type FileDecision, fileDecisions, packingCache, readLocalApp } from '../../deploys/send/index.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readFileOrPipeChunks, TemporaryNames } from '../../kernel/disk/index.ts';
import { ProjectError } from '../../kernel/errors.ts';
import { fileSummary, size } from '../../kernel/output/format.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Context } from '../../platform/context.ts';
import { checkReplaceable, sentWithApp } from '../../storage/output-files.ts';
import { defineCommand } from '../command.ts';
import { document, integer, list, object, text } from '../result-schema.ts';
import { fileDecisionFields, fileDecisionsView } from '../views/file-decisions.ts';

interface PackedEntry {
  path: string;
  bytes: number;
  compressedBytes: number;
  crc32: number;
  sha256: string;
}

interface Packed {
  file: string;
  bytes: number;
  entries: PackedEntry[];
  /** With `--files`. */
  selection: FileDecision[] | null;
}

type Cache = ReturnType<typeof packingCache>;

interface ArchiveContent {
  entries: FileEntry[];
  /** Sum of their sizes. */
  bytes: number;
}

export default defineCommand({
  configure: (command) =>
    command
      .option('-o, --output <file>', 'archive, or - for stdout (default: ../<app>.zip)')
      .option('--files', 'list all files and why they are sent')
      .option('--use-gitignore', 'skip files that git ignores')
      .option('--repack', 'compress every file again, without the packing cache')
      .option('--config-file <file>', 'config file, wherever it lies', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file'),
  run: async (context, { output, files, repack, ...options }): Promise<Packed | RawOutput> => {
    const cache = packingCache(context, repack);
    const app = await readLocalApp(context, { ...options, outputs: [output] });
    if (app.project.partner) throw nothingToPack(app.project);
    if (output === '-' || output === '/dev/stdout') {
      if (files) context.progress.note(fileDecisionsView(fileDecisions(app)));
      return toStdout(context, app, cache);
    }
    const file = output ?? defaultOutput(app.project.name);
    const target = resolve(context.cwd, file);
    checkReplaceable(context, file, 'archive');
    const packed = await toFile(context, app, target, cache);
    if (files) context.progress.note(`wrote ${file}`);
    const warning = await sentWithApp(target, { app: app.project });
    if (warning) context.progress.warn(warning);
    return { file, ...packed, selection: files ? fileDecisions(app) : null };
  },
  view: (value) => {
    if (value instanceof RawOutput) return () => '';
    return value.selection ? fileDecisionsView(value.selection) : () => value.file;
  },
  effect: 'changes',
  local: true,
  exits: ['project', 'conflict'],
  json: document({
    file: text('archive'),
    bytes: integer('size of the archive'),
    entries: list(
      object({
        path: text('path in the archive'),
        bytes: integer('size'),
        compressedBytes: integer('size in the archive'),
        crc32: integer('CRC-32, as in the archive'),
        sha256: text('SHA-256 of the content'),
      }),
      'files: path, size, compressed size, CRC-32 and SHA-256',
    ),
    selection: fileDecisionFields,
  }),
  examples: ['package', 'package --files', 'package -o /tmp/web.zip --json=bytes', 'package -o - > ../app.zip'],
});

/** Beside the app folder: inside of it, the next deploy would send the archive. */
function defaultOutput(app: string): string {
  return join('..', `${app.replace(/[^\w.-]+/g, '-')}.zip`);
}

function nothingToPack({ name, runtime }: AppConfig): ProjectError {
  const message = `${name} has no files to pack`;
  const facts = {
    why: `its runtime is ${runtime}: the platform runs the partner's service`,
    fix: gantryCommand`deploy`,
  };
  return new ProjectError(message, [{ severity: 'error', message, ...facts }], facts);
}

async function toFile(
  context: Context,
  content: ArchiveContent,
  target: string,
  cache: Cache,
): Promise<Omit<Packed, 'file' | 'selection'>> {
  const { state } = context.settings.folders;
  const names = new TemporaryNames(state);
  const { onProgress, done } = progressOf(context, content);
  const archive = await writeArchive(content.entries, target, { names, signal: context.signal, onProgress, cache });
  names.close();
  done(archive);
  const entries = archive.entries.map(({ path, size, compressed, crc32, sha256 }) => ({
    path,
    bytes: size,
    compressedBytes: compressed,
    crc32,
    sha256,
  }));
  return { bytes: archive.bytes, entries };
}

/** Packs into a temporary file first: headers are written after the content that follows them. */
function toStdout(context: Context, content: ArchiveContent, cache: Cache): RawOutput {
  const { signal } = context;
  const into: RawOutput['writeTo'] = async (take) => {
    const { onProgress, done } = progressOf(context, content);
    const send = async (archive: AppArchive) => {
      done(archive);
      for await (const piece of readFileOrPipeChunks(archive.path, signal)) await take(piece);
    };
    await withTemporaryArchive(content.entries, send, { signal, onProgress, cache });
  };
  return new RawOutput(into, {
    untrusted: 'bytes',
    terminalFix: sentence`${gantryCommand`package -o -`} > ../app.zip`,
  });
}

function progressOf({ progress }: Context, { bytes }: ArchiveContent) {
  const step = progress.step('Packing');
  return {
    onProgress: (read: number) => step.update({ bytes: read, of: bytes }),
    done: (archive: AppArchive) =>
      step.done(`Packed ${fileSummary(archive.entries.length, bytes)} into ${size(archive.bytes)}`),
  };
}
