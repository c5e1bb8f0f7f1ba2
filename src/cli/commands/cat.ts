import { RawOutput } from '../../kernel/output/raw-output.ts';
import { findRemoteFiles, parseVolumePath, streamFiles } from '../../storage/volumes/index.ts';
import { defineCommand } from '../command.ts';

export default defineCommand({
  configure: (command) => command.argument('<path...>', 'remote files, as volume:/path or /path'),
  run: async (context, paths) => {
    const files = await findRemoteFiles(
      context,
      paths.map((path) => parseVolumePath(path, context.settings)),
    );
    return new RawOutput((take) => streamFiles(context, files, take));
  },
  effect: 'reads',
  examples: ['cat /logs/today.txt', 'cat /data/part-1 /data/part-2 > whole', 'cat default:/notes.md | head'],
});
