import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { maybe } from './scalars.ts';

/** A JSON:API resource: the status page, a section, a component, a report or an update. */
export const StatusItem = objectOf({ type: maybe.text, attributes: maybe.record });
export type StatusItem = v.InferOutput<typeof StatusItem>;

/** The status page, with everything that belongs to it in `included` (docs/platform.md#service-status). */
export const StatusPage = replyObject({ data: StatusItem, included: listOf(StatusItem) }, 'data');
export type StatusPage = v.InferOutput<typeof StatusPage>;

/** Get the state of the platform's services, without a token (docs/platform.md#service-status). */
export const getServiceStatus = endpoint('GET /index.json', { host: 'status', anonymous: true, reply: StatusPage });
