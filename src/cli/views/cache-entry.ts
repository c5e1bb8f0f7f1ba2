import { ago, sizeCell } from '../../kernel/output/format.ts';
import { table } from '../../kernel/output/table.ts';
import type { CacheEntry } from '../../local/cache.ts';
import { boolean, choice, integer, nullable, text } from '../result-schema.ts';

/** How what is kept on this machine is listed. */
export const cacheOutput = {
  view: (entries: CacheEntry[]) =>
    table(
      entries,
      {
        KIND: ({ kind }: CacheEntry) => kind,
        APP: ({ app }) => app,
        BUILD: ({ build }) => build,
        SIZE: ({ bytes }) => sizeCell(bytes),
        USED: ({ usedAt }) => ago(usedAt),
        PATH: ({ path }) => path,
      },
      { keep: ['KIND', 'APP', 'BUILD', 'SIZE'], right: ['SIZE'] },
    ),
  fields: {
    kind: choice(['packing', 'archives', 'python', 'runs'], 'packing, archives, python or runs'),
    app: nullable(text('app of an archive or of runs; null otherwise')),
    build: nullable(text('build that an archive was deployed as; null otherwise')),
    project: nullable(text('project of an archive or of runs; null otherwise')),
    files: integer('number of files'),
    bytes: integer('size'),
    usedAt: text('when it was kept, or used last: RFC 3339, UTC'),
    path: text('where it is; equal archives share a file'),
    removed: boolean('true if this command removed it'),
  },
};

/** What the kinds are. */
export const cacheDetails = [
  'packing: compressed files of the apps that were packed or deployed. They make the next archive faster and change nothing in it. At most 2 GiB, and a tenth of the free space. gantry config set packing-cache off keeps none; --repack does without it once.',
  'archives: what was deployed, so that gantry rollback can deploy it again. At most 1 GiB and 90 days, readable by you only. An archive has every file of the app, secrets included. gantry config set keep-archives off keeps none.',
  'python: environments of the emulator, one for each list of requirements. They are made again when an app needs them.',
  'runs: what the platform has said of the runs of an app, one file a day, so that questions about many runs read only new ones. At most 1 GiB and 92 days. They are read again when a command needs them, unless the platform has deleted them.',
];
