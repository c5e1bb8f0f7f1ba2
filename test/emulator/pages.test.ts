import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chartPage } from '../../src/kernel/output/chart-page/chart-page.ts';
import { browsing, chromiumPath } from '../support/browser.ts';
import { newFolder } from '../support/files.ts';
import { type Closing, onceForAll, platform } from './support/platform.ts';

const longName = 'an-app-with-a-name-that-takes-more-than-a-line-of-a-small-screen';
const longPath = '/a-function-with-a-long-name/and-more/segments?with=a-query&of=some-length';
const json = { 'content-type': 'application/json' };

/** The addresses of all kinds of pages that gantry serves or writes. */
async function everyPage(closing: Closing): Promise<Record<string, string>> {
  const { emulator, ask, deploy } = await platform({ seed: 1 }, closing);
  await deploy({ name: longName });
  await ask('POST', '/apps', { name: 'building' });
  const { url, project, dashboardUrl, approvalAddress, approvalSecret } = emulator;
  const call = (path: string) => fetch(`${url}/v4/${project}/${path}`, { method: 'POST', headers: json, body: '{}' });
  const { headers } = await call(longName + longPath);
  await call('building/run');
  const begun = await fetch(`${url}/device-authorization`, { method: 'POST', headers: json, body: '{}' });
  const login = Object(await begun.json()).deviceAuthResponsePayload;
  const of = (path: string) => dashboardUrl.replace('?', `${path}?`);
  const run = headers.get('x-request-id');
  const approved = await fetch(`${url}/activate`, {
    method: 'POST',
    body: new URLSearchParams({ secret: approvalSecret, user_code: login.user_code }),
  });
  const folder = newFolder();
  const written = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return pathToFileURL(file).href;
  };
  const report = chartPage(`Runs of ${longName}`, {
    summary: ['603 requests, 11 failed'],
    rows: [1, 2],
    columns: { TIME: (row: number) => row },
    chart: {
      times: [0, 3_600_000],
      step: 'hour',
      zone: 'UTC',
      panels: [{ title: 'requests', kind: 'bars', unit: 'count', series: [{ name: 'requests', values: [1, 2] }] }],
    },
  });
  return {
    project: dashboardUrl,
    app: of(`/apps/${project}-web`),
    'an app with a long name': of(`/apps/${project}-${longName}`),
    'an app that is built': of(`/apps/${project}-building`),
    'a run': of(`/apps/${project}-${longName}/runs/${run}`),
    'no app': of('/apps/nothing'),
    'no access': dashboardUrl.replace(/\?.*/, ''),
    login: approvalAddress,
    'an unknown code': `${url}/activate?user_code=XXXX-XXXX`,
    'logged in': await written('logged-in.html', await approved.text()),
    'a report': await written('report.html', report.body),
  };
}

describe.skipIf(!chromiumPath)('every page', () => {
  const open = browsing();
  const pages = onceForAll(everyPage);

  test('has the name of the product, colors for light and dark, and fits, without errors or requests elsewhere', async () => {
    const { page, errors, origins } = await open({ colorScheme: 'light', viewport: { width: 1280, height: 900 } });
    for (const [name, address] of Object.entries(pages())) {
      await page.goto(address);
      const found = await page.evaluate(`({
        title: document.title,
        product: document.querySelector('nav').innerText.split('\\n')[0].trim(),
        viewport: document.querySelector('meta[name=viewport]')?.content,
        background: getComputedStyle(document.body).backgroundColor,
        font: getComputedStyle(document.body).fontFamily,
      })`);
      expect([name, found]).toEqual([
        name,
        {
          title: expect.stringMatching(/\S - gantry( emulator)?$/),
          product: expect.stringMatching(/^gantry/),
          viewport: 'width=device-width, initial-scale=1',
          background: 'rgb(246, 247, 249)',
          font: 'system-ui, "Segoe UI", sans-serif',
        },
      ]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 19, 23)');
      await page.emulateMedia({ colorScheme: 'light' });
      for (const width of [420, 1280, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await expect
          .poll(() => page.evaluate(faults), { message: `${name}, ${width}` })
          .toEqual({ wide: [], cut: [], broken: [] });
      }
    }
    expect(origins).toEqual(new Set(Object.values(pages()).map((address) => new URL(address).origin)));
    expect(errors.filter((text) => !/status of 40[34]|favicon/.test(text))).toEqual([]);
  });

  test('filters its rows, keeps the filter when it is shown anew, and copies an address', async () => {
    const page = await opened(420);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(pages().project ?? '');
    const filter = page.locator('#apps').getByLabel('Filter');
    await filter.fill('night ready');
    expect(await page.locator('#apps tbody tr:visible').count()).toBe(1);
    await page.getByRole('link', { name: 'Refresh' }).click();
    expect(await page.locator('#apps tbody tr:visible').count()).toBe(1);
    await filter.fill('');
    expect(await page.locator('#apps tbody tr:visible').count()).toBe(5);
    await page.goto(pages().app ?? '');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const address = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v4\/p-12345678\/web$/);
    await page.getByRole('link', { name: 'p-12345678' }).click();
    expect(await page.locator('h1').innerText()).toBe('Apps of p-12345678');
  });

  test('shows itself anew while nobody types or reads a part of it', async () => {
    const { 'an app that is built': built = '' } = pages();
    const page = await opened(1280);
    const reads: string[] = [];
    page.on('framenavigated', (frame) => reads.push(frame.url()));
    await page.clock.install();
    await page.goto(built);
    await expect.poll(() => reads.length).toBe(2);
    await page.getByLabel('Filter').first().fill('nothing');
    const before = reads.length;
    await page.clock.runFor(10_000);
    expect([reads.length - before, await page.getByLabel('Filter').first().inputValue()]).toEqual([0, 'nothing']);
  });

  const opened = async (width: number) => (await open({ colorScheme: 'light', viewport: { width, height: 900 } })).page;
});

/**
 * What leaves the page at its right, what has more text than place, and words on two lines. A box that scrolls may have more
 * than it shows; ids are broken after a sign.
 */
const faults = `(() => {
  const scrolls = (each) => each.closest('.scroll, pre, input');
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const all = [...document.body.querySelectorAll('*')].filter((each) => each.checkVisibility());
  const broken = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z0-9]+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  const name = (each) => each.tagName + ' ' + each.textContent.trim().slice(0, 40);
  return {
    wide: all.filter((each) => !scrolls(each) && each.getBoundingClientRect().right > innerWidth).map(name),
    cut: all.filter((each) => !scrolls(each) && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1).map(name),
    broken,
  };
})()`;
