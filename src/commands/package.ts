import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { namedPieces, removeLeftovers, TemporaryNames } from '../disk/index.ts';
import { readLocalApp } from '../operations/deploy/index.ts';
import { fileSummary, size } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';
import { type AppArchive, withTemporaryArchive, writeArchive } from '../project/archive.ts';
import type { FileEntry } from '../project/files/entry.ts';

interface Packed {
  file: string;
  bytes: number;
  entries: AppArchive['entries'];
}

interface Packing {
  entries: FileEntry[];
  /** Sum of their sizes. */
  bytes: number;
}

export default defineCommand({
  configure: (command) =>
    command
      .option('-o, --output <file>', 'where to write the archive; - is stdout', 'app.zip')
      .option('--config-file <file>', 'the config file; its folder is the app', 'cerebrium.toml')
      .option('--name <name>', 'app name, instead of the one in the file'),
  run: async (context, { output, ...options }): Promise<Packed | RawOutput> => {
    const { entries, bytes } = await readLocalApp(context, options);
    if (output === '-' || output === '/dev/stdout') return toStdout(context, { entries, bytes });
    const target = resolve(context.cwd, output);
    const own = entries.filter(({ source }) => !('file' in source && source.file === target));
    return { file: output, ...(await toFile(context, { entries: own, bytes }, target)) };
  },
  view: (value) => () => (value instanceof RawOutput ? '' : value.file),
  json: { file: 'the archive', bytes: 'its size', entries: 'path, size, compressed size and CRC-32 of each file' },
  examples: ['package -o app.zip', 'package --json=bytes', 'package -o - > app.zip'],
});

async function toFile(context: Context, packing: Packing, target: string): Promise<Omit<Packed, 'file'>> {
  const { state } = context.settings.folders;
  removeLeftovers(state);
  const names = new TemporaryNames(state);
  const { onProgress, done } = progressOf(context, packing);
  const archive = await writeArchive(packing.entries, target, { names, signal: context.signal, onProgress });
  names.close();
  done(archive);
  return { bytes: archive.bytes, entries: archive.entries };
}

/** Packed into a temporary file first: headers are filled in after the content they stand before. */
function toStdout(context: Context, packing: Packing): RawOutput {
  const { signal } = context;
  const into: RawOutput['writeTo'] = async (take) => {
    const { onProgress, done } = progressOf(context, packing);
    const send = async (archive: AppArchive) => {
      done(archive);
      for await (const piece of namedPieces(archive.path, signal)) await take(piece);
    };
    await withTemporaryArchive(packing.entries, send, { signal, onProgress });
  };
  return new RawOutput(into, { untrusted: 'bytes', terminalFix: 'gantry package -o - > app.zip' });
}

function progressOf({ progress }: Context, { bytes }: Packing) {
  const step = progress.step('Packing');
  return {
    onProgress: (read: number) => step.update({ bytes: read, of: bytes }),
    done: (archive: AppArchive) =>
      step.done(`Packed ${fileSummary(archive.entries.length, bytes)} into ${size(archive.bytes)}`),
  };
}
