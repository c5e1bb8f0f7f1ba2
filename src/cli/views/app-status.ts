import { type AppStatus, isOperational, type ProjectStatus, type ServiceStatus } from '../../insight/status/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { ago, count, dollars, shortBuild } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { type Cell, keyValueTable, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { commitText } from './build.ts';
import { paintStatus, statusCell } from './status.ts';

/** One app, a line for each part. */
export function appStatusView(shown: AppStatus): View {
  const { target, app, status, live, here, replicas, lastHour, costPerHourCents, failure, platform, unknown } = shown;
  const part = (name: string, cell: Cell): Cell => (name in unknown ? `not known: ${unknown[name]}` : cell);
  const isDeployed = status !== null || live !== null || 'live' in unknown;
  return keyValueTable([
    ['project', target],
    ['app', (page) => (status === null ? app : `${app}, ${paintStatus(status, page)}`)],
    ['live', part('live', live ? liveText(live) : isDeployed ? 'no build' : toDeploy('not deployed'))],
    ['here', part('here', here && hereText(here))],
    ['replicas', part('replicas', replicas && replicasText(replicas))],
    ['last hour', part('lastHour', lastHour && `${count(lastHour.calls, 'call')}, ${count(lastHour.errors, 'error')}`)],
    ['cost now', part('costPerHourCents', costPerHourCents === null ? null : `${dollars(costPerHourCents)} per hour`)],
    ['failure', part('failure', failure && failureText(failure))],
    ['platform', part('platform', platform && serviceCell(platform))],
  ]);
}

/** The apps of a project, a line each. */
export function projectStatusView({ target, apps, platform, unknown }: ProjectStatus): View {
  const rows = apps ?? [];
  const facts = keyValueTable([
    ['project', target],
    ['apps', 'apps' in unknown ? `not known: ${unknown.apps}` : rows.length === 0 ? toDeploy('none') : null],
    ['platform', 'platform' in unknown ? `not known: ${unknown.platform}` : platform && serviceCell(platform)],
  ]);
  const list = table(
    rows,
    {
      APP: ({ app }) => app,
      STATUS: ({ status }) => statusCell(status),
      HARDWARE: ({ hardware }) => hardware,
      UPDATED: ({ updatedAt }) => ago(updatedAt),
    },
    { keep: ['APP', 'STATUS'] },
  );
  return stackViews(wrapped(facts), rows.length > 0 ? list : undefined);
}

function liveText({ build, createdAt, found, ...known }: NonNullable<AppStatus['live']>): Cell {
  const age = (page: Page) => (createdAt === null ? '' : ago(createdAt)(page));
  const commit = known.commit === null ? '' : `commit ${commitText(known)}`;
  return (page) => [`build ${shortBuild(build)}`, age(page), commit, found].filter(Boolean).join(', ');
}

function hereText({ changed, settings, paths, unverified }: NonNullable<AppStatus['here']>): string {
  const what = [
    ...(paths?.length ? [count(paths.length, 'file')] : []),
    ...(settings.length > 0 ? [count(settings.length, 'setting')] : []),
  ];
  const names = [...settings, ...(paths ?? [])];
  const some = `${names.slice(0, shownNames).join(', ')}${names.length > shownNames ? ', …' : ''}`;
  if (what.length > 0) return `${what.join(' and ')} changed: ${some}`;
  if (paths === null) return 'the same settings; files not compared';
  const same =
    unverified > 0 ? `the same names and sizes; ${count(unverified, 'file')} without a checksum` : 'as deployed';
  return changed ? `${same}, but the last build failed` : same;
}

const shownNames = 3;

function replicasText({ running, min, max }: NonNullable<AppStatus['replicas']>): string {
  return `${running} running${max === null ? '' : `, ${min ?? 0} to ${max}`}`;
}

function toDeploy(found: string): Cell {
  return ({ inPlace }) => `${found}: ${inPlace(gantryCommand`deploy`)}`;
}

function failureText({ build, run, title, fix }: NonNullable<AppStatus['failure']>): Cell {
  const [kind, id] = build === null ? ['run', run] : ['build', build];
  return ({ inPlace }) => `${kind} ${shortBuild(id ?? '')}: ${title}; ${fix ?? inPlace(gantryCommand`explain`)}`;
}

function serviceCell(platform: ServiceStatus): Cell {
  const { status, incidents } = platform;
  return (page: Page) => {
    if (isOperational(platform)) return page.style.green('all services operational');
    const word = status === 'operational' ? 'incident' : status;
    return [paintStatus(word, page, word.replace(/_/g, ' ')), ...incidents.map(({ title }) => title)].join(': ');
  };
}
