import { choices, proofs, type RolledBack } from '../../deploys/rollback/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { platformExits } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  list,
  nullable,
  object,
  optional,
  text,
} from '../result-schema.ts';

/** What the commands have in common that deploy a build again: rollback, apps restart, promote. */
export const deployedAgain = {
  view:
    ({ app, build, restored, endpoint, changed }: RolledBack) =>
    () =>
      changed
        ? endpoint || `${app} serves build ${shortBuild(build ?? '')}`
        : `nothing to change: build ${shortBuild(build ?? restored)} serves`,
  next: ({ app, changed }: RolledBack) =>
    changed ? [{ line: gantryCommand`logs ${app}`, when: 'to see whether it is well' }] : [],
  effect: 'changes',
  dryRun: true,
  exits: [...platformExits, 'pending', 'project', 'build-failed', 'not-ready'],
  json: document({
    app: text('app name'),
    project: text('project'),
    replaced: nullable(text('build that served before')),
    restored: text('earlier build'),
    chosenBy: choice(choices, 'its name, what is on record, or only the order of builds: it may never have been well'),
    build: nullable(text('new build, made of the files of the earlier one; null if the earlier one serves itself')),
    status: text('final status of the build'),
    endpoint: text('URL of the app'),
    dashboard: text('URL of the app in the dashboard'),
    source: nullable(choice(['archive', 'git'], 'what was deployed')),
    commit: nullable(text('commit of the files, if it is on record or was named')),
    archive: nullable(text('SHA-256 of the archive')),
    files: integer('number of files'),
    settings: list(
      object({ setting: text('name'), from: anything('deployed value'), to: anything('value of the earlier build') }),
      'settings that change with it',
    ),
    resolvedAnew: list(
      object({
        kind: choice(['pip', 'conda', 'apt', 'image'], 'what it is'),
        requirement: text('as it is required'),
      }),
      'packages without an exact version and images without a digest, which may be others than in the earlier build',
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
