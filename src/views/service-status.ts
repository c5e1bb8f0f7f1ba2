import { isOperational, type ServiceStatus, type StatusReport } from '../operations/status/index.ts';
import { ago, localTime } from '../output/format.ts';
import type { Page, View } from '../output/page.ts';
import { stackViews, table, wrapped } from '../output/table.ts';
import { paintStatus } from './status.ts';

/** The overall status, open incidents, planned maintenance, then each service. Off a terminal: kind, name and status. */
export function serviceStatusView(platform: ServiceStatus): View {
  return (page) => (page.terminal ? reportsView(platform) : plainView(platform))(page);
}

function plainView({ status, incidents, planned, components }: ServiceStatus): View {
  const rows = [
    ['platform', '', status],
    ...incidents.map((incident) => ['incident', incident.title, incident.status]),
    ...planned.map((report) => ['maintenance', report.title, report.status]),
    ...components.map((component) => ['service', component.name, component.status]),
  ];
  return table(rows, { KIND: ([kind]) => kind, NAME: ([, name]) => name, STATUS: ([, , state]) => state });
}

function reportsView(platform: ServiceStatus): View {
  const { announcement, components, incidents, planned } = platform;
  return stackViews(
    wrapped((page) => headline(platform, page)),
    announcement ? wrapped(() => announcement) : undefined,
    ...incidents.map((incident) => wrapped(reportView(incident, 'since'))),
    ...planned.map((report) => wrapped(reportView(report, 'planned for'))),
    table(
      components,
      { SERVICE: (component) => component.name, STATUS: (component) => (page) => statusText(component.status, page) },
      { keep: ['STATUS', 'SERVICE'] },
    ),
  );
}

function headline({ status, incidents }: ServiceStatus, page: Page): string {
  if (isOperational({ status, incidents })) return page.style.green('all services operational');
  return `platform status: ${statusText(status === 'operational' ? 'incident' : status, page)}`;
}

function reportView(report: StatusReport, when: string): View {
  const { title, status, startsAt, endsAt, affects, lastUpdate, updatedAt } = report;
  return (page) =>
    [
      `${statusText(status, page)}: ${page.style.bold(title)}`,
      startsAt && `  ${when} ${localTime(startsAt)}${endsAt ? ` until ${localTime(endsAt)}` : ''}`,
      affects.length > 0 && `  affects ${affects.join(', ')}`,
      lastUpdate && `  ${ago(updatedAt)(page)}: ${lastUpdate.replace(/\s+/g, ' ')}`,
    ]
      .filter(Boolean)
      .join('\n');
}

function statusText(status: string, page: Page): string {
  return paintStatus(status, page, status.replace(/_/g, ' '));
}
