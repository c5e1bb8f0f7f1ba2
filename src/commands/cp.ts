import { defineCommand } from '../command.ts';
import { sizeFlag, textsFlag, wholeNumberFlag } from '../flags.ts';
import { type CopySummary, copy } from '../operations/copy/index.ts';
import { readWords } from '../operations/copy/places.ts';
import { copyFromStdin, copyToStdout } from '../operations/copy/streams.ts';
import { Pour } from '../output/pour.ts';
import { copyExit, copyView } from '../views/copy.ts';

const mib = 2 ** 20;

export default defineCommand({
  configure: (command) =>
    command
      .argument('<path...>', 'sources and, last, the target; on a volume: volume:/path or :/path; - is stdin, stdout')
      .option('--include <glob>', 'of folders, only files that match; may be repeated', textsFlag)
      .option('--exclude <glob>', 'of folders, no files or folders that match; may be repeated', textsFlag)
      .option('--no-follow', 'leave links out instead of copying what they lead to')
      .option('--no-clobber', 'leave files alone that are there already')
      .option('--update', 'leave out what is there in the same size, and not older')
      .option('--dry-run', 'say what would be copied, and stop')
      .option('--no-check', 'do not compare MD5s of what was sent and what arrived')
      .option('--verify', 'read everything back and compare it')
      .option('--no-continue', 'do not go on where the same copy was cut off')
      .option('--limit-rate <size>', 'bytes per second, such as 20MB', sizeFlag(1024))
      .option('--part-size <size>', 'of large files (16MiB)', sizeFlag(5 * mib, 5 * 1024 * mib))
      .option('--concurrency <number>', 'requests at a time (64 small or 12 large ones)', wholeNumberFlag(1, 256))
      .option('--events', 'print one JSON object per line as things happen')
      .addHelpText(
        'after',
        `
A folder stands for its content; with several sources each folder keeps its name.
When nothing is written as volume:/path, the last path is one on the default
volume. Whatever cuts a copy off, the same command goes on where it was. stdin is
kept in a temporary file until it ends: its size must be known.`,
      ),
  run: async (context, paths, flags): Promise<CopySummary | Pour> => {
    const words = readWords(paths, context);
    const options = { ...flags, include: flags.include ?? [], exclude: flags.exclude ?? [], remember: true };
    const settled = {
      ...options,
      update: flags.update === true,
      dryRun: flags.dryRun === true,
      verify: flags.verify === true,
      concurrency: flags.concurrency,
      partSize: flags.partSize,
      limitRate: flags.limitRate,
    };
    if (words.target.kind === 'stream') return new Pour(await copyToStdout(context, words));
    if (words.sources.some(({ kind }) => kind === 'stream')) return copyFromStdin(context, words, settled);
    return copy(context, words, settled);
  },
  exit: (value) => (value instanceof Pour ? 'ok' : copyExit(value)),
  view: (value) => (value instanceof Pour ? () => '' : copyView(value)),
  json: {
    from: 'the sources',
    to: 'the target',
    files: 'files that are copied now (--dry-run: would be)',
    bytes: 'their size',
    skipped: 'files that were left out',
    failed: 'path, reason and code of each file that failed',
    resumedBytes: 'of the bytes, those that an earlier try had copied',
    seconds: 'time it took',
    dryRun: 'whether this is only what would be done',
  },
  examples: [
    'cp model.bin :/models/',
    'cp ./dataset default:/dataset --exclude "*.tmp"',
    'cp :/results ./results --update',
    'cp :/models/a.bin other:/models/ --verify',
    'cp checkpoint.pt checkpoints/checkpoint.pt',
    'cp - :/notes.txt',
    'cp :/notes.txt -',
  ],
});
