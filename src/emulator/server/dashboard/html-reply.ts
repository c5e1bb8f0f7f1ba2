import { createHash } from 'node:crypto';
import type { ServerReply } from '../../http/reply.ts';
import type { ChartedPage } from './pages.ts';
import { chartedStyle, dashboardStyle } from './style.ts';

/** A page without scripts. Its forms, if it has any, lead back to the emulator. */
export function htmlReply(status: number, body: string, { forms = false } = {}): ServerReply {
  return { status, headers: forms ? { ...pageHeaders, ...formHeaders } : pageHeaders, body };
}

/** A page with charts. Its scripts are those of the charts, and no others. */
export async function chartReply({ title, report, ...around }: ChartedPage): Promise<ServerReply> {
  const { chartPage, chartPagePolicy } = await import('../../../kernel/output/chart-page/chart-page.ts');
  const markup = Object.fromEntries(Object.entries(around).map(([part, { text }]) => [part, text]));
  const parts = { ...markup, style: chartedStyle };
  const headers = { 'content-security-policy': `${chartPagePolicy(parts)}; frame-ancestors 'none'` };
  return { status: 200, headers: { ...pageHeaders, ...headers }, body: chartPage(title, report, undefined, parts) };
}

function policy(formAction: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(dashboardStyle).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy("'none'"),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // The address has the key.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** With no referrer at all, a browser does not say that a form is from here. */
const formHeaders = { 'content-security-policy': policy("'self'"), 'referrer-policy': 'same-origin' };
