import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { object, string } from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/index.ts';
import { isTransient } from '../../../src/kernel/errors.ts';
import { createApi } from '../../../src/platform/api/client.ts';
import type { HttpReply } from '../../../src/platform/api/http-reply.ts';
import { ConnectionError, toConnectionError } from '../../../src/platform/api/transport.ts';
import { endpoint, type HttpMethod } from '../../../src/platform/contract/endpoint.ts';
import { apiOptions } from '../../support/api-options.ts';
import { gantry, listening, newFolder, serving, smallApp } from '../../support/index.ts';
import { hostileProxy, joiningProxy, overHttps } from '../../support/proxy.ts';

describe('retries', () => {
  const cut = (mayHaveArrived: boolean) => new ConnectionError('cut', mayHaveArrived, undefined);
  const answer = (status: number, headers = {}): HttpReply => ({ status, headers, body: '' });

  test.each<[method: HttpMethod, failure: HttpReply | ConnectionError, repeated: boolean]>([
    ['GET', answer(503), true],
    ['GET', answer(500), true],
    ['GET', answer(502), true],
    ['GET', answer(504), true],
    ['GET', answer(408), true],
    ['GET', answer(429), true],
    ['GET', answer(400), false],
    ['GET', answer(501), false],
    ['GET', cut(true), true],
    ['GET', cut(false), true],
    ['PUT', answer(503), true],
    ['PUT', cut(true), true],
    ['DELETE', answer(503), true],
    ['DELETE', cut(true), true],
    ['POST', answer(503), false],
    ['POST', answer(500), false],
    ['POST', answer(502, { 'retry-after': '1' }), false],
    ['POST', answer(504, { 'retry-after': '1' }), false],
    ['POST', answer(408), false],
    ['POST', answer(429), true],
    ['POST', answer(503, { 'retry-after': '1' }), true],
    ['POST', cut(true), false],
    ['POST', cut(false), true],
    ['PATCH', answer(503), false],
    ['PATCH', cut(true), false],
    ['PATCH', cut(false), true],
  ])('%s after %o: %s', async (method, failure, repeated) => {
    let calls = 0;
    const api = createApi({
      ...apiOptions('http://127.0.0.1'),
      send: async () => {
        calls++;
        if (failure instanceof Error) throw failure;
        return failure;
      },
    });
    await expect(api(endpoint(`${method} /x`, { reply: 'nothing' }), {})).rejects.toThrow();
    expect(calls).toBe(repeated ? 5 : 1);
  });

  test('repeat a POST that is marked as retryable', async () => {
    let calls = 0;
    const send = async () => ({ status: ++calls < 3 ? 503 : 200, headers: {}, body: '' });
    await createApi({ ...apiOptions('http://127.0.0.1'), send })(
      endpoint('POST /x', { reply: 'nothing', retryable: true }),
      {},
    );
    expect(calls).toBe(3);
  });
});

describe('a call', () => {
  test('carries token, version and path, each value encoded as one segment', async () => {
    const seen: IncomingMessage[] = [];
    const url = await serving((request, response) => {
      seen.push(request);
      response.end('{"id":"x"}');
    });
    const get = endpoint('GET /apps/{app}/files/{name}', { reply: object({ id: string() }) });
    await createApi(apiOptions(url))(get, { project: 'p-1', app: 'web', name: '../a b/ü?x=1#y' } as never);
    expect(seen[0]?.url).toBe('/apps/p-1-web/files/..%2Fa%20b%2F%C3%BC%3Fx%3D1%23y');
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'test' });
  });

  test('is traced by method, path, status and time; never with a query or a header', async () => {
    const url = await serving((_, response) => response.end('[]'));
    const lines: string[] = [];
    const get = endpoint('GET /x', { reply: 'text', query: object({ secret: string() }) });
    await createApi({ ...apiOptions(url), trace: (line) => lines.push(line) })(get, { query: { secret: 'hidden' } });
    expect(lines).toEqual([expect.stringMatching(/^GET \/x 200 \d+ ms$/)]);
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i): the token is not sent to another origin',
    async (status) => {
      let visited = 0;
      const elsewhere = await serving((_, response) => {
        visited++;
        response.end('{}');
      });
      const url = await serving((_, response) => response.writeHead(status, { location: elsewhere }).end());
      const get = endpoint('GET /x', { reply: 'text' });
      await expect(createApi(apiOptions(url))(get, {})).rejects.toThrow(`(HTTP ${status} to ${elsewhere}/)`);
      expect(visited).toBe(0);
    },
  );

  test('ends at once when its signal aborts', async () => {
    const url = await serving(() => {});
    const controller = new AbortController();
    const call = createApi({ ...apiOptions(url), signal: controller.signal })(
      endpoint('GET /x', { reply: 'text' }),
      {},
    );
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});

