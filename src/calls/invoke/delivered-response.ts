import type { ReceivedRequest } from '../receiver/index.ts';
import type { CallTarget } from './call-target.ts';
import type { AppResponse } from './response.ts';

/** What a webhook delivered, as if the call had been synchronous. */
export function deliveredResponse(
  { headers, body }: ReceivedRequest,
  target: CallTarget,
  startedAt: number,
  firstByteMs: number,
): AppResponse {
  async function* chunks() {
    yield body;
  }
  return {
    target,
    status: 200,
    statusText: 'delivered',
    headers,
    type: (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    startedAt,
    firstByteMs,
    chunks: chunks(),
    close: async () => {},
  };
}
