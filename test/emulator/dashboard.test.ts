import { describe, expect, test } from 'vitest';
import { platform } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { python } from './support/running.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&\u001b[31mred\u001b]0;title\u0007';

/** A seeded project with a deployed app of this name. */
async function deployed(name = 'mine', settings: object = {}, options: object = {}) {
  const speaking = await platform({ seed: 1, ...options });
  const created = (await speaking.ask('POST', '/apps', { name, ...settings })).json;
  const address: string = created.dashboardUrl;
  const page = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    return { status: answer.status, headers: answer.headers, text: (await answer.text()).replaceAll('<wbr>', '') };
  };
  const { origin, search } = new URL(address);
  const of = (path: string) => `${origin}/projects/${speaking.emulator.project}${path}${search}`;
  return { ...speaking, created, address, page, of };
}

describe('the page at the address that deploy prints', () => {
  test('shows the app, its builds and the log of the build', async () => {
    const { address, page, created, emulator, put } = await deployed();
    expect((await page(address)).text).toContain('http-equiv="refresh"');
    const { zip } = await import('./support/zip.ts');
    await put(created.uploadUrl, zip({ 'main.py': 'print(1)\n' }));
    const { status, headers, text } = await page(address);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1><bdi>mine</bdi></h1>');
    expect(text).toContain(`Log of build ${created.buildId.slice(0, 8)}`);
    expect(text).toContain('<span class="good">succeeded</span>');
    expect(text).toContain(`${emulator.url}/v4/${emulator.project}/mine`);
    expect(text).not.toContain('http-equiv="refresh"');
  });

  test('shows the runs of the last 24 hours, and links to the other apps', async () => {
    const { page, of, emulator } = await deployed();
    const { text } = await page(of(`/apps/${emulator.project}-web`));
    expect(text).toMatch(/<p>\d{3} runs in the last 24 hours, \d+ failed<\/p>/);
    const all = await page(of(''));
    expect(all.text).toMatch(
      /web<\/bdi><\/a><\/td><td data-name="Status"><span class="good">ready<\/span><\/td><td [^>]+>[^<]+<\/td><td data-name="Runs">\d{3}<\/td>/,
    );
    const links = [...all.text.matchAll(/href="(\/[^"]+)"/g)].map(([, href = '']) => href.replaceAll('&#38;', '&'));
    expect(links).toHaveLength(4);
    for (const link of links) expect((await page(emulator.url + link)).status).toBe(200);
  });

  test('leads to each of the last runs, with what it printed', async () => {
    const { page, of, emulator } = await deployed();
    const app = `${emulator.project}-web`;
    const { text } = await page(of(`/apps/${app}`));
    const [address = ''] = /\/projects\/[^"]+\/runs\/[^"]+/.exec(text) ?? [];
    const run = await page(emulator.url + address);
    expect(run.status).toBe(200);
    expect(run.text).toMatch(/<dt>runtime<\/dt><dd>[\d.]+ m?s<\/dd>[\s\S]*<h2>Log<\/h2>[\s\S]*<pre [^>]+><span>/);
    expect((await page(of(`/apps/${app}/runs/nothing`))).status).toBe(404);
    expect(
      (await page(of(`/apps/${emulator.project}-mine${address.replace(/.*(\/runs\/[^?]+).*/, '$1')}`))).status,
    ).toBe(404);
  });

  test('escapes names, messages and logs', async () => {
    const { address, page, emulator, created } = await deployed('<b>x "y"');
    const build = emulator.store.builds.get(created.buildId);
    if (!build) throw new Error('no build');
    Object.assign(build, {
      startedAt: 1,
      script: { scenes: [{ status: 'building', lines: [hostile] }], end: { status: 'build_failure', reason: hostile } },
    });
    const { text } = await page(address);
    expect(text).not.toMatch(/<img|<b>|\u001b|\u0007/);
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;');
  });

  test('has no forms, cookies, or scripts but its own, and forbids them', async () => {
    const { address, page } = await deployed('<script>alert(1)');
    const { headers, text } = await page(address);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect([headers.get('set-cookie'), headers.get('referrer-policy')]).toEqual([null, 'no-referrer']);
    const markup = text.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '');
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(markup).not.toMatch(/<form|style=| on\w+=|https?:\/\/(?!127\.0\.0\.1)/);
  });
});

describe('nobody else', () => {
  test.each([
    ['no key', (url: string) => url.replace(/\?.*/, '')],
    ['another key', (url: string) => url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['an empty key', (url: string) => url.replace(/=.*/, '=')],
    ['the key of another project', (url: string) => url.replace('/projects/p-12345678', '/projects/p-other')],
  ])('sees anything with %s', async (_, change) => {
    const { address, page } = await deployed();
    const { status, text } = await page(change(address));
    expect([status, text]).toEqual([403, expect.stringContaining('No access')]);
    expect(text).not.toContain('mine');
  });

  test('sees anything by another host name or from another web page', async () => {
    const { address } = await deployed();
    const { host, pathname, search } = new URL(address);
    const ask = (...lines: string[]) =>
      sendRaw(address, [`GET ${pathname}${search} HTTP/1.1`, ...lines, 'Connection: close']);
    expect((await ask(`Host: ${host}`)).status).toBe(200);
    expect((await ask('Host: evil.example')).status).toBe(421);
    expect((await ask(`Host: ${host}`, 'Origin: https://evil.example')).status).toBe(403);
    expect((await ask(`Host: ${host}`, 'Sec-Fetch-Site: cross-site')).status).toBe(403);
  });

  test('can use the key of a page as a token, to approve a login, or to change anything', async () => {
    const { address, page, emulator } = await deployed();
    const key = new URL(address).searchParams.get('view') ?? '';
    expect(emulator.approvalSecret).not.toContain(key);
    expect(JSON.stringify(emulator.calls)).not.toContain(key);
    const apps = `${emulator.url}/v2/projects/${emulator.project}/apps?view=${key}`;
    expect((await page(apps, { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
    expect((await page(address, { method: 'POST' })).status).toBe(405);
  });
});

test('the project has a page whose address the emulator knows', async () => {
  const { emulator, page } = await deployed();
  await expect(page(emulator.dashboardUrl)).toAnswer(200, `Apps of ${emulator.project}`);
});

test('an app or a build that does not exist is not found', async () => {
  const { page, of, emulator } = await deployed();
  expect((await page(of('/apps/nothing'))).status).toBe(404);
  expect((await page(of(`/apps/${emulator.project}-mine/builds/nothing`))).status).toBe(404);
});

test.skipIf(!python)(
  'a run shows what the app printed, with the traceback, without secrets (needs python3)',
  async () => {
    const hideSecrets = (text: string) => text.replaceAll('s3cret', '[hidden]');
    const { emulator, deploy } = await platform({ real: true, hideSecrets });
    await deploy(
      { name: 'web' },
      { 'main.py': 'def run(n=0):\n    print("s3cret: dividing by", n)\n    return 1 / n\n' },
    );
    const { status, headers } = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, {
      method: 'POST',
      body: '{"n":0}',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${emulator.token}` },
    });
    expect(status).toBe(500);
    const run = headers.get('x-request-id');
    const page = await fetch(emulator.dashboardUrl.replace('?', `/apps/${emulator.project}-web/runs/${run}?`));
    const text = (await page.text()).replaceAll('<wbr>', '');
    expect(text).toContain('<span>[hidden]: dividing by 0\n</span>');
    expect(text).toMatch(/<span class="bad">Traceback [\s\S]+<span class="bad">ZeroDivisionError: division by zero/);
  },
);
