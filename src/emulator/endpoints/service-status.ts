import type { Handlers } from './platform.ts';

/** Components of the status page, in its order. */
const services = ['Dashboard', 'Management API', 'Builds', 'Inference us-east-1', 'Inference eu-north-1', 'Storage'];

export const serviceStatusHandlers = {
  /** Everything is operational. JSON:API, as the real page's product sends it. */
  getServiceStatus(_, { url }) {
    const status = 'operational';
    const attributes = { company_name: 'Emulator', custom_domain: new URL(url).host, aggregate_state: status };
    return {
      data: { id: '1', type: 'status_page', attributes },
      included: [
        { id: '1', type: 'status_page_section', attributes: { name: 'Platform', position: 0 } },
        ...services.map((service, position) => ({
          id: String(position + 1),
          type: 'status_page_resource',
          attributes: { public_name: service, position, status_page_section_id: 1, status },
        })),
      ],
    };
  },
} satisfies Partial<Handlers>;
