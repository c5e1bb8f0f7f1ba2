import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { isRecord } from './scalars.ts';

/** Names and values. A record schema would drop names such as `constructor`, and what is not sent back is lost. */
const Secrets = v.custom<Record<string, string>>(isTextByName, 'must be an object of texts');
export type Secrets = v.InferOutput<typeof Secrets>;

/** What is stored. A value that is not text is listed as it came; a change refuses it, since all of them are sent back. */
const StoredSecrets = v.nullish(v.custom<Record<string, unknown>>(isRecord, 'must be an object'));
export type StoredSecrets = Record<string, unknown>;

/** Get the secrets of a project (docs/platform.md#secrets); null when there are none. */
export const getProjectSecrets = endpoint('GET /v2/projects/{project}/secrets', {
  reply: StoredSecrets,
  mayBeEmpty: true,
});

/**
 * Replace all secrets of a project (docs/platform.md#secrets). Never retried: another client may have changed them in
 * between.
 */
export const setProjectSecrets = endpoint('PATCH /v2/projects/{project}/secrets', { body: Secrets, reply: 'nothing' });

/**
 * Get the secrets of an app (docs/platform.md#secrets), which override those of its project; null when there are none.
 */
export const getAppSecrets = endpoint('GET /v2/projects/{project}/apps/{app}/secrets', {
  reply: StoredSecrets,
  mayBeEmpty: true,
});

/** Replace all secrets of an app (docs/platform.md#secrets). Never retried, as for a project. */
export const setAppSecrets = endpoint('PATCH /v2/projects/{project}/apps/{app}/secrets', {
  body: Secrets,
  reply: 'nothing',
});

function isTextByName(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}
