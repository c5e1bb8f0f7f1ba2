import { UsageError } from '../../kernel/errors.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import {
  type CopySummary,
  copy,
  copyFromStdin,
  copyToDevice,
  copyToStdout,
  isDevice,
  isDownload,
  parseCopyPaths,
} from '../../storage/copy/index.ts';
import { watchCopiesInApp } from '../../storage/output-files.ts';
import { defineCommand } from '../command.ts';
import { addCopyFlags, copySummaryFields, toCopyOptions } from '../flags/copy.ts';
import { sha256Flag } from '../flags/values.ts';
import { document } from '../result-schema.ts';
import { copyExit, copyView } from '../views/copy.ts';

export default defineCommand({
  configure: (command) =>
    addCopyFlags(
      command
        .argument('<path...>', 'sources and, last, the target; on a volume: volume:/path or :/path; - is stdin, stdout')
        .option('--sha256 <hex>', 'checksum that the file at a https:// URL must have', sha256Flag)
        .option('--no-clobber', 'skip files that exist')
        .option('--update', 'skip files that are unchanged (same size, not older)'),
    ),
  run: async (context, paths, flags): Promise<CopySummary | RawOutput> => {
    const words = parseCopyPaths(paths, context, { sha256: flags.sha256 });
    if (flags.sha256 !== undefined && words.sources[0]?.kind !== 'web') throw sha256AloneError();
    if (words.target.kind === 'stream') return new RawOutput(await copyToStdout(context, words, toCopyOptions(flags)));
    const isPiped = words.sources.some(({ kind }) => kind === 'stream');
    const toDevice = await isDevice(words.target);
    const way = isPiped ? copyFromStdin : toDevice ? copyToDevice : copy;
    const { target } = words;
    const noteCopies = target.kind === 'local' && !toDevice ? watchCopiesInApp(context, target.path) : undefined;
    const summary = await way(context, words, toCopyOptions(flags));
    if (summary.files > 0 && !summary.dryRun) await noteCopies?.();
    return summary;
  },
  exit: (value) => (value instanceof RawOutput ? 'ok' : copyExit(value)),
  view: (value) => (value instanceof RawOutput ? () => '' : copyView(value)),
  details: [
    "Remote paths are written volume:/path, or :/path for the default volume. A folder's contents are copied; with several sources, each keeps its name. If no path is remote, the last one is a path on the default volume. Run the same command again to resume an interrupted copy.",
    'A file at a https:// URL goes to a volume without being stored on this machine. It counts as copied only with the SHA-256 of --sha256.',
    'stdin is stored in a temporary file until it ends, because its size must be known before the upload. An uploaded file counts as copied once the volume lists it with its full size.',
    'If file names are equal on the disk of a local target, for example Readme.md and readme.md, nothing is written and the command exits with 7; --rename-clashes saves the second one as readme-2.md.',
  ],
  json: document(copySummaryFields),
  effect: 'destroys',
  onlyReads: (paths) => isDownload(paths),
  examples: [
    'cp model.bin :/models/',
    'cp :/results ./results --update',
    'cp ./dataset default:/dataset --exclude "*.tmp"',
    'cp :/models/a.bin :/backup/ --verify',
    'cp checkpoint.pt checkpoints/checkpoint.pt',
    'cp https://example.com/model.gguf :/models/ --sha256 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    'cp - :/notes.txt',
    'cp :/notes.txt -',
  ],
});

function sha256AloneError(): UsageError {
  return new UsageError('--sha256 is for a file at a https:// URL', {
    why: 'files of this machine and of volumes are compared with --verify',
  });
}
