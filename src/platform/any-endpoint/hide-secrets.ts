import { isRecord } from '../../kernel/json-text.ts';
import { hidden, hideCredentials } from '../../kernel/output/redacted-json.ts';
import type { Context } from '../context.ts';
import { decodeIfValid } from '../contract/address.ts';

interface Reply {
  headers: unknown;
  body: unknown;
  text: string;
}

/** A reply without the values of secrets, for readers who should not get them even if they ask. Names stay. */
export function hideSecrets<R extends Reply>(reply: R, path: string, secrets: Context['secrets']): R {
  const body = isOfSecrets(path) ? withoutValues(reply.body) : reply.body;
  const { value, text } = hideCredentials(body, secrets);
  return { ...reply, headers: hideCredentials(reply.headers, secrets).value, body: value, text };
}

/** Whether the endpoint returns values by name, such as `/v2/projects/{project}/secrets`, in any spelling of its path. */
function isOfSecrets(path: string): boolean {
  const { pathname } = new URL(`https://platform.invalid${path}`);
  return pathname.split('/').some((segment) => decodeIfValid(segment).toLowerCase() === 'secrets');
}

function withoutValues(body: unknown): unknown {
  return isRecord(body) ? Object.fromEntries(Object.keys(body).map((name) => [name, hidden])) : hidden;
}
