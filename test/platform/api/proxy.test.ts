import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openLogSocket } from '../../../src/platform/api/log-socket.ts';
import { proxyFor } from '../../../src/platform/api/proxy.ts';
import { createSender } from '../../../src/platform/api/sender.ts';
import { sendStreamed } from '../../../src/platform/api/streamed.ts';
import { ConnectionError } from '../../../src/platform/api/transport.ts';
import type { ProxySettings } from '../../../src/platform/config/proxy-settings.ts';
import { bufferSource } from '../../../src/storage/transfer/byte-source.ts';
import { sendPutRequest } from '../../../src/storage/transfer/put-request.ts';
import { sendRangeRequest } from '../../../src/storage/transfer/range-request.ts';
import { withTransferContext } from '../../../src/storage/transfer/transfer-context.ts';
import { appServer } from '../../support/app-server.ts';
import { hostileProxy, joiningProxy, overHttps } from '../../support/proxy.ts';
import { transferOptions } from '../../support/transfer-options.ts';

afterEach(() => void vi.useRealTimers());

describe('the proxy for a URL', () => {
  const proxy = (name: string) => ({ address: `http://${name}:3128`, variable: 'HTTPS_PROXY' as const });
  const chosen = (url: string, except = '', settings: Partial<ProxySettings> = {}) =>
    proxyFor({ http: proxy('h'), https: proxy('s'), noProxy: except, ...settings }, new URL(url))?.address;

  test.each([
    ['https://api.test', 'http://s:3128'],
    ['wss://api.test', 'http://s:3128'],
    ['http://api.test', 'http://h:3128'],
    ['ws://api.test', 'http://h:3128'],
  ])('%s: the proxy of its scheme', (url, address) => {
    expect(chosen(url)).toBe(address);
  });

  test('the proxy for http is not used for https, nor the reverse', () => {
    expect(chosen('https://api.test', '', { https: undefined })).toBeUndefined();
    expect(chosen('http://api.test', '', { http: undefined })).toBeUndefined();
  });

  test.each([
    'http://localhost:4100',
    'https://localhost.',
    'http://app.localhost',
    'http://127.0.0.1:4100',
    'http://127.1.2.3',
    'http://[::1]:4100',
    'ws://127.0.0.1',
    'http://[::ffff:127.0.0.1]',
  ])('%s uses no proxy', (url) => {
    expect(chosen(url)).toBeUndefined();
  });

  test.each(['http://localhost.example.com', 'http://128.0.0.1', 'http://127.0.0.1.example.com', 'http://mylocalhost'])(
    '%s uses the proxy',
    (url) => {
      expect(chosen(url)).toBe('http://h:3128');
    },
  );

  test.each([
    ['*', 'https://api.test'],
    ['a.test, api.test', 'https://api.test'],
    ['a.test api.test', 'https://API.test.'],
    ['test', 'https://api.test'],
    ['.test', 'https://api.test'],
    ['*.test', 'https://api.test'],
    ['api.test:8443', 'https://api.test:8443'],
    ['api.test:443', 'https://api.test'],
    ['10.0.0.1', 'https://10.0.0.1'],
    ['10.0.0.0/8', 'https://10.20.30.40'],
    ['fd00::1', 'https://[fd00::1]'],
    ['[fd00::1]:443', 'https://[fd00::1]'],
    ['fd00::/8', 'https://[fd00::1]'],
  ])('NO_PROXY=%s excludes %s', (except, url) => {
    expect(chosen(url, except)).toBeUndefined();
  });

  test.each([
    ['pi.test', 'https://api.test'],
    ['api.test:8443', 'https://api.test'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/99', 'https://10.0.0.1'],
    ['10', 'https://100.0.0.10x.test'],
    [', ,', 'https://api.test'],
    ['.', 'https://api.test'],
  ])('NO_PROXY=%s does not exclude %s', (except, url) => {
    expect(chosen(url, except)).toBe('http://s:3128');
  });
});

/** Each way to send something, through a proxy, to a host that only the proxy knows. */
const ways: [string, (proxy: ProxySettings, signal: AbortSignal) => Promise<unknown>][] = Object.entries({
  'a call': async (proxy, signal) =>
    (await createSender(proxy))({ method: 'POST', url: at, headers: {}, body: 'x', signal, silenceMs: 60_000 }),
  'a call of an app': (proxy, signal) =>
    sendStreamed({ method: 'POST', url: at, headers: {}, body: Buffer.from('x'), proxy, signal, silenceMs: 60_000 }),
  'an upload': (proxy, signal) => transfer(proxy, signal, (engine) => sendPutRequest(small, engine, signal)),
  'a download': (proxy, signal) =>
    transfer(proxy, signal, (engine) => sendRangeRequest({ url: at.href, bytes: 3 }, engine, signal)),
  'a live log': (proxy, signal) =>
    openLogSocket('/logs', {}, { address: at.origin, token: 't', userAgent: 'x', proxy, signal, silenceMs: 60_000 }),
});

const at = new URL('https://api.test/path?signature=secret');
const small = { url: at.href, bytes: 3, contentType: 'text/plain', read: () => bufferSource(Buffer.from('abc')) };

function transfer<T>(proxy: ProxySettings, signal: AbortSignal, work: Parameters<typeof withTransferContext<T>>[1]) {
  return withTransferContext(transferOptions({ proxy, signal, concurrency: undefined }), work);
}

const says = (text: string) => (socket: Socket) => void socket.end(`HTTP/1.1 ${text}`);

describe.each(ways)('%s through a proxy', (_, send) => {
  const failure = (proxy: ProxySettings, signal = new AbortController().signal) =>
    send(proxy, signal).then(
      () => undefined,
      (error: unknown) => error,
    );

  test.each<[string, (socket: Socket) => void, RegExp, boolean]>([
    ['closes the connection', (socket) => socket.destroy(), /cannot connect to the proxy .* connection reset/, true],
    [
      'says 200 and closes',
      says('200 OK\r\n\r\n'),
      /cannot connect to api\.test through the proxy .*: connection re/,
      true,
    ],
    [
      'says 200 and no TLS',
      says('200 OK\r\n\r\nHTTP/1.1 400 No\r\n\r\n'),
      /the proxy .*: it does not speak TLS \(\w+\)/,
      false,
    ],
    ['says 502', says('502 Bad\r\n\r\n'), /the proxy .* could not connect to api\.test:443 \(HTTP 502\)/, true],
    ['says 403', says('403 No\r\n\r\n<html>'), /the proxy .* refused to connect to api\.test:443 \(HTTP 403\)/, false],
    ['says 407', says('407 Who\r\n\r\n'), /the proxy .* requires a user name and password \(HTTP 407\)/, false],
    ['says garbage', (socket) => socket.end('no idea\r\n\r\n'), /the proxy .* it does not speak HTTP/, true],
    ['never stops to answer', endless, /the proxy .*/, true],
  ])(
    'that %s: connects once, fails with an error that names the proxy, and sends nothing',
    async (_, answer, message, again) => {
      const { settings, seen, url } = await hostileProxy(answer);
      const error = (await failure(settings)) as ConnectionError;
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toMatch(message);
      expect(error.message).not.toContain('secret');
      expect([error.mayHaveArrived, error.facts.retryable]).toEqual([false, again]);
      if (/proxy/.test(error.message)) expect(error.message).toContain(`the proxy ${new URL(url).host} (HTTPS_PROXY)`);
      expect(seen.connections).toBe(1);
    },
  );

  test('that never responds: Ctrl-C ends the command at once', async () => {
    const stop = new AbortController();
    const { settings } = await hostileProxy(() => stop.abort(new Error('interrupted')));
    expect(await failure(settings, stop.signal)).toMatchObject({ message: 'interrupted' });
  });

  test('that never finishes TLS: Ctrl-C ends the command at once', async () => {
    const stop = new AbortController();
    const { settings } = await hostileProxy((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => stop.abort(new Error('interrupted')));
    });
    expect(await failure(settings, stop.signal)).toMatchObject({ message: 'interrupted' });
  });

  test('that never responds: fails after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { settings } = await hostileProxy(() => vi.advanceTimersByTime(10_000));
    const error = (await failure(settings)) as ConnectionError;
    expect(error.message).toMatch(/cannot connect to the proxy .*: timed out|cannot open the live log/);
  });

  test('names a proxy that refuses connections, without its password', async () => {
    const proxy = { address: 'http://ada:secret@127.0.0.1:1', variable: 'ALL_PROXY' } as const;
    const error = (await failure({ http: proxy, https: proxy, noProxy: '' })) as Error;
    expect(error.message).toBe('cannot connect to the proxy 127.0.0.1:1 (ALL_PROXY): connection refused');
  });
});

