import { createHash } from 'node:crypto';
import type { ServerReply } from '../../http/reply.ts';
import { dashboardStyle } from './style.ts';

/** A page without scripts. Its forms, if it has any, lead back to the emulator. */
export function htmlReply(status: number, body: string, { forms = false } = {}): ServerReply {
  return { status, headers: forms ? { ...pageHeaders, ...formHeaders } : pageHeaders, body };
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
