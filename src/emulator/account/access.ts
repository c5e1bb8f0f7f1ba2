import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';

/** The claims of a JWT. Times in seconds since 1970. */
export interface TokenClaims {
  sub: string;
  /** The project of a service account's token. A user's token has none and may access every project. */
  project_id?: string;
  token_use?: 'access';
  username?: string;
  client_id?: string;
  jti?: string;
  iat: number;
  exp: number;
}

/** A JWT, signed with HS256. */
export function signToken(claims: TokenClaims, key: string): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${signature(content, key)}`;
}

/** Refuses a request without a valid token for the project with 401, 403 or 404 (spec 5). */
export function checkAccess(
  authorization: string | undefined,
  project: string | undefined,
  { store, now }: Platform,
): void {
  if (!authorization) refuse(401, 'Authorization header is missing');
  const claims = readClaims(authorization, store.key) ?? refuse(401, whyUnreadable(authorization, store));
  if (claims.exp * 1000 <= now()) refuse(401, 'token has expired');
  if (project === undefined) return;
  if (!store.projects.includes(project)) refuse(404, `project ${project} not found`);
  if (claims.token_use !== 'access' && claims.project_id !== project)
    refuse(403, `token has no access to project ${project}`);
}

function whyUnreadable(authorization: string, { previousKey }: Platform['store']): string {
  return previousKey !== undefined && readClaims(authorization, previousKey)
    ? 'token was issued before the emulator restarted: log in again, or use the variables that it printed at its start'
    : 'token is malformed or has an invalid signature';
}

/** The claims of a token with a valid signature, even if it has expired; otherwise undefined. */
export function readClaims(authorization: string, key: string): TokenClaims | undefined {
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

export function equalsInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
