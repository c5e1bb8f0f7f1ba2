import { describe, expect, test } from 'vitest';
import { CapturedBody } from '../../src/emulator/http/captured-body.ts';
import { type InspectedCall, keepCall } from '../../src/emulator/model/inspected-calls.ts';
import { redact } from '../../src/kernel/output/redact.ts';
import { platform } from './support/platform.ts';
import { python } from './support/running.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&</pre><script>';
const json = { 'content-type': 'application/json' };

/** An app whose calls are simulated: a response repeats its request. */
async function inspected(options: object = {}) {
  const hideSecrets = (text: string) => text.replaceAll('s3cret', '[hidden]');
  const speaking = await platform({ hideSecrets, ...options });
  const { emulator, deploy } = speaking;
  await deploy({ name: 'web' });
  const call = async (
    body: string | Uint8Array<ArrayBuffer>,
    path = '/run',
    headers: Record<string, string> = json,
  ) => {
    const response = await fetch(`${emulator.url}/v4/${emulator.project}/web${path}`, {
      method: 'POST',
      body,
      headers,
    });
    await response.arrayBuffer();
    return response.headers.get('x-request-id') ?? '';
  };
  const page = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    return { status: answer.status, headers: answer.headers, text: (await answer.text()).replaceAll('<wbr>', '') };
  };
  const of = (run: string) => emulator.callsUrl.replace('?', `/${run}?`);
  return { ...speaking, call, page, of };
}

/** The text of a page, as a browser shows it. */
function shown(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

describe('the page of calls', () => {
  test('lists the last calls with their times, newest first', async () => {
    const { call, page, emulator } = await inspected();
    await call('{"name":"Ada"}');
    const second = await call('{}', '/other?x=1');
    const { status, text } = await page(emulator.callsUrl);
    expect(status).toBe(200);
    const rows = text.match(/<tr><td .*?<\/tr>/g) ?? [];
    expect(rows).toHaveLength(2);
    expect(shown(rows[0] ?? '')).toContain(`/calls/${second}?`);
    expect(rows[0]).toContain('POST <bdi>/other?x=1</bdi></a>');
    expect(rows[0]).toMatch(/<span class="good">200<\/span>.*\d+ ms.*\d+ ms.*\d+ ms/);
    expect(text).toContain('The last 200 calls, and 64 KiB of each body.');
  });

  test('hides the headers that let somebody in', async () => {
    const { call, page, of } = await inspected({ hideSecrets: redact });
    const sent = { 'x-auth-token': 'tok-1', cookie: 'session=abc; theme=dark', 'x-trace': 'id-1' };
    const run = await call('{}', '/run', { ...json, ...sent });
    const { text } = await page(of(run));
    for (const line of ['x-auth-token: [hidden]', 'cookie: session=[hidden]; theme=[hidden]', 'x-trace: id-1']) {
      expect(text).toContain(line);
    }
  });

  test('shows what was sent and received, without secrets', async () => {
    const { call, page, of } = await inspected();
    const run = await call('{"key":"s3cret"}', '/run?token=s3cret', { ...json, 'x-key': 's3cret' });
    const { text } = await page(of(run));
    expect(shown(text)).toContain('{"key":"[hidden]"}');
    expect(text).toContain('x-key: [hidden]');
    expect(text).not.toContain('s3cret');
    expect(text.match(/<pre tabindex="0">/g)).toHaveLength(2);
    expect(shown(text)).toMatch(
      /data-copy="curl -g -X POST -H 'content-type: application\/json' [\s\S]*--data-raw '{"key":"\[hidden\]"}' /,
    );
  });

  test('keeps 200 calls', () => {
    const calls = new Map<string, InspectedCall>();
    const call = { app: 'p-web', method: 'POST', path: '/run', headers: {}, body: new CapturedBody() };
    for (let index = 0; index <= 200; index += 1) keepCall(calls, { ...call, run: `run-${index}` });
    expect([calls.size, calls.has('run-0'), calls.has('run-200')]).toEqual([200, false, true]);
  });

  test('escapes what callers and apps wrote', async () => {
    const { call, page, of } = await inspected();
    const run = await call(JSON.stringify({ name: hostile }), `/${encodeURIComponent(hostile)}`);
    const { text, headers } = await page(of(run));
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/<img|<\/pre>[^<]*<script/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+';.*form-action 'none'/,
    );
    expect(text.replace(/<script>[\s\S]*<\/script>|data-copy="[^"]*"/g, '')).not.toMatch(
      /style=|<[^>]* on\w+=|https?:\/\/(?!127\.0\.0\.1)/,
    );
  });
});

test.skipIf(!python)('a call and its run show what the app printed, with the traceback (needs python3)', async () => {
  const { emulator, deploy } = await platform({ real: true });
  await deploy({ name: 'web' }, { 'main.py': 'def run(n=0):\n    print("dividing by", n)\n    return 1 / n\n' });
  const call = { method: 'POST', body: '{"n":0}', headers: { ...json, authorization: `Bearer ${emulator.token}` } };
  const response = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, call);
  expect(response.status).toBe(500);
  const run = response.headers.get('x-request-id');
  for (const address of [
    emulator.callsUrl.replace('?', `/${run}?`),
    emulator.dashboardUrl.replace('?', `/apps/${emulator.project}-web/runs/${run}?`),
  ]) {
    const text = (await (await fetch(address)).text()).replaceAll('<wbr>', '');
    expect(text).toContain('<span>dividing by 0\n</span>');
    expect(shown(text)).toMatch(
      /<span class="bad">Traceback [\s\S]+<span class="bad">ZeroDivisionError: division by zero/,
    );
  }
});

test('a body that was cut, or is no text, is shown as such, without a command that sends it', async () => {
  const { call, page, of } = await inspected();
  const cut = await page(of(await call(JSON.stringify({ text: 'x'.repeat(100_000) }))));
  expect(cut.text).toContain('The first 65536 of 100011 bytes.');
  const bytes = await page(of(await call(new Uint8Array([0, 255, 1]), '/run', {})));
  expect(bytes.text).toContain('3 bytes that are not text');
  for (const { text } of [cut, bytes]) expect(text).not.toContain('data-copy="curl');
});

test('nobody else sees calls with the key of the dashboard, or with none', async () => {
  const { call, page, of, emulator } = await inspected();
  const run = await call('{"name":"Ada"}');
  const key = new URL(emulator.dashboardUrl).search;
  for (const search of [key, key.replace('view', 'calls'), '?calls=', '']) {
    for (const url of [emulator.callsUrl, of(run)]) {
      await expect(page(url.replace(/\?.*/, search))).toAnswer(403, 'No access');
    }
  }
  expect((await page(of(run), { method: 'POST' })).status).toBe(405);
});
