import { isOperational, type ServiceStatus, type StatusReport } from '../operations/status/index.ts';
import { ago, localTime } from '../output/format.ts';
import type { Page, View } from '../output/page.ts';
import { stackViews, table } from '../output/table.ts';

/** The overall status, incidents, then each service. */
export function serviceStatusView(platform: ServiceStatus): View {
  const { announcement, components, incidents, planned } = platform;
  return stackViews(
    (page) => headline(platform, page),
    announcement ?? undefined,
    ...incidents.map((incident) => reportView(incident, 'since')),
    ...planned.map((report) => reportView(report, 'planned for')),
    table(components, {
      SERVICE: (component) => component.name,
      STATUS: (component) => (page) => painted(component.status, page),
    }),
  );
}

function headline({ status, incidents }: ServiceStatus, page: Page): string {
  if (isOperational({ status, incidents })) return page.style.green('all services operational');
  return `platform status: ${painted(status === 'operational' ? 'incident' : status, page)}`;
}

function reportView(report: StatusReport, when: string): View {
  const { title, status, startsAt, endsAt, affects, lastUpdate, updatedAt } = report;
  return (page) =>
    [
      `${painted(status, page)}: ${page.style.bold(title)}`,
      startsAt && `  ${when} ${localTime(startsAt)}${endsAt ? ` until ${localTime(endsAt)}` : ''}`,
      affects.length > 0 && `  affects ${affects.join(', ')}`,
      lastUpdate && `  ${ago(updatedAt)(page)}: ${lastUpdate.replace(/\s+/g, ' ')}`,
    ]
      .filter(Boolean)
      .join('\n');
}

function painted(status: string, { style }: Page): string {
  const label = status.replace(/_/g, ' ');
  if (status === 'operational') return style.green(label);
  return /down|outage/.test(status) ? style.red(label) : style.yellow(label);
}
