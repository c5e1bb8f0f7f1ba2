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
  '--cache lists packing (compressed files for the next archive), archives (what gantry rollback can deploy again), python (environments of the emulator) and runs (of apps, for figures). Only archives cannot be made again.',
];
