import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { removeLeftovers, TemporaryNames } from '../disk/index.ts';
import { readLocalApp } from '../operations/local-app.ts';
import { filesText, size } from '../output/words.ts';
import { writeArchive } from '../project/archive.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('-o, --output <file>', 'where to write the archive', 'app.zip')
      .option('--config-file <file>', 'the config file; its folder is the app', 'cerebrium.toml')
      .option('--name <name>', 'app name, instead of the one in the file'),
  run: async (context, { output, ...options }) => {
    const local = await readLocalApp(context, options);
    const target = resolve(context.cwd, output);
    const own = local.entries.filter(({ source }) => !('file' in source && source.file === target));
    const step = context.progress.step('Packing');
    const { state } = context.settings.folders;
    removeLeftovers(state);
    const names = new TemporaryNames(state);
    const { bytes, entries } = await writeArchive(own, target, {
      names,
      signal: context.signal,
      onProgress: (read) => step.update({ bytes: read, of: local.bytes }),
    });
    names.close();
    step.done(`Packed ${filesText(entries.length, local.bytes)} into ${size(bytes)}`);
    return { file: output, bytes, entries };
  },
  view:
    ({ file }) =>
    () =>
      file,
  json: { file: 'the archive', bytes: 'its size', entries: 'path, size, compressed size and CRC-32 of each file' },
  examples: ['package -o app.zip', 'package --json=bytes'],
});
