import { defineCommand } from '../../command.ts';
import { requiring } from '../../flags/rules.ts';
import { durationFlag } from '../../flags/values.ts';
import { type ListedArchive, listArchives, pruneArchives } from '../../operations/archives/index.ts';
import { ago, sizeCell } from '../../output/format.ts';
import { table } from '../../output/table.ts';
import { boolean, documents, integer, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[app]', 'app name (default: all apps)')
      .option('--prune', 'remove them')
      .addOption(
        requiring(
          command.createOption('--older-than <duration>', 'only those that are older').argParser(durationFlag),
          'prune',
        ),
      ),
  run: (context, app, { prune, olderThan }) =>
    prune ? pruneArchives(context, { app, olderThan }) : listArchives(context, { app }),
  view: (archives) =>
    table(
      archives,
      {
        APP: ({ app }: ListedArchive) => app,
        BUILD: ({ build }) => build,
        SIZE: ({ bytes }) => sizeCell(bytes),
        KEPT: ({ keptAt }) => ago(keptAt),
        PROJECT: ({ project }) => project,
      },
      { keep: ['APP', 'BUILD'], right: ['SIZE'] },
    ),
  empty: 'no archives kept on this machine',
  effect: 'destroys',
  local: true,
  dryRun: true,
  exits: ['input-needed'],
  json: documents({
    project: text('project'),
    app: text('app name'),
    build: text('build that it was deployed as'),
    bytes: integer('size of the archive'),
    files: integer('files in it'),
    sha256: text('SHA-256 of the archive; equal archives are stored once'),
    keptAt: text('RFC 3339, UTC'),
    removed: boolean('true with --prune'),
  }),
  details: [
    'gantry keeps the archives of successful deploys on this machine, so that gantry rollback can deploy them again: up to 1 GiB and 90 days, readable by you only. An archive has every file of the app, secrets included. gantry config set keep-archives off keeps none.',
  ],
  examples: ['builds archives web', 'builds archives --prune --older-than 30d', 'builds archives web --prune --yes'],
});
