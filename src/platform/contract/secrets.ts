import * as v from 'valibot';
import { isRecord } from '../../kernel/json-text.ts';
import { endpoint } from './endpoint.ts';

/** Values by name. A record schema would drop names such as `constructor`, and secrets not sent back are lost. */
const Secrets = v.custom<Record<string, string>>(
  (value) => isRecord(value) && Object.values(value).every((text) => typeof text === 'string'),
  'must be an object with text values',
);
export type Secrets = v.InferOutput<typeof Secrets>;

/** Stored secrets. Values that are not text can be listed, but not changed, as all of them are sent back. */
const StoredSecrets = v.nullish(v.custom<Record<string, unknown>>(isRecord, 'must be an object'), () => ({}));
export type StoredSecrets = Record<string, unknown>;

/** Get the secrets of a project (docs/platform.md#secrets); the platform sends null when there are none. */
export const getProjectSecrets = endpoint('GET /v2/projects/{project}/secrets', {
  reply: StoredSecrets,
  mayBeEmpty: true,
});

/**
 * Replace all secrets of a project (docs/platform.md#secrets). Never retried: another client may have changed them in
 * between.
 */
export const setProjectSecrets = endpoint('PATCH /v2/projects/{project}/secrets', { body: Secrets, reply: 'nothing' });

/** Get the secrets of an app (docs/platform.md#secrets), which override those of its project. */
export const getAppSecrets = endpoint('GET /v2/projects/{project}/apps/{app}/secrets', {
  reply: StoredSecrets,
  mayBeEmpty: true,
});

/** Replace all secrets of an app (docs/platform.md#secrets). Never retried, as for a project. */
export const setAppSecrets = endpoint('PATCH /v2/projects/{project}/apps/{app}/secrets', {
  body: Secrets,
  reply: 'nothing',
});
