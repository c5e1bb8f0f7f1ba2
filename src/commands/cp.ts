import { defineCommand } from '../command.ts';
import { copyFields, copyFlags, copyOptions } from '../flags/copy.ts';
import {
  type CopySummary,
  copy,
  copyFromStdin,
  copyToDevice,
  copyToStdout,
  isDevice,
  readWords,
} from '../operations/copy/index.ts';
import { RawOutput } from '../output/raw-output.ts';
import { copyExit, copyView } from '../views/copy.ts';

export default defineCommand({
  configure: (command) =>
    copyFlags(
      command
        .argument('<path...>', 'sources and, last, the target; on a volume: volume:/path or :/path; - is stdin, stdout')
        .option('--no-clobber', 'leave files alone that are there already')
        .option('--update', 'leave out what is there in the same size, and not older'),
    ).addHelpText('after', notes),
  run: async (context, paths, flags): Promise<CopySummary | RawOutput> => {
    const words = readWords(paths, context);
    if (words.target.kind === 'stream') return new RawOutput(await copyToStdout(context, words, copyOptions(flags)));
    const isPiped = words.sources.some(({ kind }) => kind === 'stream');
    const way = isPiped ? copyFromStdin : (await isDevice(words.target)) ? copyToDevice : copy;
    return way(context, words, copyOptions(flags));
  },
  exit: (value) => (value instanceof RawOutput ? 'ok' : copyExit(value)),
  view: (value) => (value instanceof RawOutput ? () => '' : copyView(value)),
  json: copyFields,
  examples: [
    'cp model.bin :/models/',
    'cp ./dataset default:/dataset --exclude "*.tmp"',
    'cp :/results ./results --update',
    'cp :/models/a.bin :/backup/ --verify',
    'cp checkpoint.pt checkpoints/checkpoint.pt',
    'cp - :/notes.txt',
    'cp :/notes.txt -',
  ],
});

const notes = `
A folder stands for its content; one of several sources keeps its name. When
nothing is written as volume:/path, the last path is one on the default volume.
Whatever cuts a copy off, the same command goes on where it was. stdin is kept in
a temporary file until it ends: its size must be known before it is sent.
An uploaded file counts as copied once the volume lists it in full.

Some disks take Readme.md and readme.md for the same name. Where two files would
fall together like that in a local target, nothing is written and the command
ends with exit code 7; --rename-clashes saves the second as readme-2.md.`;
