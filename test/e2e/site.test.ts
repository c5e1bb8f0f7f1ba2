import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath, startBrowser } from '../support/browser.ts';

const folder = 'site/dist';
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };
const missing = [chromiumPath ? '' : 'no Chromium here', existsSync(folder) ? '' : 'npm run site was not run'];
const lacks = missing.filter(Boolean).join(', ');

/** Any server of files will do. */
async function served(): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = new URL(url, 'http://site').pathname.replace(/\/$/, '/index.html');
    const text = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(text ? 200 : 404, { 'content-type': types[extname(path)] ?? 'text/html' }).end(text);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.skipIf(lacks)(
  `the site leads from its start to a page, and its search to that of a command${lacks && ` (${lacks})`}`,
  async () => {
    const url = await served();
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    page.on('request', (request) => void (request.url().startsWith(url) || elsewhere.push(request.url())));
    await page.goto(url);
    await page.locator('main').getByRole('link', { name: 'Send images' }).click();
    await page.getByRole('heading', { level: 1, name: 'Send images' }).waitFor();
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('rollback');
    const found = (title: string) => page.locator('.results a').filter({ hasText: title }).first();
    await found('Go back to an earlier build').waitFor();
    await found('gantry rollback').click();
    await page.getByRole('heading', { level: 1, name: 'gantry rollback' }).waitFor();
    expect(await page.getByRole('table').first().textContent()).toContain('build id');
    expect(elsewhere).toEqual([]);
  },
);
