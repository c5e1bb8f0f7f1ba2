import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/kernel/json-text.ts';
import { KnownSecrets } from '../../../src/kernel/output/known-secrets.ts';
import { redact } from '../../../src/kernel/output/redact.ts';
import { redactedJson } from '../../../src/kernel/output/redacted-json.ts';
import { sanitize } from '../../../src/kernel/output/sanitize.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const signed = 'https://s3.test/b/k?X-Amz-Algorithm=AWS4&X-Amz-Credential=AKIA%2F1&X-Amz-Signature=5ec7e7';

test.each([
  [`token ${token}.`, 'token [token].'],
  [`Bearer ${token}`, 'Bearer [token]'],
  [`token_${token}`, 'token_[token]'],
  [`a%3D${token}`, 'a%3D[token]'],
  ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0 is unsigned', '[token] is unsigned'],
  ['authorization: bearer abc.def', 'authorization: bearer [hidden]'],
  ['{"authorization":["Token abc.def"]}', '{"authorization":["Token [hidden]"]}'],
  ['Authorization=Digest%20abc', 'Authorization=Digest%20[hidden]'],
  ['x-api-key: abc123', 'x-api-key: [hidden]'],
  ['X-Auth-Token: abc123', 'X-Auth-Token: [hidden]'],
  ["{'x-session-id': 'abc123'}", "{'x-session-id': '[hidden]'}"],
  ['{"private-token":["abc"]}', '{"private-token":["[hidden]"]}'],
  ['proxy-authorization: Basic abc', 'proxy-authorization: Basic [hidden]'],
  ['apikey: abc123', 'apikey: [hidden]'],
  ['x-functions-key: abc123', 'x-functions-key: [hidden]'],
  ['x-webhook-secret: abc123', 'x-webhook-secret: [hidden]'],
  ['cookie: session=abc; theme="a"\nhost: a=b', 'cookie: session=[hidden]; theme="[hidden]"\nhost: a=b'],
  ['Set-Cookie: id=a; Path=/; Max-Age=60; Secure', 'Set-Cookie: id=[hidden]; Path=/; Max-Age=60; Secure'],
  ['{"set-cookie":["a=b; Path=/","c=d"],"e":"f=g"}', '{"set-cookie":["a=[hidden]; Path=/","c=[hidden]"],"e":"f=g"}'],
  ['{"cookie":"a=\\"b\\"; c=d","e":"f=g"}', '{"cookie":"a=\\"[hidden]\\"; c=[hidden]","e":"f=g"}'],
  ["{'cookie': 'a=b', 'e': 'f=g'}", "{'cookie': 'a=[hidden]', 'e': 'f=g'}"],
  ['{\\"cookie\\":\\"a=b\\",\\"e\\":\\"f=g\\"}', '{\\"cookie\\":\\"a=[hidden]\\",\\"e\\":\\"f=g\\"}'],
  ['Basic dXNlcjpwYXNz', 'Basic [hidden]'],
  ['Bearer%20opaque-1', 'Bearer%20[hidden]'],
  ['PUT https://s3/x?X-Amz-Signature=1&a=2 failed', 'PUT https://s3/x?[hidden] failed'],
  ['"http://s3/x?a=1&X-Amz-Credential=z"', '"http://s3/x?[hidden]"'],
  ['https://s3/x?X-Amz-Security-Token=z', 'https://s3/x?[hidden]'],
  ['(see https://s3/x?X-Goog-Signature=z).', '(see https://s3/x?[hidden]).'],
  ['https://a.blob/x?sv=2022-11-02&se=2026&sp=r&sig=a%2Fb%3D', 'https://a.blob/x?[hidden]'],
  ['https://a.blob/x?se=2026&sp=r&sv=2022-11-02', 'https://a.blob/x?[hidden]'],
  ['https://cdn/x?Expires=1&Signature=z&Key-Pair-Id=K', 'https://cdn/x?[hidden]'],
  ['/x?access_token=abc and more', '/x?[hidden] and more'],
  ['?token=abc', '?[hidden]'],
  ['https%3A%2F%2Fs3%2Fx%3FX-Amz-Signature%3D1%26b%3D2', 'https%3A%2F%2Fs3%2Fx%3F[hidden]'],
  ['https%253A%252F%252Fs3%253FX-Amz-Signature%253D1', 'https%253A%252F%252Fs3%253F[hidden]'],
  ['{"u":"https://s3/x\\u003fa=1\\u0026X-Amz-Signature\\u003d1"}', '{"u":"https://s3/x\\u003f[hidden]"}'],
  ['{\\"u\\":\\"https://s3/x?X-Amz-Signature=1\\"}', '{\\"u\\":\\"https://s3/x?[hidden]\\"}'],
  ['…&X-Amz-Signature=5ec7e7&x=1', '…&X-Amz-Signature=[hidden]&x=1'],
  ['Credential=AKIA/2026/s3, Signature=abcdef0123', 'Credential=[hidden], Signature=[hidden]'],
  ['password=hunter2 DB_PASSWORD=a, passwd=x1', 'password=[hidden] DB_PASSWORD=[hidden], passwd=[hidden]'],
  ['https://user:pa55@host/x', 'https://[hidden]@host/x'],
  ['{"refresh_token": "abc"}', '{"refresh_token": "[hidden]"}'],
  ['{\\"password\\":\\"abc\\"}', '{\\"password\\":\\"[hidden]\\"}'],
])('credentials are hidden: %s', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  'https://docs/x?page=2',
  'Basic plan',
  'pull access denied, repository does not exist or may require authorization: server message: denied',
  'Authorization: [hidden] message',
  'the Bearer token is invalid',
  'max_tokens=512 design=1 config=2',
  'pad_token=[PAD] token=3',
  'password=None, password=true passwd= password=*** password="',
  'keyJar.find.first',
  'nextToken eyJvZmZzZXQiOjEwMH0=',
  'https://example.test:8080/@user',
  '{"token": "the"}',
  'idempotency-key: abc123',
  'sec-websocket-key: abc123',
  'cookie: [hidden]',
  'cookie: session=[hidden]; theme=[hidden]',
  'the cookie has a=b',
  'session: 12 of 40',
])('%s is not hidden', (text) => {
  expect(redact(text)).toBe(text);
});

