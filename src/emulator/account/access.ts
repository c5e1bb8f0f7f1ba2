import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';

/** What a token says. Times are in seconds since 1970, as JWT has them. */
export interface TokenClaims {
  sub: string;
  /** A service account's token opens this one; a person's, which has none, every project. */
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

/**
 * Lets a request pass that carries a valid token (spec 5), for the project if its path names one. Refuses it with 401,
 * 403 or 404 otherwise.
 */
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

function whyUnreadable(authorization: string, { formerKey }: Platform['store']): string {
  const isFormer = formerKey !== undefined && readClaims(authorization, formerKey);
  return isFormer
    ? 'token is from before the emulator was restarted: log in again, or use the variables that it printed at its start'
    : 'token is malformed, or not signed by us';
}

/** What a token of ours says, valid or not any more; undefined when it is none. */
export function readClaims(authorization: string, key: string): TokenClaims | undefined {
  const [, header, payload, given = ''] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? [];
  const wanted = signature(`${header}.${payload}`, key);
  if (!payload || !equalsInConstantTime(given, wanted)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(content: string, key: string): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

/** Compares in constant time, as one does with signatures. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
