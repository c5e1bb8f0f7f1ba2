import { UnavailableError, UsageError } from '../../kernel/errors.ts';
import { readAtMost } from '../../platform/api/http-reply.ts';
import type { Context } from '../../platform/context.ts';
import { isSecure } from '../../platform/contract/address.ts';
import { sendersHeaders } from '../../platform/contract/invocation.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';
import { joinHeaders, type ReceivedRequest, type ReceiverResponse } from '../receiver/index.ts';

/** The rest of a longer response is dropped. */
const maxResponseBytes = 1024 * 1024;

/** Sends a delivery with its headers and bytes to another URL. Throws if there is no response. */
export async function forwardDelivery(
  { settings, signal, silenceMs }: Pick<Context, 'settings' | 'signal' | 'silenceMs'>,
  url: URL,
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
): Promise<ReceiverResponse> {
  const { sendStreamed } = await import('../../platform/api/streamed.ts');
  const response = await sendStreamed({
    method: 'POST',
    url,
    headers: withoutConnectionHeaders(headers),
    body,
    silenceMs,
    proxy: settings.proxy,
    signal: timeoutSignal(silenceMs, () => new UnavailableError(`no response within ${silenceMs / 1000} s`), signal),
  });
  try {
    const { content } = await readAtMost(response.chunks, maxResponseBytes);
    const responseHeaders = withoutConnectionHeaders(joinHeaders(response.headers));
    return { status: response.status, headers: responseHeaders, body: content };
  } finally {
    await response.close();
  }
}

function withoutConnectionHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !sendersHeaders.has(name)));
}

/** Parses the URL for deliveries: https, or http on this machine. Throws UsageError, with the name of the flag. */
export function parseDeliveryUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${flag} is not a URL`, { fix: `${flag} https://example.com/hook` });
  }
  if (!isSecure(url)) {
    throw new UsageError(`${flag} must be an https URL, except on this machine`, {
      fix: `${flag} https://${url.host}${url.pathname}`,
    });
  }
  return url;
}
