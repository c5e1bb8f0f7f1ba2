import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Where Chromium is on this machine: $CHROMIUM, or on the PATH. */
export const chromiumPath = [
  process.env.CHROMIUM ?? '',
  ...(process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name))),
].find((path) => path !== '' && existsSync(path));

/** A browser without a window that calls nobody on its own. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

/** One for all tests of a block: opens pages that are closed after the test, with what they complain of and whom they ask. */
export function browsing(): (options?: BrowserContextOptions) => ReturnType<typeof opened> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return (options) => opened(browser, options);
}

async function opened(browser: Browser, options?: BrowserContextOptions) {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => message.type() !== 'log' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { page, errors, origins };
}
