import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chart, type Panel, panelOf } from '../../../src/kernel/output/chart/model.ts';
import { renderChart } from '../../../src/kernel/output/chart/render.ts';
import { createPage } from '../../../src/kernel/output/page.ts';
import { drawnCases } from '../../support/extent.ts';
import { widthOf } from '../../support/width.ts';

const page = (columns?: number, env: Record<string, string> = {}) =>
  createPage({ isTTY: columns !== undefined, columns } as never, { NO_COLOR: '1', ...env }, 'auto', 0);
const ascii = { LANG: 'C' };

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 20, 12);
const hours = (number: number) => Array.from({ length: number }, (_, index) => noon + index * hour);

const requests = (all: (number | null)[], failed: (number | null)[] = all.map(() => 0)) =>
  panelOf('requests', 'bars', 'count', { requests: all, failed });
const times = (p50: (number | null)[], p90 = p50, p99 = p90) => panelOf('runtime', 'lines', 'ms', { p50, p90, p99 });

function chart(panel: Panel, more: Partial<Chart> = {}): Chart {
  return { times: hours(panel.series[0]?.values.length ?? 0), step: 'hour', zone: 'UTC', panels: [panel], ...more };
}

/** As it is drawn, with a line above so that the picture stands straight in the source. */
const drawn = (asked: Chart, on = page(60)) => `\n${renderChart(asked)(on)}\n`;

describe('bars', () => {
  const all = [4, 12, 20, 16, 0, 8, 40, 40];
  const failed = [0, 0, 10, 1, 0, 8, 0, 20];

  test('show the total and the failed part', () => {
    expect(drawn(chart(requests(all, failed)))).toMatchInlineSnapshot(`
      "
      requests per hour, max 40
           40 ┤                                    █████ █████
              │                                    █████ █████
              │                                    █████ █████
           20 ┤            █████ ▃▃▃▃▃             █████ ▒▒▒▒▒
              │      ▆▆▆▆▆ ▒▒▒▒▒ █████       ▒▒▒▒▒ █████ ▒▒▒▒▒
              │▅▅▅▅▅ █████ ▒▒▒▒▒ █████       ▒▒▒▒▒ █████ ▒▒▒▒▒
            0 └┬───────────┬─────×××××─┬───────────┬───────────
               12:00       14:00       16:00       18:00
               █ requests 140   ▒ failed 39
               × failed (too few for a bar)
      "
    `);
  });

  test('are summed if there are more than columns, in round numbers', () => {
    const text = renderChart(chart(requests(Array(168).fill(1), Array(168).fill(0))))(page(80));
    expect(text).toContain('requests per 3 hours, max 3');
    expect(text).toContain('requests 168');
  });
});

describe('lines', () => {
  const p50 = [80, 90, 100, null, 120, 110, 100, 90];
  const p90 = p50.map((ms) => ms && ms * 2);
  const p99 = p50.map((ms) => ms && ms * 3);

  test('have different marks, and gaps where nothing was measured', () => {
    expect(drawn(chart(times(p50, p90, p99)))).toMatchInlineSnapshot(`
      "
      runtime
       400 ms ┤
              │                        ──▲─────▲───
              │            ──▲───                  ──▲───
              │      ──▲───                              ──▲───
              │──▲───                  ──◆─────◆───
       200 ms ┤      ──◆─────◆───                  ──◆─────◆───
              │──◆───
              │      ──●─────●───      ──●─────●─────●─────●───
              │──●───
              │
         0 ms └┬───────────┬───────────┬───────────┬───────────
               12:00       14:00       16:00       18:00
               ● p50: last 90 ms, max 120 ms
               ◆ p90: last 180 ms, max 240 ms
               ▲ p99: last 270 ms, max 360 ms
      "
    `);
  });

  test('have a logarithmic scale if one value would flatten all others', () => {
    const text = drawn(chart(times([100, 120, 90, 110], [200, 240, 180, 220], [300, 60_000, 280, 330])));
    expect(text).toMatchInlineSnapshot(`
      "
      runtime, on a logarithmic scale
           1m ┤        ───▲────
              │
              │
         10 s ┤
              │
              │
        1.0 s ┤
              │───▲───────◆───────▲───────◆────
              │───◆───────●───────◆───────●────
       100 ms ┤───●────        ───●────
        50 ms └┬───────┬───────┬───────┬───────
               12:00   13:00   14:00   15:00
               ● p50: last 110 ms, max 120 ms
               ◆ p90: last 220 ms, max 240 ms
               ▲ p99: last 330 ms, max 1m
      "
    `);
  });

  test('show the maximum of neighbors if there are more than columns', () => {
    const text = renderChart(chart(times([...Array(99).fill(10), 999])))(page(60));
    expect(text).toContain('runtime, maximum of 2 hours');
    expect(text).toContain('max 999 ms');
  });
});

test.each([
  requests([4, 12, 20, 16, 0, 8, 40, 40], [0, 0, 10, 1, 0, 8, 0, 20]),
  times([80, null, 100], [160, 90, 200], [240, 70, 300]),
])('without Unicode, a sign of ASCII stands for each other sign: %j', (panel) => {
  const signs = new Map([...'┤+│|└+┬+─-█#▅#▆#▃.▒x×!●o◆+▲^'.matchAll(/../g)].map(([pair]) => [pair[0], pair[1]]));
  const pictures = [page(60), page(60, ascii)].map((on) => drawn(chart(panel), on));
  expect(pictures[1]).toBe([...(pictures[0] ?? '')].map((sign) => signs.get(sign) ?? sign).join(''));
});

