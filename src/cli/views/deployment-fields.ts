import { fileChangeFields, proofs } from '../../deploys/builds/index.ts';
import type { RolledBack } from '../../deploys/rollback/index.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  nullable,
  object,
  objects,
  optional,
  orNull,
  record,
  text,
} from '../result-schema.ts';
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

/** What the commands have in common that deploy a build again: rollback, apps restart, promote. */
export const deployedAgain = {
  view: ({ app, build, restored, endpoint, changed }: RolledBack) =>
    changed
      ? endpoint || `${app} serves build ${shortBuild(build ?? '')}`
      : `nothing to change: build ${shortBuild(build ?? restored)} serves`,
  effect: 'changes',
  dryRun: true,
  exits: ['pending', 'build-failed', 'not-ready'],
  json: document({
    app: text('app name'),
    project: text('project'),
    replaced: nullable(text('build that served before')),
    restored: text('earlier build'),
    build: nullable(text('new build, made of the files of the earlier one'), 'the earlier one serves itself'),
    status: nullable(text('final status of the build; null with --dry-run')),
    endpoint: text('URL of the app'),
    dashboard: text('URL of the app in the dashboard'),
    source: nullable(choice(['archive', 'git'], 'what was deployed')),
    commit: nullable(text('commit of the files, if it is on record or was named')),
    archive: nullable(text('SHA-256 of the archive')),
    files: integer('number of files'),
    settings: objects('settings that change with it', {
      setting: text('name'),
      from: anything('deployed value'),
      to: anything('value of the earlier build'),
    }),
    resolvedAnew: objects(
      'packages without an exact version and images without a digest, which may be others than in the earlier build',
      {
        kind: choice(['pip', 'conda', 'apt', 'image'], 'what it is'),
        requirement: text('as it is required'),
      },
    ),
    proof: nullable(
      choice(
        proofs,
        "what shows that its files are the same: the record of what was sent, or the platform's list; null: nothing",
      ),
    ),
    serves: optional(text('a build created later that has replaced this one meanwhile')),
    changed: boolean('false if the build serves already'),
  }),
} as const;
