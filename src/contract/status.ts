import * as v from 'valibot';
import { endpoint } from './endpoint.ts';

const facts = v.optional(v.nullable(v.record(v.string(), v.unknown())));

/** A thing in JSON:API: the status page, or a section, a component, a report, an update of one on it. */
export const StatusItem = v.looseObject({
  id: v.optional(v.union([v.string(), v.number()])),
  type: v.optional(v.string()),
  attributes: facts,
  relationships: facts,
});
export type StatusItem = v.InferOutput<typeof StatusItem>;

/** The status page and, in `included`, all that hangs on it. Its product documents the attributes (wire §1b). */
export const StatusPage = v.looseObject({
  data: StatusItem,
  included: v.optional(v.nullable(v.array(StatusItem))),
});
export type StatusPage = v.InferOutput<typeof StatusPage>;

/** The state of the platform's services, for anybody (wire §1b). */
export const getServiceStatus = endpoint('GET /index.json', { at: 'status', open: true, reply: StatusPage });
