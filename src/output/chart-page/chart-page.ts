import { createHash } from 'node:crypto';
import library from 'uplot/dist/uPlot.iife.min.js?raw';
import libraryStyle from 'uplot/dist/uPlot.min.css?raw';
import type { ChartReport } from '../chart/model.ts';
import { KnownSecrets } from '../known-secrets.ts';
import { redact } from '../redact.ts';
import { redactValue } from '../redacted-json.ts';
import { stripControlSequences } from '../sanitize.ts';
import type { Columns } from '../table.ts';
import style from './page.css?raw';
import script from './page.js?raw';

/**
 * A page that needs nothing but itself: script, style and data are in it, and its policy lets it load nothing else.
 * Text from anywhere is harmless in it.
 */
export function chartPage<Row>(title: string, report: ChartReport<Row>, secrets = new KnownSecrets()): string {
  const { summary, chart, rows, columns } = report;
  const html = (text: string) => escaped(redact(stripControlSequences(text, false), secrets));
  const scripts = [library, script];
  const styles = [libraryStyle, style];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(scripts, styles)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${html(title)}</title>
${styles.map((text) => `<style>${text}</style>`).join('\n')}
</head>
<body>
<header>
<h1>${html(title)}</h1>
<p>${summary.map(html).join('<br>')}</p>
</header>
<main id="panels">
<noscript><p>The charts need JavaScript. The numbers are in the table below.</p></noscript>
</main>
<details>
<summary>The numbers as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="The numbers">
<table>
<thead><tr>${Object.keys(columns)
    .map((name) => `<th scope="col">${html(name)}</th>`)
    .join('')}</tr></thead>
<tbody>
${rows
  .map(
    (row) =>
      `<tr>${cells(row, columns)
        .map((cell) => `<td>${html(cell)}</td>`)
        .join('')}</tr>`,
  )
  .join('\n')}
</tbody>
</table>
</div>
</details>
<script id="chart" type="application/json">${json(redactValue(chart, secrets))}</script>
${scripts.map((text) => `<script>${text}</script>`).join('\n')}
</body>
</html>
`;
}

/** Nothing runs and nothing is loaded but what is written here. */
function policy(scripts: readonly string[], styles: readonly string[]): string {
  const hashes = (texts: readonly string[]) =>
    texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes(scripts)}`,
    `style-src ${hashes(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function cells<Row>(row: Row, columns: Columns<Row>): string[] {
  return Object.values(columns)
    .map((read) => read(row))
    .map((cell) => (typeof cell === 'function' ? '' : String(cell ?? '')));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Inside a script element nothing but `<` could end it. */
function json(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}