function endless(socket: Socket): void {
  const more = () => {
    while (socket.writable && socket.write(`X-Header: ${'x'.repeat(1_000)}\r\n`));
    socket.once('drain', more);
  };
  socket.write('HTTP/1.1 200 OK\r\n');
  more();
}

describe('through a proxy that works', () => {
  test('sends calls over TLS on one connection, and its user agent to the proxy', async () => {
    const { url } = await appServer((response) => response.end('fine'));
    const far = await overHttps(url);
    const { asked, heads, settings, url: address } = await joiningProxy();
    const proxy = { address: address.replace('//', '//ada%40b:p%25w@'), variable: 'HTTPS_PROXY' } as const;
    const send = await createSender({ ...settings, https: proxy });
    const signal = new AbortController().signal;
    for (let time = 0; time < 3; time++) {
      const { body } = await send({ method: 'GET', url: new URL(far), headers: {}, signal, silenceMs: 5_000 });
      expect(body).toBe('fine');
    }
    expect(asked).toEqual([new URL(far).host]);
    expect(heads[0]?.['proxy-authorization']).toBe(`Basic ${Buffer.from('ada@b:p%w').toString('base64')}`);
    expect(heads[0]?.authorization).toBeUndefined();
  });

  test('uploads through it, and reuses the connection', async () => {
    const { url, seen } = await appServer((response) => response.writeHead(200, { etag: '"e"' }).end());
    const far = await overHttps(url);
    const { asked, settings } = await joiningProxy();
    const { signal } = new AbortController();
    await transfer(settings, signal, async (engine) => {
      for (let time = 0; time < 3; time++) await sendPutRequest({ ...small, url: `${far}/key` }, engine, signal);
    });
    expect(seen.map(({ body }) => String(body))).toEqual(['abc', 'abc', 'abc']);
    expect(new Set(asked)).toEqual(new Set([new URL(far).host]));
    expect(asked.length).toBeLessThan(3);
  });
});