describe('a failed connection', () => {
  const url = new URL('https://example.test:444/path?X-Amz-Signature=secret');

  test.each([
    ['ECONNREFUSED', 'connection refused', false, true],
    ['ENOTFOUND', 'host not found', false, true],
    ['EAI_AGAIN', 'DNS lookup failed', false, true],
    ['ENETUNREACH', 'network unreachable', false, true],
    ['ECONNRESET', 'connection reset', true, true],
    ['EPIPE', 'connection reset', true, true],
    ['UND_ERR_SOCKET', 'connection reset', true, true],
    ['ERR_SSL_UNKNOWN', 'the TLS handshake failed (ERR_SSL_UNKNOWN)', false, true],
    ['EPROTO', 'it does not speak TLS (EPROTO)', false, false],
    ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED)', false, false],
    [
      ...['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)'],
      ...[false, false],
    ],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)', false, false],
    ['EMFILE', 'too many files are open (EMFILE)', false, true],
    ['ENFILE', 'too many files are open on this machine (ENFILE)', false, true],
    ['ENOBUFS', 'out of memory for connections (ENOBUFS)', false, true],
    ['EADDRNOTAVAIL', 'no local address or port is free (EADDRNOTAVAIL)', false, true],
    ['ENOMEM', 'out of memory (ENOMEM)', false, false],
    ['EACCES', 'not allowed on this machine (EACCES)', false, false],
  ] as [string, string, boolean, boolean][])(
    '(%s) reports "%s"; the request may have arrived: %s; it may pass: %s',
    (code, words, mayHaveArrived, mayPass) => {
      const what = mayHaveArrived ? 'the connection to example.test:444 failed' : 'cannot connect to example.test:444';
      const causes = [{ code }, { cause: { code } }, { errors: [{ code }, { code: 'OTHER' }] }];
      for (const cause of causes) {
        const failure = toConnectionError(url, Object.assign(new Error('x'), cause));
        expect(failure.message).toBe(`${what}: ${words}`);
        expect([failure.exit, (failure as ConnectionError).mayHaveArrived]).toEqual(['unavailable', mayHaveArrived]);
        expect([failure.facts.retryable, isTransient(failure)]).toEqual([mayPass, mayPass]);
      }
    },
  );

  test('of a WebAssembly without room is of this machine', () => {
    const cause = new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance');
    const failure = toConnectionError(url, cause);
    expect(failure.message).toMatch(/: out of memory \(ENOMEM\)$/);
    expect(failure.facts).toMatchObject({ retryable: false, fix: 'raise the limit: ulimit -v unlimited' });
  });

  test('with an unknown code says no more than Node knows', () => {
    const cause = Object.assign(new Error('connect EODD 127.0.0.1:1 - Local (undefined:undefined)'), { code: 'EODD' });
    expect(toConnectionError(url, cause).message).toMatch(/failed: connect EODD 127\.0\.0\.1:1$/);
  });

  test('that cannot pass is tried once', async () => {
    const server = createTlsServer({
      key: readFileSync('fixtures/tls/key.pem'),
      cert: readFileSync('fixtures/tls/cert.pem'),
    });
    const { host } = new URL(await listening(server));
    const env = { GANTRY_API_URL: `https://${host}`, GANTRY_TOKEN: 't' };
    const { code, stderr, waits, json } = await gantry(['apps', 'list', '--project', 'p-1', '--json'], { env });
    expect([code, waits, stderr]).toEqual([
      69,
      [],
      expect.stringMatching(/^error: cannot connect to .*: its certificate is /),
    ]);
    expect(json()).toMatchObject({ error: { retryable: false } });
  });
});

