import { defineCommand } from '../../command.ts';
import { type AppSummary, listApps } from '../../contract/apps.ts';
import { appName } from '../../contract/endpoint.ts';
import { table } from '../../output/table.ts';
import { ago, newestFirst } from '../../output/words.ts';

export default defineCommand({
  configure: (command) => command.option('--ephemeral', 'include apps that one-off runs created'),
  run: async ({ api, project }, { ephemeral }) => {
    const apps = await api(listApps, { project, query: ephemeral ? { includeEphemeral: true } : {} });
    return apps.sort(newestFirst((app) => app.updatedAt));
  },
  view: (apps) =>
    table(apps, {
      NAME: (app) => app.name ?? appName(app.projectId ?? '', app.id),
      STATUS: (app) => app.status,
      HARDWARE: (app) => app.hardware,
      REGION: (app) => app.region,
      REQUESTS: (app) => metric(app.request_metrics, 'total'),
      COST: (app) => metric(app.cost_metrics, 'total_cost'),
      UPDATED: (app) => ago(app.updatedAt),
    }),
  empty: 'no apps yet: gantry deploy creates one',
  passesThrough: true,
  json: {
    id: 'app id, <project>-<name>',
    name: 'app name',
    status: 'state of the app, as the platform says it',
    hardware: 'compute type',
    hardwareProvider: 'cloud provider',
    region: 'region',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    ephemeral: 'true when a one-off run created it',
    cost_metrics: "this month's cost, as the platform says it",
    request_metrics: "this month's requests, as the platform says it",
    projectId: 'project',
  },
  examples: ['apps list', 'apps list --json=name,status'],
});

/** Inner names are the platform's own affair (wire §0): what is not there stays empty. */
function metric(metrics: AppSummary['cost_metrics'], name: string): number | string | undefined {
  const value = metrics?.[name];
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
