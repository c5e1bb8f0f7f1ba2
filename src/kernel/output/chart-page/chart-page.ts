import library from 'uplot/dist/uPlot.iife.min.js?raw';
import libraryStyle from 'uplot/dist/uPlot.min.css?raw';
import type { ChartReport } from '../chart/model.ts';
import { KnownSecrets } from '../known-secrets.ts';
import { filterField, Html, html, type PageParts, rowsTable, type WebPage, webPage } from '../page-kit/page-kit.ts';
import { redact } from '../redact.ts';
import { redactValue } from '../redacted-json.ts';
import style from './page.css?raw';
import page from './page.js?raw';
import series from './series.js?raw';
import valueTexts from './value-texts.js?raw';

/** In one scope. */
const script = [page, series, valueTexts].join('\n');

/** A page with charts, what a server shows after them, and their data as a table. */
export function chartPage<Row>(
  name: string,
  { summary, chart, rows, columns }: ChartReport<Row>,
  secrets = new KnownSecrets(),
  { content, ...parts }: PageParts & { content?: Html } = {},
): WebPage {
  const safe = (text: string) => redact(text, secrets);
  const cells = rows.map((row) =>
    Object.values(columns)
      .map((read) => read(row))
      .map((cell) => (typeof cell === 'function' ? '' : safe(String(cell ?? '')))),
  );
  const panels = Object.fromEntries(chart.panels.map(({ title }, at) => [`panel-${at}`, safe(title)]));
  // Without `<`, the text cannot end the script element.
  const data = new Html(JSON.stringify(redactValue(chart, secrets)).replace(/</g, '\\u003c'));
  const charts = html`<div id="panels">
<noscript><p>The charts need JavaScript. The data is in the table below.</p></noscript>
</div>${content}
<details id="data"><summary>Data table</summary>
<div class="head">${filterField}</div>
<div class="scroll" tabindex="0" role="region" aria-label="Data table">${rowsTable(Object.keys(columns).map(safe), cells, 'No data.', 'data')}</div>
</details>
<script id="chart" type="application/json">${data}</script>`;
  return webPage(safe(name), charts, {
    ...parts,
    intro: html`${parts.intro}${summary.map((line) => html`<p>${safe(line)}</p>`)}`,
    sections: { ...panels, ...parts.sections, data: 'data' },
    styles: [libraryStyle, style],
    scripts: [library, script],
  });
}
