import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import { UsageError } from '../../kernel/errors.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${HttpMethod} /${string}`;
/** The address of the platform that it belongs to (docs/platform.md#addresses). */
export type Host = 'management' | 'invocation' | 'login' | 'refresh' | 'logs' | 'status';

/** The body of a successful reply: JSON of a schema, plain text, ignored, or anything an app returns. */
export type ReplyFormat = GenericSchema | 'text' | 'nothing' | 'anything';

export interface Endpoint<
  R extends Route = Route,
  Query extends GenericSchema | undefined = GenericSchema | undefined,
  Body extends GenericSchema | undefined = GenericSchema | undefined,
  Answer extends ReplyFormat = ReplyFormat,
> {
  readonly route: R;
  readonly host: Host;
  readonly query: Query;
  readonly body: Body;
  readonly reply: Answer;
  /**
   * Whether a request that may have arrived can be sent again. Default: true except for POST and PATCH. `never` disables
   * all retries, for endpoints that the caller polls.
   */
  readonly retryable: boolean | 'never';
  /** Sends the body as a web form instead of JSON; `multipart` if it has files. */
  readonly form: boolean | 'multipart';
  /** Sends no token, as for logins and the status page. */
  readonly anonymous: boolean;
  /** An empty body is a valid reply and reads as null. */
  readonly mayBeEmpty: boolean;
}

/** The parameters of a route: `'/apps/{app}/builds/{build}'` has `'app' | 'build'`. */
type PathParameter<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

type WithQuery<Q> = Q extends GenericSchema ? { query?: InferOutput<Q> } : unknown;
type WithBody<B> = B extends GenericSchema ? { body: InferInput<B> } : unknown;

/** Arguments of a call: the path's parameters, and `query` and `body` if the endpoint has them. */
export type CallParameters<E extends Endpoint> = { [Name in PathParameter<E['route']>]: string } & WithQuery<
  E['query']
> &
  WithBody<E['body']>;

/** A reply after parsing: numbers are numbers, absent times are null. */
export type DecodedReply<E extends Endpoint> = E['reply'] extends GenericSchema
  ? InferOutput<E['reply']>
  : E['reply'] extends 'text' | 'anything'
    ? string
    : undefined;

/** A reply as sent: numbers may be text. The emulator uses this type. */
export type WireReply<E extends Endpoint> = E['reply'] extends GenericSchema
  ? InferInput<E['reply']>
  : E['reply'] extends 'text'
    ? string
    : object | undefined;

/**
 * Defines an endpoint: `endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' })`. Client
 * and emulator use the same definition.
 */
export function endpoint<
  const R extends Route,
  Answer extends ReplyFormat,
  Query extends GenericSchema | undefined = undefined,
  Body extends GenericSchema | undefined = undefined,
>(
  route: R,
  parts: Partial<Endpoint> & { reply: Answer; query?: Query; body?: Body },
): Endpoint<R, Query, Body, Answer> {
  const usual = {
    host: 'management',
    query: undefined,
    body: undefined,
    retryable: !/^(POST|PATCH) /.test(route),
    form: false,
    anonymous: false,
    mayBeEmpty: false,
  };
  return { route, ...usual, ...parts } as Endpoint<R, Query, Body, Answer>;
}

/**
 * Marks a name or shape that no document shows (docs/platform.md#assumptions). `grep assumed src/platform/contract` lists them
 * all.
 */
export function assumed<T>(schema: T): T {
  return schema;
}

/** Splits `'GET /v2/projects/{project}'` into its method and its path. */
export function splitRoute(route: Route): { method: HttpMethod; path: string } {
  const space = route.indexOf(' ');
  return { method: route.slice(0, space) as HttpMethod, path: route.slice(space + 1) };
}

/**
 * Fills a route's placeholders and encodes each value as one path segment. An app may be given as `web` or `p-123-web`:
 * only this function turns a name into an id (docs/platform.md#identifiers).
 */
export function fillPath(path: string, parameters: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = toPathSegment(String(parameters[name]), name);
    return name === 'app' ? toAppId(toPathSegment(String(parameters.project), 'project'), segment) : segment;
  });
}

/**
 * Encodes a value as one segment of a path. Throws UsageError for `.` and `..`, which lead to another path however they are
 * encoded, for an empty value, which makes it that of a list, and for half a character, which no encoding has. `what` is the
 * name of the value.
 */
export function toPathSegment(value: string, what: string): string {
  if (/^\.{0,2}$|\p{Surrogate}/u.test(value)) {
    const words = what.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    throw new UsageError(`invalid ${words} "${value.replace(/\p{Surrogate}/gu, '\ufffd')}"`, {
      why: /^\.{0,2}$/.test(value)
        ? 'in the URL of the request, it would lead to another path'
        : 'it has half a character of UTF-16, which no URL can have',
    });
  }
  return encodeURIComponent(value);
}

/** Returns `p-123-web` for `web` and for `p-123-web`. */
export function toAppId(project: string, app: string): string {
  return app.startsWith(`${project}-`) ? app : `${project}-${app}`;
}

/** Returns `web` for `p-123-web` and for `web`. */
export function shortAppName(project: string, app: string): string {
  return app.startsWith(`${project}-`) ? app.slice(project.length + 1) : app;
}