describe('known secrets', () => {
  const secret = 'p&ss "w/ord"+é-0123';
  const known = new KnownSecrets();
  known.add(secret, 'hunter2', 'on', '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----\n');

  test.each([
    ['as they are', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in JSON within JSON', JSON.stringify({ a: JSON.stringify({ b: secret }) })],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL with small letters', encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase())],
    ['in a form', new URLSearchParams({ a: secret }).toString()],
    ['in a URL within a URL', encodeURIComponent(encodeURIComponent(secret))],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ])('are hidden %s', (_, text) => {
    const safe = redact(`before ${text} after`, known);
    expect(safe).toContain('[hidden]');
    expect(safe).not.toMatch(/ord|0123/);
    expect(safe).toMatch(/^before .* after$/);
  });

  test('are hidden right behind one another', () => {
    expect(redact(`${secret}hunter2`, known)).toBe('[hidden][hidden]');
    expect(redact('hunter2x', known)).toBe('hunter2x');
  });

  test('are hidden in base64, with any text before and after them', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (before, behind) => {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}${secret}${behind}`).toString(encoding);
          const left = redact(text, known).replace('[hidden]', '');
          expect(left.length).toBeLessThan(text.length - secret.length);
        }
      }),
    );
  });

  test('are hidden line by line', () => {
    expect(redact('key: MIIEvQIBADANBgkq', known)).toBe('key: [hidden]');
  });

  test('that are short are hidden except within words', () => {
    expect(redact('hunter2, "hunter2" a=hunter2 %3Dhunter2', known)).toBe(
      '[hidden], "[hidden]" a=[hidden] %3D[hidden]',
    );
    expect(redact('hunter22 turned on', known)).toBe('hunter22 turned on');
  });

  test('are hidden after color sequences', () => {
    const page = { colored: true, githubActions: false, secrets: known };
    expect(sanitize('\u001b[1mpass hun\u001b[31mter2\u001b[0m', page)).toBe('pass [hidden]');
    expect(sanitize('\u001b[1mpass\u001b[0m hunter2', page)).toBe('\u001b[1mpass\u001b[0m [hidden]');
  });
});

describe('a long known secret that is broken', () => {
  const opaque = 'opaque-T0ken-0123456789abcdefghijklmnopqrstuvwxyz-0123456789abcdefghijklmnopqrstuvwxyz-0123456789';
  const jwt = `eyJhbGciOiJSUzI1NiJ9.${'eyJzdWIiOiJrbm93biJ9'.repeat(5)}.${'c2lnbmF0dXJl-'.repeat(9)}`;
  const known = new KnownSecrets();
  known.add(opaque, jwt);
  const broken = (secret: string, width: number, gap: string) =>
    secret.match(new RegExp(`.{1,${width}}`, 'g'))?.join(gap) ?? '';

  const gaps = ['\n', '\r\n', '\n    ', ' ', '\t', '\u200b', '\u2060', '\u00ad', '\ufeff', '\u0000', '\u001b[0m'];

  test.each(gaps)('by %j is hidden as a whole, also in JSON', (gap) => {
    for (const secret of [opaque, jwt]) {
      for (const width of [1, 20, 60, 76]) {
        const text = `before ${broken(secret, width, gap)}\nafter`;
        expect(redact(text, known)).toBe('before [hidden]\nafter');
        expect(JSON.parse(redactedJson({ text }, known)).text).toBe('before [hidden]\nafter');
        expect(redact(JSON.stringify({ text }), known)).toBe('{"text":"before [hidden]\\nafter"}');
        for (const colored of [true, false]) {
          const safe = sanitize(text, { colored, githubActions: false, secrets: known });
          expect(safe).toBe('before [hidden]\nafter');
        }
      }
    }
  });

  test('in several places is hidden in all of them, with what is between them left as it is', () => {
    const text = `a\n${broken(opaque, 60, '\n')} \u200b b\t${opaque} c\r\n${broken(jwt, 76, '\r\n')}`;
    expect(redact(text, known)).toBe('a\n[hidden] \u200b b\t[hidden] c\r\n[hidden]');
  });

  test('in base64 is hidden', () => {
    const text = broken(Buffer.from(opaque).toString('base64'), 76, '\n');
    expect(redact(text, known)).not.toMatch(/\w{8}\n\w{8}/);
  });

  test('into the parts of a JWT is hidden, but for its first part', () => {
    const [head, payload = '', signature = ''] = jwt.split('.');
    expect(redact(`${signature} of ${payload}`, known)).toBe('[hidden] of [hidden]');
    expect(redact(`head ${head}`, known)).toBe(`head ${head}`);
  });

  test('by other text is not hidden', () => {
    const text = 'opaque-T0ken-0123456789\nabcdefg hij';
    expect(redact(text, known)).toBe(text);
  });
});

const hex = '5165dead8899aabb'.repeat(4);

test.each([
  ['X-Amz-Signature=5165dead\n8899aabb', 'X-Amz-Signature=[hidden]'],
  ['X-Amz-Signature=\n8899aabb', 'X-Amz-Signature=[hidden]'],
  ['X-Amz-Signature=5165dead\r\n  8899aabb&x=1', 'X-Amz-Signature=[hidden]&x=1'],
  ['X-Amz-Signature=5165dead\n8899aabb\n77665544\nfailed', 'X-Amz-Signature=[hidden]\nfailed'],
  ['https://s3/x?X-Amz-Signature=5165dead\n8899aabb"', 'https://s3/x?[hidden]"'],
  ['https://s3/x?a=1&sig=aB3%2\nFcD4eF5%3D\n(no)', 'https://s3/x?[hidden]\n(no)'],
  ['https://s3/x?X-Amz-Algorithm=A&X-Amz-Cre\ndential=AKIA%2F1&X-Amz-Sign\nature=5165dead', 'https://s3/x?[hidden]'],
  ['https://s3/x?X-Amz-Signature=5165dead\nhttps://docs', 'https://s3/x?[hidden]\nhttps://docs'],
  [
    'https://s3/x?X-Amz-Algorithm=A&X-Amz-Cre dential=AKIA%2F1&X-Amz-Sign\tature=1&b=2 now',
    'https://s3/x?[hidden] now',
  ],
  [`https://s3/x?X-Amz-Signature=5165 ${hex} now`, 'https://s3/x?[hidden] now'],
  ['https://s3/x?X-Amz-Signature=5165 status=403 id=8899', 'https://s3/x?[hidden] status=403 id=8899'],
  ['X-Amz-Signature=5165dead\nrequest 8899aabb', 'X-Amz-Signature=[hidden]\nrequest 8899aabb'],
])('%j is hidden across a line break or blank', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  [`the signature was ${hex}.`, 'the signature was [hidden].'],
  [`signature "${hex}" is wrong`, 'signature "[hidden]" is wrong'],
  [`the signature was ${hex.slice(0, 40)}\n${hex.slice(40)} now`, 'the signature was [hidden] now'],
  [`the signature was ${hex.slice(0, 40)}\n${hex.slice(40)}.`, 'the signature was [hidden]'],
  ['Signature: aGVsbG8gd29ybGQgMTIzNDU2Nzg5MA==', 'Signature: [hidden]'],
  ['<SignatureProvided>abc123def</SignatureProvided>', '<SignatureProvided>[hidden]</SignatureProvided>'],
  [`<StringToSign>AWS4\n20260101\n${hex}</StringToSign>`, '<StringToSign>[hidden]</StringToSign>'],
])('hides the signature in %j', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  `the digest was ${hex}`,
  'signature_verification_failed_for_this_request',
  'the signature of src/contract/service-accounts/list2 is wrong',
  'the signature scheme elliptic-curve-with-a-small-key is unknown',
  'the signature SIGNATURE_VERSION_4_OF_THE_REQUEST is missing',
  'the signature failed: SignatureDoesNotMatchTheRequestThatWasSent',
])('hides nothing in %s', (text) => {
  expect(redact(text)).toBe(text);
});

