import { createHash } from 'node:crypto';
import { stripControlSequences } from '../sanitize.ts';
import style from './page-kit.css?raw';
import script from './page-kit.js?raw';

/** Markup that is safe to send: made by `html`, or a constant. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];
type HtmlRow = readonly HtmlValue[];

/** A template whose values are escaped, unless they are markup themselves. Lists are joined; nothing, null and false are empty. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(markup)));
}

function markup(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(markup).join('');
  if (value === null || value === undefined || value === false) return '';
  // Names, logs and messages of apps are written by anybody.
  const text = stripControlSequences(String(value), false);
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Long words, such as addresses, ids and JSON, are broken after their signs, not anywhere. */
export function wrapping(text: string): Html {
  const words = stripControlSequences(text, false).split(/(?<=\s)(?=\S)/);
  const broken = words.map((word) => (word.length > 16 ? word.split(/(?<=[,/?&=:;._-])/) : [word]).map(markup));
  return new Html(broken.map((parts) => parts.join('<wbr>')).join(''));
}

/** Where the page is narrow, each row is a card: its first cell is the heading, the others have their names before them. */
export function rowsTable(names: readonly string[], rows: readonly HtmlRow[], none: HtmlValue, kind = 'cards'): Html {
  if (rows.length === 0) return html`<p class="quiet">${none}</p>`;
  const named = names.map((name) => kind === 'cards' && html` data-name="${name}"`);
  const cells = (row: HtmlRow) => row.map((cell, at) => html`<td${named[at]}>${cell}</td>`);
  return html`<table class="${kind}"><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table>`;
}

/** `beside` is what stands beside the heading. */
export function pageSection(id: string, heading: string, content: HtmlValue, beside?: HtmlValue): Html {
  return html`<section id="${id}"><div class="head"><h2>${heading}</h2>${beside}</div>
${content}</section>`;
}

/** Hides the rows of its section that lack what is typed. */
export const filterField = html`<input type="search" data-filter placeholder="Filter" aria-label="Filter" hidden>`;

export function copyButton(text: string): Html {
  return html`<button type="button" data-copy="${text}" hidden>Copy</button>`;
}

export interface PageParts {
  /** The pages that this one belongs to, the outermost first. */
  trail?: readonly (readonly [name: string, address: string])[];
  sections?: Readonly<Record<string, string>>;
  intro?: HtmlValue;
  /** Seconds until a page that a server sends is read anew, or 0 if only a click does that. */
  refresh?: number | undefined;
  server?: string;
  /** Whether it has forms. They lead back to its server. */
  forms?: boolean;
  styles?: readonly string[];
  scripts?: readonly string[];
}

/** The text of a page, and the headers that a server sends it with. */
export interface WebPage {
  body: string;
  headers: Record<string, string>;
}

/** Every page that gantry writes or serves: self-contained, its policy forbids to load anything, or to run other scripts. */
export function webPage(title: string, content: Html, parts: PageParts = {}): WebPage {
  const { trail = [], sections = {}, intro, refresh, server, forms = false } = parts;
  const styles = [parts.styles, style].flatMap((each = []) => each);
  const scripts = [parts.scripts, script].flatMap((each = []) => each);
  const product = server === undefined ? 'gantry' : `gantry ${server}`;
  const policy = policyOf(styles, scripts, forms);
  // Addresses have keys. With no referrer at all, a browser does not say that a form is from here.
  const referrer = forms ? 'same-origin' : 'no-referrer';
  const { text: body } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="${referrer}">
<title>${title} - ${product}</title>
${styles.map((each) => html`<style>${new Html(each)}</style>`)}
${!!refresh && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}</head>
<body data-refresh="${refresh}">
<nav aria-label="Pages"><strong>${mark} ${product}</strong>
${trail.map(([name, address]) => html`<a href="${address}">${name}</a>`)}
${refresh !== undefined && html`<a href="">Refresh</a>${refresh > 0 && html` <small>every ${refresh} s</small>`}`}</nav>
<header><h1><bdi>${wrapping(title)}</bdi></h1>${intro}</header>
${Object.keys(sections).length > 0 && html`<nav aria-label="Sections">${Object.entries(sections).map(([id, name]) => html`<a href="#${id}">${name}</a>\n`)}</nav>`}
<main>${content}</main>
${scripts.map((each) => html`<script>${new Html(each)}</script>`)}
</body></html>
`;
  const headers = { 'content-security-policy': `${policy}; frame-ancestors 'none'`, 'referrer-policy': referrer };
  return { body, headers: { ...pageHeaders, ...headers } };
}

const mark = html`<svg viewBox="0 0 16 16" width="18" class="busy" fill="none" stroke="currentColor" stroke-width="1.75" aria-hidden="true"><path d="M2 15V3h12v12M8 3v5M5.5 8h5v4h-5z"/></svg>`;

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

function policyOf(styles: readonly string[], scripts: readonly string[], forms: boolean): string {
  const hashes = (texts: readonly string[]) =>
    texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  const code = `script-src ${hashes(scripts)}`;
  const look = `style-src ${hashes(styles)}`;
  return ["default-src 'none'", code, look, "base-uri 'none'", `form-action ${forms ? "'self'" : "'none'"}`].join('; ');
}
