import type { AppArchive } from '../../app/archive.ts';
import type { AppConfig } from '../../app/config.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { readFileOrPipeChunks, TemporaryNames } from '../../kernel/disk/index.ts';
import { ProjectError } from '../../kernel/errors.ts';
import { duration, fileSummary, size } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { writeOutput } from '../../storage/output-files.ts';
import type { SentFile } from './deploy-record.ts';
import {
  checkLocalSource,
  type FileDecision,
  fileDecisions,
  type LocalApp,
  type LocalAppOptions,
  readLocalApp,
} from './local-app.ts';
import type { PackedApp } from './send-build.ts';

export interface Packed extends Awaited<ReturnType<typeof toFile>> {
  file: string;
  selection: FileDecision[] | null;
}

export interface PackedBytes {
  send: (take: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
}

/** Writes the archive that a deploy would upload, to a file or (`-`) to stdout. Asks the platform nothing. */
export async function packApp(
  context: Context,
  { output, files, ...options }: LocalAppOptions & { output: string; files?: true | undefined },
): Promise<Packed | PackedBytes> {
  const local = await readLocalApp(context, { ...options, outputs: [output] });
  if (local.config.partner) throw nothingToPack(local.config);
  await checkLocalSource(context, local);
  const selection = files ? fileDecisions(local) : null;
  if (output === '-' || output === '/dev/stdout') return toStdout(context, local);
  const packed = await writeOutput(context, output, (target) => toFile(context, local, target), local.config);
  if (files) context.progress.note(`wrote ${output}`);
  return { file: output, ...packed, selection };
}

function nothingToPack({ name, runtime }: AppConfig): ProjectError {
  const message = `${name} has no files to pack`;
  const why = `its runtime is ${runtime}: the platform runs the partner's service`;
  return new ProjectError(message, [{ severity: 'error', message, why, fix: gantryCommand`deploy` }]);
}

async function toFile(context: Context, local: LocalApp, target: string) {
  const { state } = context.settings.folders;
  const names = new TemporaryNames(state);
  const { signal, progress } = context;
  const step = progress.step('Packing');
  const onProgress = (bytes: number) => step.update({ bytes, of: local.bytes });
  const { writeArchive } = await import('../../app/archive.ts');
  const archive = await writeArchive(local.entries, target, { names, signal, onProgress, cache: local.cache });
  names.close();
  step.done(`Packed ${fileSummary(archive.entries.length, local.bytes)} into ${size(archive.bytes)}`);
  const entries = archive.entries.map(({ path, size: bytes, compressed: compressedBytes, crc32, sha256 }) => {
    return { path, bytes, compressedBytes, crc32, sha256 };
  });
  return { bytes: archive.bytes, entries };
}

/** Packs into a temporary file first: headers are written after the content that follows them. */
function toStdout(context: Context, local: LocalApp): PackedBytes {
  const send: PackedBytes['send'] = (take) =>
    withPackedApp(context, local, async ({ archive }) => {
      const chunks = archive ? readFileOrPipeChunks(archive.path, context.signal) : [];
      for await (const chunk of chunks) await take(chunk);
    });
  return { send };
}

/** Packs the app into a temporary archive, which exists until `use` returns. */
export async function withPackedApp<T>(context: Context, local: LocalApp, use: (packed: PackedApp) => Promise<T>) {
  const { config, entries, bytes: of, cache } = local;
  if (config.partner) return use({ files: [], packMs: 0 });
  const { progress, signal, elapsed } = context;
  const started = elapsed();
  const step = progress.step('Packing');
  let fail: (() => void) | undefined = step.fail;
  const usePacked = (archive: AppArchive) => {
    fail = undefined;
    const packMs = elapsed() - started;
    step.done(`Packed ${size(archive.bytes)} in ${duration(packMs)}`);
    for (const path of archive.changed) progress.warn(`${path} changed while it was packed`);
    return use({ archive, files: sentFiles(local, archive), packMs });
  };
  const onProgress = (bytes: number) => step.update({ bytes, of });
  const { withTemporaryArchive } = await import('../../app/archive.ts');
  return withTemporaryArchive(entries, usePacked, { signal, cache, onProgress }).finally(() => fail?.());
}

/** The archive does not say what is executable. */
function sentFiles({ entries }: LocalApp, archive: AppArchive): SentFile[] {
  const executables = new Set(entries.filter(({ executable }) => executable).map(({ path }) => path));
  return archive.entries.map((entry) => ({ ...entry, executable: executables.has(entry.path) }));
}
