import { safeParse } from 'valibot';
import { errorFromReply } from '../../api/reply-error.ts';
import { createSender } from '../../api/sender.ts';
import type { Credential } from '../../config/credentials.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import type { Host } from '../../contract/endpoint.ts';
import { listProjects } from '../../contract/projects.ts';
import { AuthError, GantryError, UnexpectedReplyError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { type Check, errorCheck, failedCheck, okCheck, warningCheck } from './check.ts';
import { createProbe, type ProbeResult } from './probe.ts';
import type { TokenCheck } from './token-check.ts';

/** What each address is for, and whether daily work needs it. */
const hosts: Record<Host, { use: string; needed: boolean }> = {
  management: { use: 'all commands', needed: true },
  invocation: { use: 'invoke and run', needed: true },
  login: { use: 'gantry login', needed: false },
  refresh: { use: 'renewing a login', needed: false },
  logs: { use: 'logs as they are written', needed: true },
  status: { use: 'gantry status', needed: false },
};

/** Asks the platform, all its addresses at once: token, project, clock, then each address. */
export async function checkPlatform(context: Context, settings: Settings, token: TokenCheck): Promise<Check[]> {
  const { addresses } = settings;
  const ask = createProbe(context, settings.proxy, await createSender(settings.proxy));
  const names = (Object.keys(hosts) as Host[]).filter((host) => addresses[host].value);
  const [first, ...others] = await Promise.all([
    addresses.management.value
      ? ask('GET', `${addresses.management.value}/v2/projects`, token.credential?.token)
      : noResult,
    ...names.map((host) => ask('HEAD', addresses[host].value)),
  ]);
  return [
    ...(await checkAccess(first, context, settings, token)),
    checkClock([first, ...others]),
    ...names.map((host, at) => checkAddress(host, addresses[host].value, others[at] ?? noResult)),
  ];
}

const noResult: ProbeResult = { ms: 0 };

/** What the platform thinks of the token, and whether the project is one it may work in. */
async function checkAccess(
  answer: ProbeResult,
  context: Context,
  settings: Settings,
  token: TokenCheck,
): Promise<Check[]> {
  const { credential, check } = token;
  if (!credential) return [check, warningCheck('project', 'not checked: that needs a token')];
  const project = settings.project.value ?? credential.project;
  const unsure = warningCheck('project', `${project ?? 'none'}, not checked: the platform could not be asked`);
  const ids = await listProjectIds(answer, context, credential);
  if (ids === undefined) return [check, unsure];
  if (ids instanceof GantryError) {
    return ids instanceof AuthError ? [errorCheck('token', ids), unsure] : [check, errorCheck('project', ids)];
  }
  if (!project) {
    const fix = 'gantry projects use p-…, or set GANTRY_PROJECT';
    return [check, failedCheck('project', 'usage', 'no project is chosen', fix)];
  }
  if (ids.includes(project)) return [check, okCheck('project', `the token may work in ${project}`)];
  const fix = `gantry projects use ${ids[0] ?? 'p-…'}, or another token`;
  return [check, failedCheck('project', 'denied', `the token may not work in ${project}`, fix)];
}

/** The projects of the token, why there is no list of them, or undefined: nobody is there to ask. */
async function listProjectIds({ reply }: ProbeResult, { api, now }: Context, { refreshToken }: Credential) {
  if (!reply || reply.status >= 500) return undefined;
  try {
    // A login that has ended is renewed by the calls of every day.
    if (reply.status === 401 && refreshToken) return (await api(listProjects, {})).map(({ id }) => id);
  } catch (error) {
    if (error instanceof GantryError) return error;
    throw error;
  }
  if (reply.status !== 200) return errorFromReply(reply, now());
  const list = safeParse(listProjects.reply, parseJson(reply.body) ?? reply.body);
  return list.success ? list.output.map(({ id }) => id) : new UnexpectedReplyError('the list of projects is none');
}

/** Off by more than this, milliseconds: signed links and tokens end early or late; beyond the second they fail. */
const clockWarningMs = 30_000;
const clockErrorMs = 300_000;

/** This clock against the one of whoever answered first in the list, which is the platform where it did. */
function checkClock(answers: ProbeResult[]): Check {
  const aheadMs = answers.find((answer) => answer.aheadMs !== undefined)?.aheadMs;
  if (aheadMs === undefined) return warningCheck('clock', 'not checked: nobody told the time');
  const off = Math.abs(aheadMs);
  if (off <= clockWarningMs) return okCheck('clock', "as the platform's, within 30 s");
  const message = `${duration(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the platform's`;
  const fix = 'set the clock of this machine';
  return off <= clockErrorMs ? warningCheck('clock', message, fix) : failedCheck('clock', 'failed', message, fix);
}

function checkAddress(host: Host, address: string, { reply, error, ms }: ProbeResult): Check {
  const { use, needed } = hosts[host];
  const problem = (message: string, fix?: Check['fix']) =>
    needed ? failedCheck(host, 'unavailable', message, fix) : warningCheck(host, `${message} (only for ${use})`, fix);
  if (error) return problem(error.message, error.facts.fix);
  const status = reply?.status ?? 0;
  if (status === 407)
    return problem(`${address}: the proxy requires a user name and password`, 'add them to the address in HTTPS_PROXY');
  if (status >= 500)
    return problem(`${address} answers with HTTP ${status}`, 'try again later; gantry status may know more');
  return okCheck(host, `${address} answers in ${duration(ms)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
