import { type BuildVerdict, type Comparison, curvePoints, type Durations } from '../../insight/compare/index.ts';
import { type ChartReport, panelOf } from '../../kernel/output/chart/model.ts';
import { count, duration, forPeople, groupDigits, percent, shortBuild, shortList } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, keyValueTable, onTerminal, stackViews, table, wrapped } from '../../kernel/output/table.ts';

/** Two builds by their calls; off a terminal a line for each measure. */
export function compareView(comparison: Comparison): View {
  const measures = table(measuresOf(comparison), ['MEASURE', 'VERDICT', 'AFTER'], measureColumns);
  const views = stackViews(
    wrapped(({ style }) => `${headline(comparison)}\n${style.bold(conclusion(comparison))}`),
    keyValueTable([
      ['files', filesText(comparison)],
      ['settings', settingsText(comparison)],
      ['hours', hoursText(comparison)],
      ['left out', leftOutText(comparison)],
    ]),
    measures,
  );
  return onTerminal(views, measures);
}

export function compareReport(comparison: Comparison): ChartReport<MeasuredBuilds> {
  const panel = (title: string, { curves }: Durations) =>
    panelOf(title, 'lines', 'ms', {
      [`before (${shortBuild(comparison.before.build)})`]: curves.before,
      [`after (${shortBuild(comparison.after.build)})`]: curves.after,
    });
  return {
    summary: [headline(comparison), conclusion(comparison), `files: ${filesText(comparison)}`],
    rows: measuresOf(comparison),
    columns: measureColumns,
    chart: {
      times: curvePoints,
      step: 'percentile',
      zone: 'UTC',
      axis: { title: 'percentile', unit: '%' },
      panels: [panel('run time', comparison.runTime), panel('cold start', comparison.coldStart)],
    },
  };
}

function headline({ app, before, after }: Comparison): string {
  const side = ({ build, since, until }: typeof before) =>
    `${shortBuild(build)} (${duration(Date.parse(until) - Date.parse(since))})`;
  return `${app}: ${side(after)} against ${side(before)}`;
}

function conclusion({ verdict, runTime, coldStart, errors }: Comparison): string {
  const changed = [
    ...inWords(runTime.verdict, 'run time', changeText(runTime.changeShare)),
    ...inWords(coldStart.verdict, 'cold start', changeText(coldStart.changeShare)),
    ...inWords(errors.verdict, 'errors', `${shareText(errors.beforeShare)} -> ${shareText(errors.afterShare)}`),
  ].join(', ');
  return changed === '' ? verdict : `${verdict}: ${changed}`;
}

function inWords(verdict: BuildVerdict, what: string, change: string): string[] {
  if (verdict === 'too few calls') return what === 'cold start' ? [] : [`${what} cannot be told`];
  return verdict === 'no difference' ? [] : [`${what} ${change}`];
}

interface MeasuredBuilds {
  name: string;
  unit: 'calls' | 'ms' | 'share';
  before: number | null;
  after: number | null;
  change?: number | null;
  chance?: number | null;
  verdict?: BuildVerdict;
}

function measuresOf({ before, after, runTime, coldStart, errors }: Comparison): MeasuredBuilds[] {
  const ms = (
    name: string,
    { verdict, changeShare: change, chance, ...sides }: Durations,
    at: 'p50' | 'p90',
  ): MeasuredBuilds => ({
    name: `${name} ${at}`,
    unit: 'ms',
    before: sides.before[`${at}Ms`],
    after: sides.after[`${at}Ms`],
    // The test is about all of them: it stands with the first.
    ...(at === 'p50' && { change, chance, verdict }),
  });
  return [
    { name: 'calls', unit: 'calls', before: before.calls, after: after.calls },
    ms('run time', runTime, 'p50'),
    ms('run time', runTime, 'p90'),
    { name: 'cold starts', unit: 'calls', before: before.coldStarts, after: after.coldStarts },
    ms('cold start', coldStart, 'p50'),
    ms('cold start', coldStart, 'p90'),
    { name: 'errors', unit: 'share', ...errors, before: errors.beforeShare, after: errors.afterShare },
  ];
}

const measureColumns: Columns<MeasuredBuilds> = {
  MEASURE: ({ name }) => name,
  BEFORE: ({ before, unit }) => forPeople(valueText(before, unit), before),
  AFTER: ({ after, unit }) => forPeople(valueText(after, unit), after),
  CHANGE: ({ change }) => forPeople(changeText(change), change),
  CHANCE: ({ chance }) => forPeople(chanceText(chance), chance),
  VERDICT: ({ verdict }) => verdict,
};

function valueText(value: number | null, unit: MeasuredBuilds['unit']): string {
  if (value === null) return '';
  if (unit === 'calls') return groupDigits(value);
  return unit === 'ms' ? duration(value) : percent(value);
}

function changeText(change: number | null | undefined): string {
  if (change === null || change === undefined) return '';
  return `${change < 0 ? '-' : '+'}${Math.round(100 * Math.abs(change))} %`;
}

function chanceText(chance: number | null | undefined): string {
  if (chance === null || chance === undefined) return '';
  return chance < 0.001 ? 'p < 0.001' : `p = ${chance.toFixed(3)}`;
}

function shareText(share: number | null): string {
  return share === null ? 'not known' : percent(share);
}

const maxNamed = 6;

function filesText({ files }: Comparison): string {
  if (!files) return 'not known';
  const named = [
    ...files.changed,
    ...files.added.map((path) => `${path} (new)`),
    ...files.removed.map((path) => `${path} (removed)`),
  ];
  return named.length === 0 ? 'the same' : shortList(named, maxNamed);
}

function settingsText({ settings }: Comparison): string {
  if (!settings) return 'not known: this machine has not seen both builds serve';
  if (settings.length === 0) return 'the same';
  return settings.map(({ setting, from, to }) => `${setting} ${settingText(from)} -> ${settingText(to)}`).join(', ');
}

export function settingText(value: unknown): string {
  return [value ?? 'default'].flat().join(' ');
}

function hoursText({ hours }: Comparison): string {
  if (!hours) return 'no hour of the day has calls of both: other times may have other calls';
  return hours.length === 24 ? 'all of the day' : `${hours.map((hour) => `${hour}:00`).join(', ')} (UTC), of both`;
}

function leftOutText({ missing, unattributed }: Comparison): string | undefined {
  const parts = [
    missing === null ? 'calls that the platform announced and did not return' : '',
    missing ? `${count(missing, 'call')} that the platform announced and did not return` : '',
    unattributed > 0 ? `${count(unattributed, 'call')} during the deploy, of either build` : '',
  ].filter(Boolean);
  return parts.join('; ');
}
