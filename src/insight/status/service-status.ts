import type { Context } from '../../platform/context.ts';
import { getServiceStatus, type StatusItem, type StatusPage } from '../../platform/contract/status.ts';

/** The status page of the platform. Statuses are its own words, in lower case. */
export interface ServiceStatus {
  /** `operational`, `degraded`, `downtime`, `maintenance` or another word. */
  status: string;
  announcement: string | null;
  components: StatusComponent[];
  /** In progress now. */
  incidents: StatusReport[];
  /** Planned maintenance. */
  planned: StatusReport[];
}

export interface StatusComponent {
  name: string;
  section: string | null;
  status: string;
}

export interface StatusReport {
  title: string;
  status: string;
  startsAt: string | null;
  endsAt: string | null;
  /** Names of affected components. */
  affects: string[];
  lastUpdate: string | null;
  updatedAt: string | null;
}

/** Reads the status page. Needs no token. */
export async function readServiceStatus({ api, now }: Pick<Context, 'api' | 'now'>): Promise<ServiceStatus> {
  return parseStatusPage(await api(getServiceStatus, {}), now());
}

/** Whether there are no problems. Components that are not monitored do not count. */
export function isOperational({ status, incidents }: Pick<ServiceStatus, 'status' | 'incidents'>): boolean {
  return healthyStatuses.has(status) && incidents.length === 0;
}

/** Parses the page. Any part may be missing: it is read during incidents. */
export function parseStatusPage({ data, included }: StatusPage, now: number): ServiceStatus {
  const of = (type: string) => (included ?? []).filter((item) => item.type === type);
  const sections = new Map(of('status_page_section').map((item) => [readId(item), readText(item, 'name')]));
  const resources = new Map(
    of('status_page_resource').map((item): [string, StatusComponent] => {
      const section = sections.get(String(item.attributes?.status_page_section_id ?? '')) || null;
      const status = readStatus(item, 'status') || 'unknown';
      return [readId(item), { name: readText(item, 'public_name') || section || readId(item), section, status }];
    }),
  );
  const updates = new Map(of('status_update').map((item) => [readId(item), item]));
  const open = of('status_report')
    .map((item) => parseReport(item, resources, updates))
    .filter(({ endsAt }) => !(parseTime(endsAt) <= now));
  const planned = open.filter(({ startsAt }) => parseTime(startsAt) > now);
  const incidents = open.filter(
    (report) => !planned.includes(report) && !healthyStatuses.has(report.status) && report.status !== 'resolved',
  );
  const components = [...resources.values()];
  return {
    status:
      readStatus(data, 'aggregate_state') || worstStatus([...components, ...incidents].map(({ status }) => status)),
    announcement: readText(data, 'announcement') || null,
    components,
    incidents,
    planned,
  };
}

const healthyStatuses = new Set(['operational', 'not_monitored']);

function parseReport(
  item: StatusItem,
  components: Map<string, StatusComponent>,
  updates: Map<string, StatusItem>,
): StatusReport {
  const affects = asList(item.attributes?.affected_resources).map((resource) =>
    components.get(String((resource as Record<string, unknown> | null)?.status_page_resource_id)),
  );
  const latest = asList((item.relationships?.status_updates as { data?: unknown } | undefined)?.data)
    .map((reference) => updates.get(String((reference as Record<string, unknown> | null)?.id)))
    .filter((update) => update !== undefined)
    .sort((a, b) => parseTime(readText(b, 'published_at')) - parseTime(readText(a, 'published_at')))[0];
  return {
    title: readText(item, 'title') || 'incident',
    status: readStatus(item, 'aggregate_state') || 'unknown',
    startsAt: readText(item, 'starts_at') || null,
    endsAt: readText(item, 'ends_at') || null,
    affects: affects.filter((component) => component !== undefined).map(({ name }) => name),
    lastUpdate: (latest && readText(latest, 'message')) || null,
    updatedAt: (latest && readText(latest, 'published_at')) || null,
  };
}

/** The overall status of a page that does not have one. */
function worstStatus(states: string[]): string {
  if (states.length === 0) return 'unknown';
  return (
    ['downtime', 'degraded', 'maintenance'].find((readStatus) => states.includes(readStatus)) ??
    states.find((state) => !healthyStatuses.has(state)) ??
    'operational'
  );
}

function readId({ id }: StatusItem): string {
  return String(id ?? '');
}

function readText({ attributes }: StatusItem, name: string): string {
  const value = attributes?.[name];
  return typeof value === 'string' ? value.trim() : '';
}

function readStatus(item: StatusItem, name: string): string {
  return readText(item, name).toLowerCase();
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** NaN without a time: it is neither before nor after any other. */
function parseTime(time: string | null): number {
  return Date.parse(time ?? '');
}
