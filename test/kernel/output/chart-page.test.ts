import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type ChartReport, panelOf } from '../../../src/kernel/output/chart/model.ts';
import { chartPage } from '../../../src/kernel/output/chart-page/chart-page.ts';
import { browsing, chromiumPath } from '../../support/browser.ts';
import { newFolder } from '../../support/files.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 20, 12);
const steps = Array.from({ length: 25 }, (_, index) => index);

const runtime = (factor: number) => steps.map((step) => (step === 5 ? null : (250 + step * 10) * factor));

interface Row {
  time: string;
  requests: number;
}

const report: ChartReport<Row> = {
  summary: ['603 requests, 11 failed', '2026-11-20 12:00 to 2026-11-21 12:00, Europe/Berlin'],
  chart: {
    times: steps.map((step) => noon + step * hour),
    step: 'hour',
    zone: 'Europe/Berlin',
    panels: [
      panelOf('requests', 'bars', 'count', {
        requests: steps.map((step) => 20 + step),
        failed: steps.map((step) => (step === 12 ? 9 : 0)),
      }),
      panelOf('runtime', 'lines', 'ms', { p50: runtime(1), p90: runtime(2), p99: runtime(40) }),
    ],
  },
  rows: [{ time: '2026-11-20 13:00', requests: 20 }],
  columns: { TIME: ({ time }) => time, REQUESTS: ({ requests }) => requests },
};

test('text is escaped', () => {
  const hostile = '</script><img src=x onerror=alert(1)>"\'&\u001b]0;title\u0007';
  const { body: page } = chartPage(hostile, {
    summary: [hostile],
    columns: { [hostile]: () => hostile },
    rows: [1],
    chart: { ...report.chart, step: hostile },
  });
  expect(page).not.toContain('<img');
  expect(page).not.toContain('\u001b');
  expect(page.match(/<\/script>/g)).toHaveLength(4);
});

const title = chromiumPath
  ? 'in a browser'
  : 'in a browser (there is none: neither $CHROMIUM nor chromium on the PATH)';

describe.skipIf(!chromiumPath)(title, () => {
  const open = browsing();

  test('the page draws all charts, without requests and errors', async () => {
    const { page, complaints, requests } = await opened(report);
    expect(await page.locator('canvas').count()).toBe(2);
    for (const index of [0, 1]) expect(await colors(page, index)).toBeGreaterThan(3);
    expect(await page.title()).toBe('Runs of web - gantry');
    expect(complaints).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test('pointing at a chart shows the values of that step in all charts', async () => {
    const { page } = await opened(report);
    await pointAt(page, 12.9 / 25);
    const legends = await page.locator('.u-legend').allInnerTexts();
    expect(legends[0]?.replace(/\s+/g, ' ')).toMatch(/2026-11-21 01:00 ?requests ?32 ?failed ?9/);
    expect(legends[1]?.replace(/\s+/g, ' ')).toMatch(/2026-11-21 01:00 ?p50 ?370 ms ?p90 ?740 ms ?p99 ?14\.8 s/);
  });

  test('cores and GB have fractions, on the axis and in the legend', async () => {
    const panels = (['cores', 'GB'] as const).map((unit, index) =>
      panelOf(unit, 'lines', unit, { Max: steps.map((step) => (0.034 + step / 1000) * (1 + 100 * index)) }),
    );
    const { page, complaints } = await opened({ ...report, chart: { ...report.chart, panels } });
    await pointAt(page, 12.9 / 25);
    const legends = await page.locator('.u-legend').allInnerTexts();
    expect(legends.map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringMatching(/Max ?0\.046$/),
      expect.stringMatching(/Max ?4\.65$/),
    ]);
    expect(complaints).toEqual([]);
  });

  test('dragging zooms all charts, and a button resets them', async () => {
    const { page } = await opened(report);
    const back = page.getByRole('button', { name: 'Reset zoom' });
    expect(await back.count()).toBe(0);
    await pointAt(page, 0.25);
    await page.mouse.down();
    await pointAt(page, 0.5, { steps: 5 });
    await page.mouse.up();
    expect(await back.count()).toBe(2);
    await back.first().click();
    expect(await back.count()).toBe(0);
  });

  test('the page follows the preference for dark colors, also when it changes', async () => {
    const { page } = await opened(report, { colorScheme: 'dark' });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(16, 19, 23)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe('rgb(246, 247, 249)');
    expect(await page.locator('canvas').count()).toBe(2);
  });

  test('nothing is clipped at any width', async () => {
    const { page } = await opened(report);
    await page.locator('summary').click();
    for (const width of [1400, 380, 300]) {
      await page.setViewportSize({ width, height: 800 });
      // The charts follow the window a moment later.
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.getByRole('cell', { name: '2026-11-20 13:00' }).isVisible()).toBe(true);
    }
  });

  test('a chart without data says so', async () => {
    const nothing = { ...report.chart, panels: report.chart.panels.map(emptied) };
    const { page, complaints } = await opened({ ...report, chart: nothing });
    expect(await page.getByText('No data in this time range.').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('10,000 points are drawn', async () => {
    const times = Array.from({ length: 10_000 }, (_, index) => noon + index * 60_000);
    const panels = report.chart.panels.map((panel) => ({
      ...panel,
      series: panel.series.map(({ name }) => ({ name, values: times.map((_, index) => (index % 97) + 1) })),
    }));
    const { page, complaints } = await opened({ ...report, chart: { ...report.chart, times, panels } });
    expect(await colors(page, 1)).toBeGreaterThan(3);
    expect(complaints).toEqual([]);
  });

  test('without JavaScript the page shows the numbers', async () => {
    const { page } = await opened(report, { javaScriptEnabled: false });
    await page.locator('summary').click();
    expect(await page.getByRole('cell', { name: '2026-11-20 13:00' }).isVisible()).toBe(true);
  });

  /** Opens the page; what it would load but itself is refused, and counted. */
  async function opened(asked: ChartReport<Row>, options: BrowserContextOptions = {}, title = 'Runs of web') {
    const file = join(newFolder({ 'chart.html': chartPage(title, asked).body }), 'chart.html');
    const { page, errors: complaints } = await open({ timezoneId: 'Asia/Tokyo', ...options });
    const requests: string[] = [];
    const address = pathToFileURL(file).href;
    await page.route('**', (route) => {
      requests.push(route.request().url());
      return route.request().url() === address ? route.continue() : route.abort();
    });
    await page.goto(address);
    return { page, complaints, requests };
  }
});

function emptied(panel: ChartReport<Row>['chart']['panels'][number]) {
  return { ...panel, series: panel.series.map(({ name }) => ({ name, values: steps.map(() => null) })) };
}

/** Moves the mouse over the first chart, so far from its left edge. */
async function pointAt(page: Page, share: number, options: { steps?: number } = {}): Promise<void> {
  const box = await page.locator('.u-over').first().boundingBox();
  if (!box) throw new Error('there is no chart');
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2, options);
  await page.waitForFunction("document.querySelector('.u-legend .u-value').textContent !== ''");
}

/** How many colours there are on a canvas. */
function colors(page: Page, index: number): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelectorAll('canvas')[${index}];
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })()`);
}
