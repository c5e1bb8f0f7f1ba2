import type { Context } from '../../context.ts';
import { getServiceStatus, type StatusItem, type StatusPage } from '../../contract/status.ts';

/** The platform's services, as the status page tells of them. States are its own words, in lower case. */
export interface ServiceStatus {
  /** `operational`, `degraded`, `downtime`, `maintenance` or another word. */
  status: string;
  /** What the page announces to everybody, if anything. */
  announcement: string | null;
  components: Component[];
  /** What goes on now. */
  incidents: Report[];
  /** Maintenance that is announced. */
  planned: Report[];
}

export interface Component {
  name: string;
  section: string | null;
  status: string;
}

export interface Report {
  title: string;
  status: string;
  startsAt: string | null;
  endsAt: string | null;
  /** Names of components. */
  affects: string[];
  lastUpdate: string | null;
  updatedAt: string | null;
}

/** Reads the status page. Needs no token. */
export async function serviceStatus({ api, now }: Pick<Context, 'api' | 'now'>): Promise<ServiceStatus> {
  return statusOf(await api(getServiceStatus, {}), now());
}

/** Whether there is nothing to tell of. What is not monitored is not known to be ill. */
export function isWell({ status, incidents }: Pick<ServiceStatus, 'status' | 'incidents'>): boolean {
  return fine.has(status) && incidents.length === 0;
}

/** Makes sense of the page, whatever of it is missing: it is read when things are not as they should be. */
export function statusOf({ data, included }: StatusPage, now: number): ServiceStatus {
  const of = (type: string) => (included ?? []).filter((item) => item.type === type);
  const sections = new Map(of('status_page_section').map((item) => [idOf(item), text(item, 'name')]));
  const resources = new Map(
    of('status_page_resource').map((item): [string, Component] => {
      const section = sections.get(String(item.attributes?.status_page_section_id ?? '')) || null;
      const status = state(item, 'status') || 'unknown';
      return [idOf(item), { name: text(item, 'public_name') || section || idOf(item), section, status }];
    }),
  );
  const updates = new Map(of('status_update').map((item) => [idOf(item), item]));
  const open = of('status_report')
    .map((item) => reportOf(item, resources, updates))
    .filter(({ endsAt }) => !(at(endsAt) <= now));
  const planned = open.filter(({ startsAt }) => at(startsAt) > now);
  const incidents = open.filter(
    (report) => !planned.includes(report) && !fine.has(report.status) && report.status !== 'resolved',
  );
  const components = [...resources.values()];
  return {
    status: state(data, 'aggregate_state') || worst([...components, ...incidents].map(({ status }) => status)),
    announcement: text(data, 'announcement') || null,
    components,
    incidents,
    planned,
  };
}

const fine = new Set(['operational', 'not_monitored']);

function reportOf(item: StatusItem, components: Map<string, Component>, updates: Map<string, StatusItem>): Report {
  const affects = list(item.attributes?.affected_resources).map((resource) =>
    components.get(String((resource as Record<string, unknown> | null)?.status_page_resource_id)),
  );
  const latest = list((item.relationships?.status_updates as { data?: unknown } | undefined)?.data)
    .map((reference) => updates.get(String((reference as Record<string, unknown> | null)?.id)))
    .filter((update) => update !== undefined)
    .sort((a, b) => at(text(b, 'published_at')) - at(text(a, 'published_at')))[0];
  return {
    title: text(item, 'title') || 'incident',
    status: state(item, 'aggregate_state') || 'unknown',
    startsAt: text(item, 'starts_at') || null,
    endsAt: text(item, 'ends_at') || null,
    affects: affects.filter((component) => component !== undefined).map(({ name }) => name),
    lastUpdate: (latest && text(latest, 'message')) || null,
    updatedAt: (latest && text(latest, 'published_at')) || null,
  };
}

/** The state of all, of a page that does not say: the first that is not well. */
function worst(states: string[]): string {
  if (states.length === 0) return 'unknown';
  return (
    ['downtime', 'degraded', 'maintenance'].find((state) => states.includes(state)) ??
    states.find((state) => !fine.has(state)) ??
    'operational'
  );
}

function idOf({ id }: StatusItem): string {
  return String(id ?? '');
}

function text({ attributes }: StatusItem, name: string): string {
  const value = attributes?.[name];
  return typeof value === 'string' ? value.trim() : '';
}

function state(item: StatusItem, name: string): string {
  return text(item, name).toLowerCase();
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** NaN for no time: it is neither before nor after any other. */
function at(time: string | null): number {
  return Date.parse(time ?? '');
}
