import type { Preview } from '../../../deploys/previews/index.ts';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { ago, countCell, dollars, latestFirst, numberCell } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { AppSummary, appName, listApps } from '../../../platform/contract/apps.ts';
import { defineCommand } from '../../command.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { documents, passThrough, sentFields } from '../../result-schema.ts';
import { previewFields, previewsTable } from '../../views/previews.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) =>
    listFlags(
      command
        .option('--ephemeral', 'include apps that one-off runs created')
        .option('--search <text>', 'only apps with this text in their name')
        .option('--previews', 'only those of deploy --preview'),
    ),
  flagRules: { excludes: { previews: ['ephemeral'] } },
  run: async (context, { ephemeral, previews, search = '', ...flags }): Promise<AppSummary[] | Preview[]> => {
    const { api, project, progress } = context;
    if (previews) {
      const { listPreviews } = await import('../../../deploys/previews/index.ts');
      const selected = (await listPreviews(context)).previews.filter(({ app }) => app.includes(search));
      return applyLimit(selected, flags, progress, 'preview');
    }
    const apps = await api(listApps, { project, query: ephemeral ? { includeEphemeral: true } : {} });
    const matching = apps.filter((app) => nameOf(app).includes(search));
    return applyLimit(matching.sort(latestFirst((app) => app.updatedAt)), flags, progress, 'app');
  },
  view: (apps, { previews }) => (previews ? previewsTable(apps as Preview[]) : appsTable(apps as AppSummary[])),
  empty: ({ previews, search }) =>
    search !== undefined
      ? `no name contains ${search}`
      : previews
        ? sentence`no previews; ${gantryCommand`deploy --preview`} makes one`
        : sentence`no apps yet; ${gantryCommand`deploy`} creates one; ${gantryCommand`apps list --ephemeral`} shows those of one-off runs`,
  effect: 'reads',
  json: documents(passThrough(sentFields(AppSummary)), previewFields),
  formOf: ({ previews }) => (previews ? documents(previewFields) : undefined),
  examples: [
    'apps list',
    'apps list --limit 10',
    'apps list --search staging --json=name,status',
    'apps list --previews --json=app,branch,merged',
  ],
  details: [
    'With --previews, apps that may be previews of another repository are listed as unproven. gantry apps prune never deletes them.',
  ],
});

function appsTable(apps: AppSummary[]): View {
  return table(apps, ['NAME', 'STATUS'], {
    NAME: nameOf,
    STATUS: (app) => statusCell(app.status),
    HARDWARE: (app) => app.hardware,
    REGION: (app) => app.region,
    'RUNS/MONTH': (app) => grouped(metric(app.request_metrics, 'total')),
    'COST/MONTH': (app) => decimals(metric(app.cost_metrics, 'total_cost')),
    UPDATED: (app) => ago(app.updatedAt),
  });
}

function nameOf(app: AppSummary): string {
  return appName(app, app.projectId ?? '');
}

function grouped(runs: number | string | undefined): Cell {
  return typeof runs === 'number' ? countCell(runs) : runs;
}

function decimals(cost: number | string | undefined): Cell {
  return typeof cost === 'number' ? numberCell(dollars(100 * cost)) : cost;
}

/** The names inside a metric are not documented. */
function metric(metrics: AppSummary['cost_metrics'], name: string): number | string | undefined {
  const value = metrics?.[name];
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
