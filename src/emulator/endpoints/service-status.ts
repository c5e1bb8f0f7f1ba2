import type { Incident } from '../model/state/records.ts';
import { formatTime } from '../model/time.ts';
import type { Handlers } from './platform.ts';

/** Components of the status page, in its order. */
const services = ['Dashboard', 'Management API', 'Builds', 'Inference us-east-1', 'Inference eu-north-1', 'Storage'];

/** From best to worst. */
const severity = ['operational', 'maintenance', 'degraded', 'downtime'];

export const serviceStatusHandlers: Pick<Handlers, 'getServiceStatus'> = {
  /** Everything is operational except for the incidents in the store. JSON:API, as the real page's product sends it. */
  getServiceStatus(_, { store, now, url }) {
    const current = store.incidents.filter((incident) => isActive(incident, now()));
    const stateOf = (service: string) =>
      worst(current.filter((incident) => incident.services.includes(service)).map(({ state }) => state));
    return {
      data: {
        id: '1',
        type: 'status_page',
        attributes: {
          company_name: 'Emulator',
          custom_domain: new URL(url).host,
          aggregate_state: worst(services.map(stateOf)),
        },
      },
      included: [
        { id: '1', type: 'status_page_section', attributes: { name: 'Platform', position: 0 } },
        ...services.map((service, position) => ({
          id: String(position + 1),
          type: 'status_page_resource',
          attributes: { public_name: service, position, status_page_section_id: 1, status: stateOf(service) },
        })),
        ...store.incidents.flatMap((incident, index) => statusReport(incident, index, now())),
      ],
    };
  },
};

/** An incident's report, followed by its updates. */
function statusReport(incident: Incident, index: number, now: number) {
  const { title, state, services: concerned, startedAt, endsAt, updates } = incident;
  const updateId = (at: number) => `${index + 1}${at + 1}`;
  const isOver = endsAt !== undefined && endsAt <= now;
  return [
    {
      id: String(index + 1),
      type: 'status_report',
      attributes: {
        title,
        report_type: state === 'maintenance' ? 'maintenance' : 'manual',
        starts_at: formatTime(startedAt),
        ends_at: endsAt === undefined ? null : formatTime(endsAt),
        aggregate_state: isOver ? 'resolved' : state,
        affected_resources: concerned.map((service) => ({
          status_page_resource_id: String(services.indexOf(service) + 1),
          status: isOver ? 'resolved' : state,
        })),
      },
      relationships: {
        status_updates: { data: updates.map((_, at) => ({ id: updateId(at), type: 'status_update' })) },
      },
    },
    ...updates.map(({ at, message }, index) => ({
      id: updateId(index),
      type: 'status_update',
      attributes: { message, published_at: formatTime(at) },
    })),
  ];
}

function isActive({ startedAt, endsAt }: Incident, now: number): boolean {
  return startedAt <= now && (endsAt === undefined || endsAt > now);
}

function worst(states: string[]): string {
  return severity[states.reduce((most, state) => Math.max(most, severity.indexOf(state)), 0)] ?? 'operational';
}
