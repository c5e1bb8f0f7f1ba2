import { describe, expect, test } from 'vitest';
import { CapturedBody } from '../../src/emulator/http/buffered-body.ts';
import { InspectedCalls } from '../../src/emulator/model/inspected-calls.ts';
import { redact } from '../../src/kernel/output/redact.ts';
import { browsing, chromiumPath } from '../support/browser.ts';
import { platform } from './support/platform.ts';
import { python } from './support/running.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&</textarea><script>';
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
    const answer = await fetch(url, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, text: (await answer.text()).replaceAll('<wbr>', '') };
  };
  const of = (run: string, more = '') => emulator.callsUrl.replace('?', `/${run}${more}?`);
  /** Sends the form of a call; with no fields, as it was. Returns the page of the new call, or of what is wrong. */
  const send = async (run: string, form: Record<string, string> = {}) => {
    const sent = await page(of(run, '/send'), { method: 'POST', body: new URLSearchParams(form) });
    const location = sent.headers.get('location');
    return location === null ? sent : page(emulator.url + location);
  };
  return { ...speaking, call, page, of, send };
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
    const calls = new InspectedCalls();
    const call = { app: 'p-web', method: 'POST', path: '/run', headers: {}, body: new CapturedBody() };
    for (let index = 0; index <= 200; index += 1) calls.add({ ...call, run: `run-${index}` });
    expect([calls.list().length, calls.get('run-0'), calls.list()[0]?.run]).toEqual([200, undefined, 'run-200']);
  });

  test('escapes what callers and apps wrote', async () => {
    const { call, page, of } = await inspected();
    const run = await call(JSON.stringify({ name: hostile }), `/${encodeURIComponent(hostile)}`);
    const { text, headers } = await page(of(run));
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/<img|<\/textarea>[^<]*<script/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+';.*form-action 'self'/,
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

describe('a call is sent again', () => {
  test('as it was, with the secrets that the page hides', async () => {
    const { call, send, emulator } = await inspected();
    const body = '{"key":"s3cret",\r\n"n":1}';
    const run = await call(body, '/run?a=s3cret', { ...json, 'x-key': 's3cret' });
    const { text } = await send(run);
    expect(shown(text)).toMatch(new RegExp(`Sends <a href="[^"]+">run ${run.slice(0, 8)}</a> again`));
    const [before, after] = emulator.calls.filter(({ path }) => path.startsWith('/v4/'));
    expect(after).toMatchObject({ path: before?.path, body: before?.body, query: before?.query });
  });

  test('edited: what is not edited is as it was, and line ends stay', async () => {
    const { call, send, page, of, emulator } = await inspected();
    const run = await call('{"n":1,\n"m":2}', '/run', { ...json, 'x-key': 's3cret', 'x-more': '1' });
    const head = `content-type: application/json\r\nx-key: [hidden]\r\nx-more: 2`;
    const edited = await send(run, { method: 'POST', path: '/other', head, body: '{"n":2,\r\n"m":2}' });
    const [, again = ''] = /, run ([\w-]+)</.exec(edited.text) ?? [];
    expect(shown((await page(of(again))).text)).toContain('{"n":2,\n"m":2}');
    expect(edited.text).toContain('<bdi>POST /other</bdi>');
    expect(edited.text).toContain('x-more: 2');
    expect(edited.text).not.toContain('x-gantry');
    expect(emulator.calls.at(-1)).toBeDefined();
  });

  test.each([
    [{ body: '{"key":"[hidden]","n":2}' }, 'Type the value where the text has [hidden]'],
    [{ head: 'x-key: [hidden]' }, 'Type the value'],
    [{ path: '/other?a=[hidden]' }, 'Type the value'],
    [{ path: 'other' }, 'The path must begin with /'],
    [{ path: '/a b' }, 'no spaces'],
    [{ path: '/a\r\nx: y' }, 'no spaces'],
    [{ method: 'post it' }, 'The method must be a word'],
    [{ head: 'no header' }, 'A header is one line'],
  ])('is not sent if %j is wrong', async (form, problem) => {
    const { call, send, emulator } = await inspected();
    const run = await call('{"key":"s3cret"}', '/run?a=s3cret');
    const { status, text } = await send(run, form);
    expect([status, shown(text)]).toEqual([400, expect.stringContaining(problem)]);
    expect(emulator.calls.filter(({ path }) => path.startsWith('/v4/'))).toHaveLength(1);
  });

  test('is not possible if its body was cut, and the page says so', async () => {
    const { call, send, page, of } = await inspected();
    const run = await call(JSON.stringify({ text: 'x'.repeat(100_000) }));
    const { text } = await page(of(run));
    expect(text).toContain('The first 65536 of 100011 bytes.');
    expect(text).not.toContain('<form');
    expect((await send(run)).status).toBe(400);
  });

  test('of bytes that are not text sends the same bytes', async () => {
    const { call, send } = await inspected();
    const run = await call(new Uint8Array([0, 255, 1]), '/run', {});
    const { text } = await send(run, { method: 'POST', path: '/run' });
    expect(text).toContain('3 bytes that are not text');
  });

  test('says how the emulator refused it', async () => {
    const { call, send } = await inspected();
    const run = await call('{}');
    const { text } = await send(run, { path: '/run?webhookEndpoint=nothing' });
    expect(shown(text)).toContain('It was not accepted: 400');
  });
});

describe('nobody else', () => {
  test('sees or sends calls with the key of the dashboard, or with none', async () => {
    const { call, page, of, emulator } = await inspected();
    const run = await call('{"name":"Ada"}');
    const key = new URL(emulator.dashboardUrl).search;
    for (const search of [key, key.replace('view', 'calls'), '?calls=', '']) {
      for (const [url, method] of [
        [emulator.callsUrl, 'GET'],
        [of(run), 'GET'],
        [of(run, '/send'), 'POST'],
      ] as const) {
        const { status, text } = await page(url.replace(/\?.*/, search), { method });
        expect([status, text]).toEqual([403, expect.stringContaining('No access')]);
      }
    }
    const foreign = { method: 'POST', headers: { origin: 'https://evil.example' } };
    expect((await page(of(run, '/send'), foreign)).status).toBe(403);
    expect((await page(of(run, '/send'))).status).toBe(405);
  });
});

describe.skipIf(!chromiumPath)('in a browser', () => {
  const open = browsing();

  test.each(['light', 'dark'] as const)(
    'a call is edited and sent in %s colors, without errors',
    async (colorScheme) => {
      const { call, emulator } = await inspected();
      await call(JSON.stringify({ name: hostile, key: 's3cret' }, undefined, 2), '/run?a=1', {
        ...json,
        authorization: 'Bearer s3cret',
      });
      const { page, errors, origins } = await open({ colorScheme, viewport: { width: 420, height: 900 } });
      await page.goto(emulator.callsUrl);
      await page.locator('tbody a').first().click();
      await page.getByText('Edit and send').click();
      expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.getByLabel('Body').fill('{"name":\n"Grace"}');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Sends run').waitFor();
      expect(await page.locator('pre').nth(1).textContent()).toBe('{"name":\n"Grace"}');
      await page.getByRole('button', { name: 'Send as it was' }).click();
      await page.getByRole('link', { name: 'All calls' }).click();
      expect(await page.locator('tbody tr').count()).toBe(3);
      expect(origins).toEqual(new Set([emulator.url]));
      expect(errors.filter((text) => !/favicon/.test(text))).toEqual([]);
    },
  );
});
