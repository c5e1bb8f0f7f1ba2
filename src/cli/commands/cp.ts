import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Context } from '../../platform/context.ts';
import {
  type CopySummary,
  copy,
  copyFromStdin,
  copySummaryFields,
  copyToStdout,
  isDownload,
  parseCopyPaths,
} from '../../storage/copy/index.ts';
import { type PullSummary, pullFields, pullWeights } from '../../storage/weights/index.ts';
import { defineCommand } from '../command.ts';
import { addCopyFlags, type CopyFlags, toCopyOptions } from '../flags/copy.ts';
import { sha256Flag } from '../flags/values.ts';
import { document } from '../result-schema.ts';
import { copyExit, copyView } from '../views/copy.ts';
import { pullView } from '../views/weights.ts';

export default defineCommand({
  configure: (command) =>
    addCopyFlags(
      command
        .argument('[path...]', 'sources, then the target: files, :/path, volume:/path or -')
        .option('--sha256 <hex>', 'checksum that the file at a https:// URL must have', sha256Flag)
        .option('--lock', 'record a URL in weights.lock; without paths, copy all that it has')
        .option('--no-clobber', 'skip files that exist')
        .option('--update', 'skip files that are unchanged (same size, not older)'),
    ),
  run: async (context, paths, flags): Promise<CopySummary | PullSummary | RawOutput> => {
    if (isPull(paths, flags)) return pull(context, paths, flags);
    if (paths.length === 0) throw new UsageError('missing argument <path>', { fix: gantryCommand`cp FILE :/FILE` });
    const words = parseCopyPaths(paths, context, { sha256: flags.sha256 });
    if (flags.sha256 !== undefined && words.sources[0]?.kind !== 'web') {
      const why = 'files of this machine and of volumes are compared with --verify';
      throw new UsageError('--sha256 is for a file at a https:// URL', { why });
    }
    if (words.target.kind === 'stream') return new RawOutput(await copyToStdout(context, words, toCopyOptions(flags)));
    const isPiped = words.sources.some(({ kind }) => kind === 'stream');
    return (isPiped ? copyFromStdin : copy)(context, words, toCopyOptions(flags));
  },
  exit: ({ failed }) => copyExit(failed),
  view: (value) => ('lock' in value ? pullView(value) : copyView(value)),
  details: [
    "Remote paths are written volume:/path, or :/path for the default volume. A folder's contents are copied. Run it again to resume.",
    'A model (hf://ORG/NAME[@REVISION]) or a https:// URL goes to a volume directly. weights.lock records the checksums of a model: commit it. For gated models, set HF_TOKEN.',
  ],
  json: document(copySummaryFields, pullFields),
  formOf: (flags, [paths]) => document(isPull(paths as string[], flags) ? pullFields : copySummaryFields),
  effect: 'destroys',
  onlyReads: (paths, flags) => !isPull(paths, flags) && isDownload(paths),
  examples: [
    'cp model.bin :/models/',
    'cp :/results ./results --update',
    'cp ./dataset default:/dataset --exclude "*.tmp"',
    'cp :/models/a.bin :/backup/ --verify',
    'cp hf://Qwen/Qwen3-0.6B :/models/qwen',
    'cp hf://Qwen/Qwen3-0.6B@main :/models/qwen --include "*.json"',
    'cp --lock',
    'cp checkpoint.pt checkpoints/checkpoint.pt',
    'cp - :/notes.txt',
    'cp :/notes.txt -',
  ],
});

/** Weights have checksums of their own, and a lock that records them. */
function isPull([source]: readonly string[], { lock }: { lock?: true | undefined }): boolean {
  return lock === true || source?.startsWith('hf://') === true;
}

function pull(context: Context, paths: string[], flags: CopyFlags & { sha256?: string | undefined }) {
  const [source, target, ...more] = paths;
  if (more.length > 0) throw new UsageError('one model is copied at a time', { fix: 'name a source and a folder' });
  for (const [flag, isGiven] of Object.entries(notOfModels(flags)))
    if (isGiven) throw new UsageError(`${flag} is not for models`, { why: 'each file has the checksum of the hub' });
  const { include = [], exclude = [], dryRun = false, sha256, limitRate, resume } = flags;
  return pullWeights(context, { source, target, sha256, limitRate, resume, include, exclude, dryRun });
}

/** Flags that a copy of weights has no use for: the lock says what is skipped, and all of it is verified. */
function notOfModels({ clobber, update, follow, checksum, verify, partSize, concurrency }: CopyFlags) {
  return {
    '--no-clobber': clobber === false,
    '--update': update,
    '--no-follow': !follow,
    '--no-checksum': !checksum,
    '--verify': verify,
    '--part-size': partSize !== undefined,
    '--concurrency': concurrency !== undefined,
  };
}
