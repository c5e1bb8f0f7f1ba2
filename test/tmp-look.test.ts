import { test } from 'vitest';
import { picture, type Chart } from '../src/output/chart.ts';
import { pageOf } from '../src/output/page.ts';
import { writeFileSync, appendFileSync } from 'node:fs';
const page = (columns: number | undefined, env = {}, color: any = 'auto') => pageOf({ isTTY: columns !== undefined, columns } as never, { ...env }, color, 0);
let seed = 7;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
function chart(n: number, stepMs: number, step: string, spike = false): Chart {
  const start = Date.UTC(2026, 10, 20, 14, 20);
  const times = Array.from({ length: n }, (_, i) => start + i * stepMs);
  const all = times.map((t) => Math.round(60 + 50 * Math.sin(t / 8e6) + 20 * random()));
  const failed = all.map((a, i) => (i % 7 === 3 ? Math.round(a * 0.4) : random() < 0.2 ? 1 : 0));
  const base = times.map((t, i) => (i % 11 === 5 ? null : 800 + 300 * Math.sin(t / 9e6) + 100 * random()));
  const series = (b: (number | null)[]) => [1, 1.5, 2.4].map((f, i) => ({ name: ['p50', 'p90', 'p99'][i]!, values: b.map((v, j) => v === null ? null : v * f * (spike && j === 9 && i === 2 ? 100 : 1)) }));
  return { times, step, zone: 'Europe/Berlin', panels: [
    { title: 'requests', unit: 'count', kind: 'bars', series: [{ name: 'requests', values: all }, { name: 'failed', values: failed }] },
    { title: 'runtime', unit: 'ms', kind: 'lines', series: series(base) },
  ] };
}
test('look', () => {
  const out = '/tmp/charts/look.txt';
  writeFileSync(out, '');
  const show = (title: string, text: string) => appendFileSync(out, `\n#### ${title}\n${text}\n`);
  show('24h pipe', picture(chart(25, 3600000, 'hour'))(page(undefined)));
  show('24h ascii', picture(chart(25, 3600000, 'hour', true))(page(80, { LANG: 'C' }, 'never')));
  show('7d 100', picture(chart(169, 3600000, 'hour'))(page(100, {}, 'never')));
  show('30d 100', picture(chart(31, 86400000, 'day', true))(page(100, {}, 'never')));
  show('3h min 120', picture(chart(181, 60000, 'minute'))(page(120, {}, 'never')));
  show('1 60', picture(chart(1, 3600000, 'hour'))(page(60, {}, 'never')));
  show('3 40', picture(chart(3, 3600000, 'hour'))(page(40, {}, 'never')));
  show('24 20', picture(chart(24, 3600000, 'hour'))(page(20, {}, 'never')));
  show('0 60', picture(chart(0, 3600000, 'hour'))(page(60, {}, 'never')));
  show('10000', picture(chart(10000, 60000, 'minute'))(page(80, {}, 'never')));
  writeFileSync('/tmp/charts/color.txt', picture(chart(25, 3600000, 'hour', true))(page(80, {}, 'always')));
});
