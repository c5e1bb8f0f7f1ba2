import { readAppHere } from '../../deploys/apps.ts';
import { compareServing } from '../../deploys/commit-of-build.ts';
import { commitShape } from '../../deploys/history/index.ts';
import {
  type AppStatus,
  isOperational,
  type ProjectStatus,
  readAppStatus,
  readProjectStatus,
  type ServiceStatus,
} from '../../insight/status.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { ago, count, dollars, duration, shortBuild, shortList, toMs } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { type Cell, keyValueTable, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { buildHasFailed, buildPhase } from '../../platform/contract/builds.ts';
import { defineCommand } from '../command.ts';
import { optionalAppArgument } from '../flags/app.ts';
import { boolean, document, integer, list, nullable, number, objects, orNull, record, text } from '../result-schema.ts';
import { commitText } from '../views/build.ts';
import { paintStatus, statusCell, wordOf } from '../views/status.ts';

const sharedFields = {
  target: text('project and platform, as every command that changes something names them'),
  platform: orNull('status page of the platform', {
    status: text('operational, degraded, downtime, maintenance, or another platform value'),
    incidents: objects('current incidents', {
      title: text('title'),
      status: text('status'),
      startsAt: nullable(text('RFC 3339, UTC')),
      endsAt: nullable(text('RFC 3339, UTC')),
    }),
  }),
  unknown: record(text('reason'), 'parts that could not be read, by their names, and why'),
};

const appFields = {
  ...sharedFields,
  app: text('app name'),
  status: nullable(text('app status'), 'it is not deployed'),
  sick: nullable(text('why calls fail by now, or what a deploy found'), 'nothing shows that'),
  live: orNull('build that serves', {
    build: text('build id'),
    createdAt: nullable(text('RFC 3339, UTC')),
    ...commitShape,
    found: nullable(text('what the history of this machine has found of it, such as healthy; null: nothing')),
  }),
  latest: orNull('latest build; null if it serves', { build: text('build id'), status: text('status') }),
  here: orNull('what differs in this folder; null for another app', {
    changed: boolean('whether a deploy would change anything'),
    settings: list(text('name'), 'settings that differ'),
    paths: nullable(list(text('path'), 'files that differ; null if they cannot be compared')),
    unverified: integer('files of equal name and size without a checksum to compare'),
  }),
  replicas: orNull('replicas', {
    running: integer('running now'),
    failed: integer('of the live build, ended by a failure and still listed'),
    others: integer('of earlier builds, which end their calls'),
    oldSecrets: integer('of those running now, with the secrets from before their last change on record'),
    minReplicas: nullable(integer('minimum')),
    maxReplicas: nullable(integer('maximum')),
  }),
  region: nullable(text('region of the app')),
  lastHour: orNull('runs of the last hour', {
    calls: integer('calls'),
    errors: integer('failed, of the latest thousand'),
    jobs: integer('runs of files, of the latest thousand'),
    failedJobs: integer('those that failed'),
    p95Ms: nullable(number('95th percentile of their response times, in ms; null without calls')),
  }),
  centsPerHour: nullable(number('US cents per hour of the replicas that run now')),
  failure: orNull('last failure, as gantry explain has it', {
    build: nullable(text('build that failed')),
    run: nullable(text('run that failed')),
    at: nullable(text('when it ended, RFC 3339, UTC'), 'not known'),
    laterSucceeded: boolean('whether a later call of the same function succeeded'),
    title: text('cause in words'),
    fix: nullable(text('what to change')),
  }),
};

const projectFields = {
  ...sharedFields,
  apps: nullable(
    objects('without an app: the apps of the project', {
      app: text('app name'),
      status: nullable(text('app status')),
      hardware: nullable(text('compute type')),
      updatedAt: nullable(text('RFC 3339, UTC')),
    }),
  ),
};

const servesFields = {
  app: text('app name'),
  commit: text('the revision'),
  build: nullable(text('with --serves: the build that serves'), 'none does, or if that is not known'),
  hasFiles: nullable(boolean('with --serves: whether it has the files of the revision'), 'that cannot be told'),
  reason: nullable(text('with --serves: why that cannot be told')),
};

