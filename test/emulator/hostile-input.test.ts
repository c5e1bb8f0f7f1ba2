import { describe, expect, test } from 'vitest';
import { type Endpoint, splitRoute } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/index.ts';
import { platform } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { python, running } from './support/running.ts';

describe('a request target', () => {
  test.each([
    ['GET //', 404],
    ['GET //evil.example/index.json', 404],
    ['GET /\\evil', 404],
    ['GET /a?%', 404],
    ['GET /v2/projects/%ff/apps', 400],
    ['GET /v2/projects/%00/apps', 401],
    ['GET http://[::1', 421],
    ['OPTIONS *', 404],
    ['GET *', 404],
    ['PROPFIND /index.json', 404],
    ['TRACE /index.json', 404],
    ['DELETE /index.json', 404],
    ['HEAD /index.json', 404],
    ['CONNECT example.com:443', 405],
    ['NONSENSE /', 400],
    ['GET index.json', 400],
  ])('%s gets %i', async (line, status) => {
    const { emulator } = await platform();
    const { host } = new URL(emulator.url);
    const answer = await sendRaw(emulator.url, [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close']);
    expect(answer.status).toBe(status);
    // The emulator still works.
    expect((await fetch(`${emulator.url}/index.json`)).status).toBe(200);
  });

  test('of a WebSocket gets a reply as well', async () => {
    const { emulator } = await platform();
    const { host } = new URL(emulator.url);
    for (const target of ['//', '*', '/v1/applogs?after=x', '/v1/applogs']) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'];
      expect((await sendRaw(emulator.url, lines)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('settings', () => {
  test.each([
    [{ responseGracePeriodSeconds: 43_201 }, 'responseGracePeriodSeconds must be between 16 and 43200'],
    [{ responseGracePeriodSeconds: 3_000_000 }, 'responseGracePeriodSeconds'],
    [{ responseGracePeriodSeconds: 1 }, 'responseGracePeriodSeconds'],
    [{ cpu: '1e999' }, 'cpu'],
    [{ cpu: 'many' }, 'cpu: Invalid type'],
    [{ compute: 'NONE' }, 'unknown compute type: NONE'],
    [{ compute: 7 }, 'compute'],
    [{ minReplicaCount: 1e300 }, 'minReplicaCount must be a non-negative integer'],
    [[], 'the body must be a JSON object'],
    [null, 'the body must be a JSON object'],
    ['text', 'the body is not valid JSON'],
  ])('changed to %j are refused with a message', async (body, message) => {
    const { ask, deploy } = await platform();
    const { path } = await deploy();
    const before = (await ask('GET', path)).json;
    const { status, json } = await ask('PATCH', path, body);
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await ask('GET', path)).json).toEqual(before);
  });

  test('can be changed with compute, cpu and memory as text', async () => {
    const { ask, deploy } = await platform();
    const { path } = await deploy();
    const changes = { compute: 'ADA_L4', gpuCount: 1, cpu: '4', memory: '16', name: 'other', nonsense: {} };
    expect((await ask('PATCH', path, changes)).status).toBe(200);
    expect((await ask('GET', path)).json).toMatchObject({ hardware: 'ADA_L4', cpu: '4', memory: '16', name: 'web' });
  });

  test.each([
    [{ name: 'a'.repeat(129) }, 'name must not be longer'],
    [{ port: 70_000 }, 'port must be at most 65535'],
    [{ entrypoint: ['a\0b'] }, 'entrypoint must not contain NUL'],
    [{ responseGracePeriodSeconds: 50_000 }, 'responseGracePeriodSeconds'],
  ])('of a new app with %j are refused', async (settings, message) => {
    const { ask } = await platform();
    const { status, json } = await ask('POST', '/apps', { name: 'web', ...settings });
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('that are unknown are not stored, however deep', async () => {
    const { ask, emulator } = await platform();
    const deep = `{"name":"web","more":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await ask('POST', '/apps', deep)).status).toBe(200);
    expect(emulator.store.apps.get('p-12345678-web')?.settings).not.toHaveProperty('more');
  });
});

test.each([
  ['/runs/charts?aggregate=perhaps', 'aggregate'],
  [`/runs?nextToken=${Buffer.from(`${'9'.repeat(400)}/x`).toString('base64url')}`, undefined],
  ['/runs?asyncOnly=1x', 'asyncOnly'],
])('an invalid query of %s gets a reply', async (path, wrong) => {
  const { ask } = await platform({ seed: 1 });
  const { status, json } = await ask('GET', `/apps/p-12345678-web${path}`);
  expect(status).toBe(wrong ? 400 : 200);
  if (wrong) expect(json.message).toContain(wrong);
});

test('a body over 16 MiB is refused, with or without content-length', async () => {
  const { ask, emulator } = await platform();
  const large = JSON.stringify({ name: 'x'.repeat(16 << 20) });
  expect((await ask('POST', '/apps', large)).status).toBe(413);
  async function* pieces() {
    for (let at = 0; at < 17; at += 1) yield Buffer.alloc(1 << 20, 0x20);
  }
  const url = `${emulator.url}/v2/projects/${emulator.project}/apps`;
  const headers = { authorization: `Bearer ${emulator.token}` };
  const answer = await fetch(url, { method: 'POST', headers, body: pieces() as never, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(413);
});

test('a secret with a NUL is refused', async () => {
  const { ask } = await platform();
  const { status, json } = await ask('PATCH', '/secrets', { KEY: 'a\0b' });
  expect([status, json.message]).toEqual([400, expect.stringContaining('secret KEY must not contain NUL')]);
});

test('the app of a one-off run must be given by its id', async () => {
  const { emulator } = await platform();
  const create = (app: string) =>
    fetch(`${emulator.url}/v3/projects/${emulator.project}/apps/${app}/create-run-app`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.token}` },
    });
  expect((await create('job')).status).toBe(400);
  expect((await create(`${emulator.project}-${'j'.repeat(31)}`)).status).toBe(400);
  expect((await create(`${emulator.project}-job`)).status).toBe(200);
});

describe.skipIf(!python)('an app (needs python3)', () => {
  test("supports a timeout longer than a timer's maximum", async () => {
    const { emulator, call, id } = await running();
    const { settings } = emulator.store.apps.get(id) ?? {};
    Object.assign(settings ?? {}, { responseGracePeriodSeconds: 3_000_000, cooldownPeriodSeconds: 3_000_000 });
    expect((await call('run', { name: 'Ada' })).status).toBe(200);
  });

  test('that cannot start because of its environment is not reported as a bug', async () => {
    const { emulator, call } = await running();
    emulator.store.secrets.set(emulator.project, { LARGE: 'x'.repeat(3 << 20) });
    const { status, json } = await call('run', { name: 'Ada' });
    expect([status, json.message]).toEqual([503, expect.stringContaining('cannot start')]);
  });

  test('called without a function name gets a reply', async () => {
    const { base } = await running();
    for (const address of [base, `${base}/`]) {
      expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(404);
    }
  });
});

/** A seeded random number generator (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = [
  ...['', 'web', 'p-12345678-web', 'default', 'us-east-1', '__proto__', 'constructor', 'a\0b', '..', '/', 'a//b', '%'],
  ...['true', '-1', '0', '1e400', '99999999999999999999', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59Z', 'Europe/Nowhere', 'x'.repeat(5_000), '\ud800', '{"auths":7}', 'null', 'é💥'],
];
const numbers = [0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, 1e300, -1e300, Number.NaN, 43_201];

/** Random hostile values, mostly with names that schemas have. */
class Hostile {
  readonly #next: () => number;
  readonly #names: readonly string[];

  constructor(next: () => number, names: readonly string[]) {
    this.#next = next;
    this.#names = names;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#next() * values.length)] as T;
  }

  text(): string {
    return this.pick(words);
  }

  value(depth = 0): unknown {
    const kind = this.#next();
    if (kind < 0.3) return this.text();
    if (kind < 0.55) return this.pick(numbers);
    if (kind < 0.7) return this.pick([null, true, false]);
    if (depth > 3) return [];
    const size = Math.floor(this.#next() * 4);
    if (kind < 0.82) return Array.from({ length: size }, () => this.value(depth + 1));
    return this.object(depth + 1);
  }

  object(depth = 0): Record<string, unknown> {
    const size = 1 + Math.floor(this.#next() * 5);
    return Object.fromEntries(
      Array.from({ length: size }, () => [
        this.#next() < 0.8 && this.#names.length > 0 ? this.pick(this.#names) : this.text(),
        this.value(depth),
      ]),
    );
  }

  body(): string {
    const kind = this.#next();
    if (kind < 0.1) return this.pick(['', '{', 'null', '[]', '7', '"text"', '['.repeat(20_000), '{"a":1}x']);
    return JSON.stringify(kind < 0.9 ? this.object() : this.value());
  }

  query(): string {
    const size = Math.floor(this.#next() * 5);
    const fields = Array.from({ length: size }, () => [this.pick([...this.#names, 'x']), this.text()]);
    return new URLSearchParams(fields as [string, string][]).toString();
  }
}

function namesIn(schema: unknown): string[] {
  const entries = (schema as { entries?: Record<string, unknown> } | undefined)?.entries ?? {};
  return [
    ...Object.keys(entries),
    ...Object.values(entries).flatMap((inner) => (inner === schema ? [] : namesIn(inner))),
  ];
}

const seed = Number(process.env.FUZZ_SEED ?? 20_261_122);
const rounds = Number(process.env.FUZZ_ROUNDS ?? 12);

test.each(Object.entries<Endpoint>(endpoints))(
  '%s replies to any request, never with an internal error',
  async (name, endpoint) => {
    const { emulator } = await platform({ seed: 1 });
    const { method, path } = splitRoute(endpoint.route);
    const names = [...namesIn(endpoint.query), ...namesIn(endpoint.body)];
    const hostile = new Hostile(randomOf(seed + Object.keys(endpoints).indexOf(name)), names);
    const known: Record<string, string> = { project: emulator.project, app: `${emulator.project}-web`, name: 'web' };
    for (let round = 0; round < rounds; round += 1) {
      const target = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
        hostile.pick([true, true, true, false]) && known[parameter]
          ? known[parameter]
          : encodeURIComponent(Buffer.from(hostile.text()).toString()),
      );
      const body = endpoint.body || hostile.pick([true, false]) ? hostile.body() : undefined;
      const url = `${emulator.url}${target}?${hostile.query()}`;
      const type = hostile.pick(['application/json', 'multipart/form-data; boundary=x', 'text/plain']);
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${emulator.token}`, 'content-type': type },
        ...(body !== undefined && method !== 'GET' && { body }),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await answer.text();
      expect([answer.status, text], `${method} ${url} ${body}`).toEqual([
        expect.toSatisfy((status: number) => status !== 500),
        expect.not.stringContaining('the emulator has a bug'),
      ]);
    }
    // Other requests still work.
    const after = async (below: string) =>
      (
        await fetch(`${emulator.url}/v2/projects/${emulator.project}${below}`, {
          headers: { authorization: `Bearer ${emulator.token}` },
        })
      ).status;
    expect([await after('/apps'), await after('/cost')]).toEqual([
      200,
      expect.toSatisfy((status: number) => status < 500),
    ]);
  },
);