describe('JSON', () => {
  const known = new KnownSecrets();
  known.add('very-secret-value');

  test('has no secret in a value or a name, at any depth', () => {
    const value = {
      'very-secret-value': [{ a: signed, b: { c: `Bearer\n${token}` } }],
      when: new Date(0),
      n: undefined,
    };
    expect(JSON.parse(redactedJson(value, known))).toEqual({
      '[hidden]': [{ a: 'https://s3.test/b/k?[hidden]', b: { c: 'Bearer\n[token]' } }],
      when: '1970-01-01T00:00:00.000Z',
    });
  });

  test('keeps a field called __proto__', () => {
    const value = JSON.parse('{"__proto__": {"a": "very-secret-value"}, "b": 1}');
    expect(redactedJson(value, known)).toBe('{"__proto__":{"a":"[hidden]"},"b":1}');
  });

  test('may be nested deeper than the stack', () => {
    const text = `${'[{"a":'.repeat(50_000)}"very-secret-value"${'}]'.repeat(50_000)}`;
    const value = JSON.parse(text);
    expect(stringifyJson(value, 2)).toBe(text);
    expect(stringifyJson({ toJSON: () => [value, { toJSON: 1 }] })).toBe(`[${text},{"toJSON":1}]`);
    expect(redactedJson(value, known, 2)).toBe(text.replace('very-secret-value', '[hidden]'));
  });

  test('equals that of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const nested = JSON.parse(`${'['.repeat(20_000)}${JSON.stringify(value)}${']'.repeat(20_000)}`);
        expect(stringifyJson(nested)).toBe(`${'['.repeat(20_000)}${JSON.stringify(value)}${']'.repeat(20_000)}`);
      }),
      { numRuns: 20 },
    );
  });
});

test('redacting twice changes nothing', () => {
  const parts = ['eyJ', '.', 'a', ' ', 'Bearer ', 'Basic ', 'token=', '?', 'sig='];
  const signs = ['%3F', '"', '&', 'https://', ':', '@'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts, ...signs), { maxLength: 30 }), (chosen) => {
      const once = redact(chosen.join(''));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 2_000, examples: [[['?', 'sig=', 'Basic ', '&', 'token=', '&', 'token=', 'https://']]] },
  );
});
