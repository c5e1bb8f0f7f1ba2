import type { ApiOptions } from '../../src/platform/api/client.ts';
import { sendDirectly } from '../../src/platform/api/transport.ts';

/** How an API of its own asks a server, on a clock that stands still. */
export function apiOptions(url: string): ApiOptions {
  const address = { value: url };
  return {
    addresses: {
      management: address,
      invocation: address,
      status: address,
      logs: address,
      login: address,
      refresh: address,
    },
    token: () => 'secret',
    headers: { 'user-agent': 'test' },
    send: sendDirectly,
    silenceMs: 5_000,
    now: () => 0,
    elapsed: () => 0,
    trace: () => {},
    signal: new AbortController().signal,
    delay: async () => {},
    onRetry: () => {},
  };
}
