import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf } from './lists.ts';
import { optionalText, optionalTime, textOrEmpty } from './scalars.ts';

/** One API key (spec 2.1). `expiresAt` is a time or the word `never`; `principalId` names its service account. */
export const ApiKey = objectOf({
  id: textOrEmpty,
  name: optionalText,
  description: optionalText,
  apiKey: optionalText,
  source: optionalText,
  status: optionalText,
  projectId: optionalText,
  principalId: optionalText,
  createdAt: optionalTime,
  updatedAt: optionalTime,
  expiresAt: optionalTime,
});
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** Lists API keys, earliest expiry first (spec 4.1). */
export const listApiKeys = endpoint('GET /v2/projects/{project}/api-keys', { reply: listOf(ApiKey, 'id') });
