import { createHmac } from 'node:crypto';
import { emulatorIssuer } from '../../../platform/contract/issuer.ts';
import { equalsInConstantTime } from '../../http/owner-check.ts';
import { refuse } from '../../http/reply.ts';
import { getAccount } from '../../model/account.ts';
import type { Caller, Platform } from '../platform.ts';

/** The claims of a JWT. Times in seconds since 1970. */
export interface TokenClaims {
  /** The issuer, by which gantry recognizes an emulator's token; the emulator by default. */
  iss?: string;
  /** The id of a service account, a user or a project. */
  sub: string;
  /** The project that the token was created in. A user's token has none and may access every project. */
  project_id?: string;
  /** The id of the API key that the token is the value of. */
  key?: string;
  token_use?: 'access';
  username?: string;
  client_id?: string;
  jti?: string;
  iat: number;
  /** Absent if it never expires. */
  exp?: number;
}

/** A JWT, signed with HS256. */
export function signToken(claims: TokenClaims, key: string): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iss: emulatorIssuer, ...claims })}`;
  return `${content}.${signature(content, key)}`;
}

/** Refuses a request of the management API without a valid token for the project with 401, 403 or 404 (spec 5). */
export function checkAccess(
  authorization: string | undefined,
  project: string | undefined,
  platform: Platform,
): Caller {
  const caller = identifyCaller(authorization, platform);
  if (caller.kind === 'inference key') refuse(403, `the key ${caller.name} can only call apps`);
  if (project !== undefined) checkGrant(caller, project, platform);
  return caller;
}

/** Refuses a caller without access to the project with 403 or 404. */
export function checkGrant({ kind, name, projects }: Caller, project: string, { store }: Platform): void {
  if (!store.projects.includes(project)) refuse(404, `project ${project} not found`);
  if (!projects || projects.includes(project)) return;
  const who = kind === 'owner' ? 'token' : `${kind} ${name}`;
  refuse(403, `${who} has no access to project ${project}`);
}

/** Refuses a request without a valid token with 401. */
export function identifyCaller(authorization: string | undefined, platform: Platform): Caller {
  const { store, now } = platform;
  if (!authorization) refuse(401, 'Authorization header is missing');
  const claims = readClaims(authorization, store.key) ?? refuse(401, whyUnreadable(authorization, store));
  if (claims.exp !== undefined && claims.exp * 1000 <= now()) refuse(401, 'token has expired');
  return claims.token_use === 'access'
    ? { kind: 'user', name: claims.username ?? claims.sub, projects: undefined }
    : callerOfProject(claims, platform);
}

function callerOfProject({ sub, key: id, project_id: home = '' }: TokenClaims, platform: Platform): Caller {
  const account = platform.store.projects.includes(home) ? getAccount(platform, home) : undefined;
  if (id !== undefined) {
    const key = account?.keys.find((each) => each.id === id) ?? refuse(401, `the key ${id} was deleted`);
    if (key.status && key.status !== 'active') refuse(401, `the key ${key.name} is ${key.status}`);
    if (!key.principalId) return { kind: 'inference key', name: key.name ?? key.id, projects: [home] };
  }
  const serviceAccount = account?.serviceAccounts.find((each) => each.id === sub);
  if (!serviceAccount) return { kind: 'owner', name: sub, projects: [home] };
  const grants = (serviceAccount.grants ?? []).map(String);
  return { kind: 'service account', name: serviceAccount.name ?? sub, projects: grants };
}

function whyUnreadable(authorization: string, { previousKey }: Platform['store']): string {
  return previousKey !== undefined && readClaims(authorization, previousKey)
    ? 'token was issued before the emulator restarted: log in again, or use the variables that it printed at its start'
    : 'token is malformed or has an invalid signature';
}

/** The claims of a token with a valid signature, even if it has expired; otherwise undefined. */
function readClaims(authorization: string, key: string): TokenClaims | undefined {
  const [, header, payload, actual = ''] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? [];
  const expected = signature(`${header}.${payload}`, key);
  if (!payload || !equalsInConstantTime(actual, expected)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(content: string, key: string): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}
