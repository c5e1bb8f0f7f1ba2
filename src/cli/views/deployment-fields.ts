import { fileChangeFields } from '../../deploys/builds/index.ts';
import { anything, boolean, integer, nullable, object, objects, orNull, record, text } from '../result-schema.ts';
import { fileDecisionFields } from './file-decisions.ts';

export const deployPlanFields = {
  dryRun: boolean('true for a dry run: nothing was sent'),
  app: text('app name'),
  project: text('project'),
  runtime: text('cortex, custom or a partner'),
  exists: nullable(boolean('with --dry-run: whether the app is already deployed'), 'not known'),
  build: nullable(text('live build; null for an app without one')),
  status: nullable(text('status of the deployed app'), 'not known'),
  endpoint: text('URL of the deployed app; empty if unknown'),
  region: nullable(text('where the app is deployed')),
  keep: record(
    anything('deployed value'),
    'settings that the config file does not decide: the region, and those that --keep-scaling keeps',
  ),
  public: boolean('with --dry-run: whether anyone can call it without a token (disable_auth in cerebrium.toml)'),
  setup: record(anything('value'), 'with --dry-run: hardware and replicas, including defaults'),
  settings: objects('with --dry-run: settings that would change', {
    setting: text('key in the config file'),
    from: anything('deployed value'),
    to: anything('new value'),
    byDefault: boolean('whether the file leaves it to its default'),
    drifted: nullable(boolean('whether it was changed outside of the file since the last deploy'), 'that is unknown'),
  }),
  fileChanges: orNull('with --dry-run: changed files; null if there is nothing to compare with', fileChangeFields),
  send: object('with --dry-run: what would be sent', {
    files: integer('number of files'),
    bytes: integer('total size'),
    largest: objects('largest files', { path: text('path'), bytes: integer('size') }),
  }),
  selection: fileDecisionFields,
  failedBuild: nullable(text('with --dry-run: status of the last build if it failed')),
  older: boolean('with --dry-run: whether what serves is of a newer commit, so that a deploy needs --older'),
  changed: boolean('whether a deploy would change anything'),
  because: nullable(text('what speaks for a deploy besides what would change'), 'nothing does'),
};