export default defineCommand({
  configure: (command) =>
    optionalAppArgument(command, {
      description: 'app name or id (default: the app in this folder, else all apps)',
      isOptional: true,
    }).option('--serves <revision>', 'only whether what serves has the files of this git revision'),
  run: async (context, app, { configFile, serves }): Promise<AppStatus | ProjectStatus | Serves> => {
    if (serves !== undefined) {
      const withApp = async (name: string) => gantryCommand`status ${name} --serves ${serves}`;
      return compareServing(
        context,
        { app: app ?? (await readAppHere(context, configFile, withApp)), configFile },
        serves,
      );
    }
    return app === undefined ? readProjectStatus(context) : readAppStatus(context, app, configFile);
  },
  view: (value) =>
    'hasFiles' in value ? servesText(value) : 'apps' in value ? projectStatusView(value) : appStatusView(value),
  exit: ({ exit }) => exit,
  data: ({ exit: _, ...status }) => status,
  next: (value) =>
    'replicas' in value && value.replicas?.oldSecrets
      ? [{ line: gantryCommand`apps restart ${value.app}`, when: 'for replicas with the new secrets' }]
      : isToDeploy(value)
        ? [{ line: gantryCommand`deploy`, when: 'to deploy it' }]
        : [],
  effect: 'reads',
  exits: ['pending'],
  json: document(appFields, projectFields, servesFields),
  details: [
    'Shows what serves, what differs here, the last hour, the cost, the last failure and the platform. What cannot be read is "not known".',
    '--serves exits with 0 if the files of the revision serve, with 7 if others do, and with 8 if that cannot be told.',
  ],
  examples: ['status', 'status web', 'status --json=live,here', 'status --serves HEAD'],
});

type Serves = Awaited<ReturnType<typeof compareServing>>;

function servesText({ app, commit, hasFiles, reason }: Serves): string {
  const files = `the files of commit ${commit.slice(0, 8)}`;
  if (hasFiles === null) return `not known whether ${app} serves ${files}: ${reason}`;
  return hasFiles ? `${app} serves ${files}` : `${app} serves other files than those of commit ${commit.slice(0, 8)}`;
}

/** Whether nothing is deployed: the app, or any of the project. */
function isToDeploy(value: AppStatus | ProjectStatus | Serves): boolean {
  if ('hasFiles' in value) return false;
  if ('apps' in value) return value.apps?.length === 0;
  return value.status === null && value.live === null && !('live' in value.unknown);
}

function appStatusView(appStatus: AppStatus): View {
  const { target, app, status, sick, live, here, replicas, region, lastHour, centsPerHour, platform, unknown } =
    appStatus;
  return keyValueTable([
    ['project', target],
    ['app', (page) => (status === null ? app : `${app}, ${paintStatus(wordOf(status), page)}`)],
    ['sick', sick && ((page) => page.style.red(sick))],
    [
      'live',
      part(unknown.live, live, (liveBuild) => liveText(liveBuild, sick)) ??
        (isToDeploy(appStatus) ? 'not deployed' : 'no build'),
    ],
    ['latest', latestText(appStatus)],
    ['here', part(unknown.here, here, hereText)],
    ['replicas', part(unknown.replicas, replicas, replicasText)],
    ['region', region],
    ['last hour', part(unknown.lastHour, lastHour, callsText)],
    ['cost now', part(unknown.centsPerHour, centsPerHour, (cents) => `${dollars(cents)} per hour`)],
    ['failure', part(unknown.failure, appStatus, failureText)],
    ['platform', part(unknown.platform, platform, serviceCell)],
  ]);
}

/** `why` is set if it could not be read. */
function part<Value>(why: string | undefined, value: Value | null, toCell: (value: Value) => Cell): Cell {
  if (why !== undefined) return `not known: ${why}`;
  return value === null ? null : toCell(value);
}

function callsText({ calls, errors, p95Ms, jobs, failedJobs }: NonNullable<AppStatus['lastHour']>): string {
  const slow = p95Ms === null ? '' : `, p95 ${duration(p95Ms)}`;
  const ofFiles = jobs === 0 ? '' : `; ${count(jobs, 'run of a file', 'runs of files')}, ${failedJobs} failed`;
  return `${count(calls, 'call')}, ${count(errors, 'error')}${slow}${ofFiles}`;
}

