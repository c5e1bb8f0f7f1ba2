import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { findSignatureProblem } from '../../src/platform/contract/webhooks.ts';
import { serving } from '../support/listening.ts';
import { running } from './support/running.ts';

interface Delivered {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver that replies with these statuses in order, then repeats the last one; 0 means no reply. */
async function receiver(...statuses: number[]) {
  const delivered: Delivered[] = [];
  const url = await serving(async (request, response) => {
    delivered.push({ headers: request.headers, body: await text(request) });
    const status = statuses.length > 1 ? (statuses.shift() ?? 200) : (statuses[0] ?? 200);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  return { delivered, url: `${url}/hook?of=test` };
}

async function called(query = '', headers: Record<string, string> = {}, ...statuses: number[]) {
  const { delivered, url } = await receiver(...statuses);
  const app = await running('functions', {}, { real: false });
  const reply = await app.call(`run?webhookEndpoint=${encodeURIComponent(url)}${query}`, { name: 'Ada' }, { headers });
  return { ...app, delivered, url, reply };
}

describe('a webhook', () => {
  test.each([['&async=true'], ['']])('gets the complete response of a call, with%s', async (query) => {
    const { delivered, reply, url, runs } = await called(query);
    await expect.poll(() => delivered.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = delivered;
    const run = reply.headers.get('x-request-id');
    expect(JSON.parse(body)).toMatchObject({ run_id: run, run_time_ms: 0, result: { parameters: { name: 'Ada' } } });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': run });
    expect(headers['x-cerebrium-webhook-signature']).toBeUndefined();
    if (query) expect(reply.json).toEqual({ run_id: run });
    else expect(reply.text).toBe(body);
    expect(await runs()).toMatchObject([{ webhookEndpoint: url, async: query !== '' }]);
  });

  test('gets a valid signature if the call has a secret', async () => {
    const { delivered, emulator } = await called('', { 'X-Webhook-Secret': 'open sesame' });
    await expect.poll(() => delivered.length).toBe(1);
    const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: '' }] = delivered;
    const parts = {
      requestId: String(headers['x-request-id']),
      timestamp: String(headers['x-cerebrium-webhook-timestamp']),
      signature: String(headers['x-cerebrium-webhook-signature']),
      body,
    };
    const now = { now: Date.now(), maxAgeMs: 60_000 };
    expect(findSignatureProblem('open sesame', parts, now)).toBeUndefined();
    expect(findSignatureProblem('open sesame', { ...parts, body: `${body} ` }, now)?.kind).toBe('forged');
    expect(JSON.stringify(emulator.calls)).not.toContain('open sesame');
  });

  test.each([
    ['that answers', [200], 1, 'delivered (HTTP 200)'],
    ['that is down once', [0, 200], 2, 'delivered (HTTP 200)'],
    ['that is down', [0], 3, 'failed (attempt 3): UND_ERR_SOCKET'],
    ['that does not exist yet', [404, 404, 204], 3, 'delivered (HTTP 204)'],
    ['that sends elsewhere', [302], 3, 'failed (attempt 3): HTTP 302'],
    ['that finds it bad', [400], 1, 'failed (attempt 1): HTTP 400'],
    ['that refuses', [410], 1, 'failed (attempt 1): HTTP 410'],
    ['that is broken', [503], 1, 'failed (attempt 1): HTTP 503'],
  ])('%s', async (_, statuses, attempts, webhookDelivery) => {
    const { delivered, runs } = await called('&async=true', {}, ...statuses);
    await expect.poll(runs).toMatchObject([{ webhookDelivery }]);
    expect(delivered).toHaveLength(attempts);
    expect(new Set(delivered.map(({ body }) => body)).size).toBe(1);
  });

  test.each([
    ['lost', 1],
    ['twice', 2],
  ])('can be %s', async (fault, arrived) => {
    const { delivered, url } = await receiver();
    const { call, emulator, runs } = await running('functions', {}, { real: false });
    emulator.fail('webhook', fault);
    await call(`run?webhookEndpoint=${encodeURIComponent(url)}`);
    await expect.poll(runs).toMatchObject([{ webhookDelivery: 'delivered (HTTP 200)' }]);
    expect(delivered).toHaveLength(arrived);
  });

  test('to which nobody listens is said to have failed', async () => {
    const { call, runs } = await running('functions', {}, { real: false });
    await call('run?async=true&webhookEndpoint=http%3A%2F%2F127.0.0.1%3A1%2F');
    const delivery = async () => (await runs())[0].webhookDelivery;
    await expect.poll(delivery).toMatch(/^failed \(attempt 3\): \w/);
  });

  test('must be a URL', async () => {
    const { call, emulator } = await running('functions', {}, { real: false });
    await expect(call('run?webhookEndpoint=localhost:3000')).toAnswer(400, 'must be an encoded http or https URL');
    expect(emulator.store.runs.size).toBe(0);
  });
});