describe('with a proxy in the environment', () => {
  const env = (address: string, more: Record<string, string> = {}) => ({
    GANTRY_API_URL: address,
    GANTRY_INFERENCE_URL: address,
    ...more,
  });

  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('every call of a deploy uses %s', async (name) => {
    const { emulator, far, token } = await platform();
    const { asked, url } = await joiningProxy();
    const variables = env(far, { [name]: url, ...token });
    const { code, stderr } = await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()), env: variables });
    expect(code, stderr).toBe(0);
    expect(new Set(asked)).toEqual(new Set([new URL(far).host]));
  });

  test('HTTP_PROXY alone is not used for https', async () => {
    const { url, asked } = await joiningProxy();
    const outcome = await gantry(['apps', 'list'], {
      env: env('https://platform.invalid', { HTTP_PROXY: url, GANTRY_TOKEN: 't', GANTRY_PROJECT: 'p-1' }),
    });
    expect(outcome.code).toBe(69);
    expect(asked).toEqual([]);
  });

  test.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])('%s is not used for this machine', async (name) => {
    const { emulator } = await platform();
    const { url, asked } = await joiningProxy();
    for (const words of [['deploy'], ['cp', 'main.py', ':/main.py'], ['logs', 'web', '--build']]) {
      const { code, stderr } = await gantry(words, { emulator, cwd: newFolder(smallApp()), env: { [name]: url } });
      expect(code, stderr).toBe(0);
    }
    expect(asked).toEqual([]);
  });

  test('a proxy that closes every connection after CONNECT is tried five times', async () => {
    const { emulator, far, token } = await platform();
    const { url, seen } = await hostileProxy((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const outcome = await gantry(['apps', 'list'], { emulator, env: env(far, { HTTPS_PROXY: url, ...token }) });
    expect([outcome.code, outcome.waits.length, seen.connections]).toEqual([69, 4, 5]);
    expect(outcome.stderr).toContain('(5 of 5)');
  });

  test.each([
    [
      407,
      1,
      'requires a user name and password (HTTP 407)',
      'add a user name and password to the address in HTTPS_PROXY',
    ],
    [403, 1, 'refused to connect to platform.test', 'NO_PROXY'],
    [502, 5, 'could not connect to platform.test', 'NO_PROXY'],
  ])(
    'an error names a proxy that replies with %i, and says that the call of an app was not sent',
    async (status, tries, message, fix) => {
      const { emulator, far, token } = await platform();
      const { url, seen } = await hostileProxy((socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
      const variables = env(far, { HTTPS_PROXY: url, ...token });
      const outcome = await gantry(['invoke', 'web', '--json'], { emulator, env: variables });
      expect([outcome.code, seen.connections]).toEqual([69, tries]);
      expect(outcome.stderr).toContain(`the proxy ${new URL(url).host} (HTTPS_PROXY) ${message}`);
      expect(outcome.stderr).toContain(fix);
      expect(outcome.stderr).not.toContain('may have reached');
      expect(outcome.json()).toMatchObject({ error: { exitCode: 69, retryable: tries > 1 } });
    },
  );

  /** An emulator, its address by a name that is not loopback, and a token that may be sent there. */
  async function platform(): Promise<{ emulator: Emulator; far: string; token: Record<string, string> }> {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const token = { GANTRY_TOKEN: emulator.issueToken({ iss: 'platform.test' }) };
    return { emulator, far: await overHttps(emulator.url), token };
  }
});

test('an error shows the id of the request, as text and as JSON', async () => {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  emulator.fail('listApps', 403);
  const { stderr, json } = await gantry(['apps', 'list', '--json'], { emulator });
  expect(stderr).toContain('  request req-1\n');
  // The platform does not say what it refused.
  const why = 'the token in use is not allowed to GET /v2/projects/{project}/apps';
  expect(json()).toMatchObject({ error: { requestId: 'req-1', statusCode: 403, why } });
});
