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
import page from './page.js?raw';
import series from './series.js?raw';
import valueTexts from './value-texts.js?raw';

/** In one scope. */
const script = [page, series, valueTexts].join('\n');

/** What a page has besides its charts: markup that is safe. */
export interface PageParts {
  head?: string;
  /** Above and below the title. */
  above?: string;
  below?: string;
  /** After the charts. */
  sections?: string;
  style?: string;
}

/**
 * A self-contained HTML page: scripts, styles and data are inline, and its content security policy forbids loading
 * anything else. All texts are escaped.
 */
export function chartPage<Row>(
  title: string,
  report: ChartReport<Row>,
  secrets = new KnownSecrets(),
  parts: PageParts = {},
): string {
  const { summary, chart, rows, columns } = report;
  const html = (text: string) => escapeHtml(redact(stripControlSequences(text, false), secrets));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${chartPagePolicy(parts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${html(title)}</title>
${stylesOf(parts)
  .map((text) => `<style>${text}</style>`)
  .join('\n')}${parts.head ?? ''}
</head>
<body>
<header>${parts.above ?? ''}
<h1><bdi>${html(title)}</bdi></h1>${parts.below ?? ''}
<p>${summary.map(html).join('<br>')}</p>
</header>
<main id="panels">
<noscript><p>The charts need JavaScript. The data is in the table below.</p></noscript>
</main>${parts.sections ?? ''}
<details>
<summary>Data table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Data table">
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
<script id="chart" type="application/json">${scriptJson(redactValue(chart, secrets))}</script>
${scripts.map((text) => `<script>${text}</script>`).join('\n')}
</body>
</html>
`;
}

const scripts = [library, script];

function stylesOf({ style: more }: PageParts): string[] {
  return [libraryStyle, style, ...(more === undefined ? [] : [more])];
}

/** Allows only the inline scripts and styles, by hash. */
export function chartPagePolicy(parts: PageParts = {}): string {
  const hashes = (texts: readonly string[]) =>
    texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes(scripts)}`,
    `style-src ${hashes(stylesOf(parts))}`,
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Without `<`, the text cannot end the script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}
