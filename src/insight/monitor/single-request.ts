import { UnavailableError } from '../../kernel/errors.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';

/** A turn must be over before the next one. */
const timeoutMs = 4_500;

/** The API for one request that is not repeated if it fails: the next turn asks again. */
export function singleRequest({ apiWithSignal, signal }: Pick<Context, 'apiWithSignal' | 'signal'>): Api {
  const failed = new AbortController();
  const until = timeoutSignal(timeoutMs, () => new UnavailableError('no reply in time'), signal);
  return apiWithSignal(AbortSignal.any([until, failed.signal]), ({ reason }) => failed.abort(reason));
}