function projectStatusView({ target, apps, platform, unknown }: ProjectStatus): View {
  const rows = apps ?? [];
  const facts = keyValueTable([
    ['project', target],
    ['apps', part(unknown.apps, rows, ({ length }) => (length === 0 ? 'none' : null))],
    ['platform', part(unknown.platform, platform, serviceCell)],
  ]);
  const list = table(rows, ['APP', 'STATUS'], {
    APP: ({ app }) => app,
    STATUS: ({ status }) => statusCell(status),
    HARDWARE: ({ hardware }) => hardware,
    UPDATED: ({ updatedAt }) => ago(updatedAt),
  });
  return stackViews(wrapped(facts), rows.length > 0 ? list : undefined);
}

/** What was found of the build is past where calls fail by now. */
function liveText({ build, createdAt, found, ...known }: NonNullable<AppStatus['live']>, sick: string | null): Cell {
  const commit = known.commit === null ? '' : `commit ${commitText(known)}`;
  return (page) =>
    [`build ${shortBuild(build)}`, ago(createdAt)(page), commit, sick === null && found].filter(Boolean).join(', ');
}

/** A failed one is in the row of the failure. */
function latestText({ app, latest }: AppStatus): Cell {
  if (!latest || buildHasFailed(latest.status)) return null;
  const { build, status } = latest;
  const follow = gantryCommand`logs ${app} --build -f`;
  const named = [`build ${shortBuild(build)}`, status].filter(Boolean).join(', ');
  return ({ inPlace }) => (buildPhase(status) === 'in progress' ? `${named}; ${inPlace(follow)}` : named);
}

function hereText({ changed, settings, paths, unverified }: NonNullable<AppStatus['here']>): string {
  const what = [
    ...(paths?.length ? [count(paths.length, 'file')] : []),
    ...(settings.length > 0 ? [count(settings.length, 'setting')] : []),
  ];
  const names = shortList([...settings, ...(paths ?? [])], shownNames);
  if (what.length > 0) return `${what.join(' and ')} changed: ${names}`;
  if (paths === null) return 'the same settings; files not compared';
  const same =
    unverified > 0 ? `the same names and sizes; ${count(unverified, 'file')} without a checksum` : 'as deployed';
  return changed ? `${same}, but no build serves` : same;
}

const shownNames = 3;

function replicasText({ running, minReplicas, maxReplicas, ...some }: NonNullable<AppStatus['replicas']>): string {
  const failed = some.failed === 0 ? '' : `, ${some.failed} failed`;
  const earlier = some.others === 0 ? '' : `, ${some.others} more of earlier builds`;
  const stale = some.oldSecrets === 0 ? '' : `, ${some.oldSecrets} with old secrets`;
  return `${running} running${maxReplicas === null ? '' : `, ${minReplicas ?? 0} to ${maxReplicas}`}${failed}${earlier}${stale}`;
}

/** Not one after which calls succeeded, unless calls failed in the last hour. */
function failureText({ app, live, failure, lastHour }: AppStatus): Cell {
  if (!failure || (failure.laterSucceeded && lastHour?.errors === 0)) return null;
  const { build, run, at, laterSucceeded, title, fix } = failure;
  const isBefore = live?.createdAt && toMs(at) < toMs(live.createdAt);
  if (isBefore && live.found === 'healthy') return null;
  // A deploy that was refused here is neither.
  const what = [build && `build ${shortBuild(build)}`, run && `run ${shortBuild(run)}`];
  const later = [laterSucceeded && 'later calls succeeded', isBefore && 'the live build is newer'];
  return (page) => {
    const named = [...what, ago(at)(page)].filter(Boolean).join(', ');
    const said = [title, ...later, fix ?? gantryCommand`explain ${app}`].filter(Boolean).join('; ');
    return [named, said].filter(Boolean).join(': ');
  };
}

function serviceCell(platform: ServiceStatus): Cell {
  const { status, incidents } = platform;
  return (page: Page) => {
    if (isOperational(platform)) return page.style.green('all services operational');
    const word = status === 'operational' ? 'incident' : status;
    return [paintStatus(word, page, word.replace(/_/g, ' ')), ...incidents.map(({ title }) => title)].join(': ');
  };
}
