import library from 'uplot/dist/uPlot.iife.min.js?raw';
import libraryStyle from 'uplot/dist/uPlot.min.css?raw';
import type { ChartReport } from '../chart/model.ts';
import { KnownSecrets } from '../known-secrets.ts';
import { createPage } from '../page.ts';
import { filterField, Html, html, rowsTable, type WebPage, webPage } from '../page-kit/page-kit.ts';
import { redact } from '../redact.ts';
import { redactValue } from '../redacted-json.ts';
import { cellText } from '../table.ts';
import style from './page.css?raw';
import drawing from './page.js?raw';
import series from './series.js?raw';
import valueTexts from './value-texts.js?raw';

const script = [drawing, series, valueTexts].join('\n');

/** A page with charts, and their data as a table. */
export function chartPage<Row>(
  name: string,
  { summary, chart, rows, columns }: ChartReport<Row>,
  secrets = new KnownSecrets(),
): WebPage {
  const safe = (text: string) => redact(text, secrets);
  const page = createPage({ isTTY: true }, {}, 'never', 0);
  const cells = rows.map((row) => Object.values(columns).map((read) => safe(cellText(read(row), page))));
  const panels = Object.fromEntries(chart.panels.map(({ title }, at) => [`panel-${at}`, safe(title)]));
  // Without `<`, the text cannot end the script element.
  const data = new Html(JSON.stringify(redactValue(chart, secrets)).replace(/</g, '\\u003c'));
  const charts = html`<div id="panels">
<noscript><p>The charts need JavaScript. The data is in the table below.</p></noscript>
</div>
<details id="data"><summary>Data table</summary>
<div class="head">${filterField}</div>
<div class="scroll" tabindex="0" role="region" aria-label="Data table">${rowsTable(Object.keys(columns).map(safe), cells, 'No data.', 'data')}</div>
</details>
<script id="chart" type="application/json">${data}</script>`;
  return webPage(safe(name), charts, {
    intro: summary.map((line) => html`<p>${safe(line)}</p>`),
    sections: { ...panels, data: 'data' },
    styles: [libraryStyle, style],
    scripts: [library, script],
  });
}