test.each([
  [[0.031, 0.004], '0.04', '0.02', 'max 0.031 cores'],
  [[0.0001], '0.01', '0.005', 'max 0.0001 cores'],
  [[1.2345, 0.5], '1.6', '0.8', 'max 1.23 cores'],
  [[12.5, 3], '16', '8', 'max 12.5 cores'],
])('the axis of %j cores has fractions: up to %s', (values, top, half, most) => {
  const text = drawn(chart(panelOf('CPU', 'lines', 'cores', { Max: values })));
  const labels = [...text.matchAll(/^ *([\d.]+) [┤└]/gm)].map(([, label]) => label);
  expect(labels).toEqual([top, half, '0']);
  expect(text).toContain(most);
});

describe('times below a chart', () => {
  const below = (zone: string, from: number, number: number, stepMs = hour) => {
    const steps = Array.from({ length: number }, (_, index) => from + index * stepMs);
    const lines = renderChart(chart(requests(Array(number).fill(1)), { times: steps, zone }))(page(80)).split('\n');
    return lines[8]
      ?.trim()
      .replace(/ +/g, ' ')
      .replaceAll(/(\w{3}) (\d)/g, '$1-$2');
  };

  test.each([
    ['UTC', noon, 24, hour, '12:00 18:00 Nov-21 06:00'],
    ['Europe/Berlin', noon, 24, hour, '18:00 Nov-21 06:00 12:00'],
    ['Asia/Kolkata', noon + hour / 2, 24, hour, '18:00 Nov-21 06:00 12:00'],
    ['America/New_York', noon, 3, hour, '07:00 08:00 09:00'],
    // The night in which clocks go back: 02:00 comes twice and is written once.
    ['Europe/Berlin', Date.UTC(2026, 9, 24, 20), 12, hour, '22:00 Oct-25 02:00 04:00 06:00 08:00'],
    ['UTC', noon, 30, 24 * hour, 'Nov-26 Dec-3 Dec-10 Dec-17'],
    ['UTC', noon, 1, hour, '12:00'],
  ])('are round local times of %s', (zone, from, number, stepMs, expected) => {
    expect(below(zone, from, number, stepMs)).toBe(expected);
  });
});

test('a chart of any data fits its page', () => {
  const value = fc.option(fc.oneof(fc.nat(1000), fc.double(), fc.constantFrom(0, 1e308, 5e-324, -1)));
  const time = fc.oneof(fc.nat(4e12), fc.double());
  const anyChart = fc
    .tuple(
      fc.constantFrom('bars', 'lines'),
      fc.constantFrom('count', 'ms', 'cores', 'GB'),
      fc.array(fc.tuple(time, value, value, value), { size: 'medium' }),
    )
    .map(([kind, unit, steps]): Chart => {
      const all = [1, 2, 3].map((at) => [`p${at}`, steps.map((step) => step[at] as number | null)]);
      const series = Object.fromEntries(kind === 'bars' ? all.slice(0, 2) : all);
      return {
        times: steps.map(([at]) => at),
        step: 'hour',
        zone: 'Europe/Berlin',
        panels: [panelOf('any', kind as Panel['kind'], unit as Panel['unit'], series)],
      };
    });
  fc.assert(
    fc.property(anyChart, fc.integer({ min: 1, max: 200 }), fc.boolean(), (asked, columns, unicode) => {
      const text = renderChart(asked)(page(columns, unicode ? {} : ascii));
      for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(text).not.toMatch(/NaN|Infinity|undefined|\u001b/);
      if (!unicode) expect(text).toMatch(/^[\n -~]*$/);
    }),
    { numRuns: drawnCases(60, 300) },
  );
});

test('in a pipe a chart has 80 columns', () => {
  const asked = chart(requests([1, 2, 3]));
  expect(renderChart(asked)(page())).toBe(renderChart(asked)(page(80)));
});

test('a bar has the color of its series', () => {
  const asked = chart(requests([4, 12, 20, 16], [0, 0, 10, 1]));
  const colored = renderChart(asked)(createPage({} as never, {}, 'always', 0));
  const painted = [...colored.matchAll(/\u001b\[(\d+)m([^\u001b]*)\u001b\[(\d+)m/g)];
  const glyphsIn = (code: string) => {
    const texts = painted.filter(([, on]) => on === code).map(([, , text = '']) => text);
    return [...new Set(texts.join(''))].sort().join('');
  };
  expect({ red: glyphsIn('31'), cyan: glyphsIn('36') }).toMatchInlineSnapshot(`
    {
      "cyan": "▂▅▆█",
      "red": "×▒",
    }
  `);
});

test.each([5, 8, 12, 20, 60])(
  'in a chart of %i columns, colors do not change the text, and none is empty',
  (columns) => {
    const asked = renderChart(chart(times([80, 90, null, 100], [90, 100, null, 110], [100, 200, null, 300])));
    const colored = asked(createPage({ isTTY: true, columns } as never, {}, 'always', 0));
    expect(colored).toMatch(/\u001b\[3\dm\S/);
    expect(colored).not.toMatch(/\u001b\[(?:2|3[1-6])m *\u001b/);
    expect(colored.replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(asked(page(columns)));
  },
);
