import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Html, html, webPage } from '../../../kernel/output/page-kit/page-kit.ts';
import { equalsInConstantTime } from '../../http/owner-check.ts';
import { readForm } from '../../http/read-request.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import type { DeviceRecord } from '../../model/state/records.ts';
import type { Store } from '../../model/state/store.ts';
import type { Platform } from '../platform.ts';

/** The page where the owner of the emulator approves a login. */
export const activationPath = '/activate';

/** Seconds for which a login code can be approved and used. */
export const codeSeconds = 600;

/**
 * Known only to the owner of the emulator: every local user can start a login, so its code alone must not approve it.
 * It is new at each start (see `Store.key`).
 */
export function approvalSecret({ key }: Pick<Store, 'key'>): string {
  return createHmac('sha256', key).update('approve logins').digest('base64url').slice(0, 32);
}

/** A URL that stores the secret in the browser. Fragments are not sent, so the secret is not logged. */
export function approvalAddress(url: string, secret: string): string {
  return `${url}${activationPath}#owner=${secret}`;
}

/** GET shows the page; POST approves or denies a login. */
export async function handleActivation(request: IncomingMessage, url: URL, platform: Platform): Promise<ServerReply> {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return show(url.searchParams.get('user_code') ?? '', platform);
  if (method !== 'POST') return jsonReply({ message: `method ${method} not allowed: use GET or POST` }, 405);
  const { user_code = '', secret = '', action = 'approve' } = await readForm(request);
  const device = findWaitingDevice(user_code, platform);
  if (!device) return unknownCode;
  return decide(device, secret, action, platform);
}

function show(userCode: string, platform: Platform): ServerReply {
  if (userCode !== '' && !findWaitingDevice(userCode, platform)) return unknownCode;
  return formPage(200, userCode && normalizeCode(userCode));
}

function decide(device: DeviceRecord, secret: string, action: string, platform: Platform): ServerReply {
  if (!equalsInConstantTime(secret, approvalSecret(platform.store))) {
    return formPage(403, device.userCode, 'Wrong secret. The emulator has a new one after each start.');
  }
  if (action !== 'approve' && action !== 'deny') return jsonReply({ message: 'action must be approve or deny' }, 400);
  const { state, heading, text } = decisions[action];
  device.state = state;
  return textPage(200, heading, text);
}

const decisions = {
  approve: { state: 'approved', heading: 'You are logged in', text: 'Return to the terminal.' },
  deny: { state: 'denied', heading: 'Login denied', text: 'The program that requested the login gets no token.' },
} as const;

function findWaitingDevice(userCode: string, { store, now }: Platform): DeviceRecord | undefined {
  const code = normalizeCode(userCode);
  return [...store.devices.values()].find(
    (device) => device.userCode === code && device.state === 'waiting' && now() < device.createdAt + codeSeconds * 1000,
  );
}

function normalizeCode(userCode: string): string {
  return userCode.trim().toUpperCase();
}

/**
 * Stores the secret in localStorage and fills it in. A cookie would be sent to every port of this machine, and so to
 * servers of other users.
 */
const script = `
const given = new URLSearchParams(location.hash.slice(1)).get('owner');
if (given) {
  localStorage.setItem('gantry-emulator-secret', given);
  history.replaceState(null, '', location.pathname + location.search);
}
const kept = localStorage.getItem('gantry-emulator-secret');
if (kept) {
  document.getElementById('secret').value = kept;
  document.getElementById('help').textContent = 'This browser knows the secret.';
}
`;

function formPage(status: number, userCode: string, problem = ''): ServerReply {
  const code = userCode
    ? html`<p>Approve this login only if your terminal shows the code <strong>${userCode}</strong>.</p>
<input type="hidden" name="user_code" value="${userCode}">`
    : html`<label>Code <input name="user_code" required autocomplete="off"></label>`;
  return reply(
    status,
    'Approve a login',
    html`${problem && html`<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="${activationPath}">
${code}
<label>Secret <input id="secret" name="secret" type="password" required autocomplete="off"></label>
<p id="help" class="quiet">To fill in the secret, open the address that <code>gantry emulator start</code> printed once in this browser, and again after each restart.</p>
<button name="action" value="approve">Approve</button> <button name="action" value="deny">Deny</button>
</form>`,
    [script],
  );
}

function textPage(status: number, heading: string, text: string): ServerReply {
  return reply(status, heading, html`<p>${text}</p>`);
}

function reply(status: number, heading: string, content: Html, scripts: string[] = []): ServerReply {
  const parts = { server: 'emulator', forms: true, scripts };
  return { status, ...webPage(heading, html`<section class="narrow">${content}</section>`, parts) };
}

const unknownCode = textPage(404, 'Unknown code', 'The code was used, has expired or does not exist.');
