import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { timestamp } from './scalars.ts';

/** One API key (spec 2.1). `expiresAt` is a time or the word `never`; `principalId` names its service account. */
export const ApiKey = v.looseObject({
  id: v.string(),
  name: v.optional(v.nullable(v.string())),
  description: v.optional(v.nullable(v.string())),
  apiKey: v.optional(v.nullable(v.string())),
  source: v.optional(v.nullable(v.string())),
  status: v.optional(v.nullable(v.string())),
  projectId: v.optional(v.nullable(v.string())),
  principalId: v.optional(v.nullable(v.string())),
  createdAt: v.optional(timestamp),
  updatedAt: v.optional(timestamp),
  expiresAt: v.optional(timestamp),
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** List API keys, the one that expires first at the top (spec 4.1). */
export const listApiKeys = endpoint('GET /v2/projects/{project}/api-keys', { reply: v.array(ApiKey) });
