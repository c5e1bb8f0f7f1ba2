import type { GenericSchema, InferInput, InferOutput } from 'valibot';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${HttpMethod} /${string}`;
/** The address of the platform that answers (docs/platform.md#addresses). */
export type Host = 'management' | 'invocation' | 'login' | 'refresh' | 'logs' | 'status';

/** How a successful reply reads: JSON of a schema, plain text, a body nobody needs, or whatever an app says. */
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
   * A POST or PATCH that may be sent twice without harm. GET, PUT and DELETE always may. `never`: whoever calls it
   * repeats it in a rhythm of their own.
   */
  readonly retryable: boolean | 'never';
  /** The body travels as a web form, not as JSON; `multipart` when there are files in it. */
  readonly form: boolean | 'multipart';
  /** Needs no token, and gets none: logging in, the page of the platform's own state. */
  readonly anonymous: boolean;
  /** An empty body is a valid answer and reads as null. */
  readonly mayBeEmpty: boolean;
}

/** Names the parameters in braces: `'/apps/{app}/builds/{build}'` gives `'app' | 'build'`. */
type PathParameter<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

type WithQuery<Q> = Q extends GenericSchema ? { query?: InferOutput<Q> } : unknown;
type WithBody<B> = B extends GenericSchema ? { body: InferInput<B> } : unknown;

/** What a caller gives: the path's parameters by name, `query` and `body` where the endpoint has them. */
export type CallParameters<E extends Endpoint> = { [Name in PathParameter<E['route']>]: string } & WithQuery<
  E['query']
> &
  WithBody<E['body']>;

/** What a caller gets: decoded (numbers are numbers, absent times are null). */
export type DecodedReply<E extends Endpoint> = E['reply'] extends GenericSchema
  ? InferOutput<E['reply']>
  : E['reply'] extends 'text' | 'anything'
    ? string
    : undefined;

/** What travels: numbers may be text, as the server sends them. The emulator answers in this form. */
export type WireReply<E extends Endpoint> = E['reply'] extends GenericSchema
  ? InferInput<E['reply']>
  : E['reply'] extends 'text'
    ? string
    : undefined;

/**
 * One thing the server understands, named by the line of the specification that describes it:
 * `endpoint('DELETE /v2/projects/{project}/apps/{app}/builds/{build}', { reply: 'text' })`.
 * Client and emulator consume the same constant, so they cannot drift apart.
 */
export function endpoint<
  const R extends Route,
  Answer extends ReplyFormat,
  Query extends GenericSchema | undefined = undefined,
  Body extends GenericSchema | undefined = undefined,
>(
  route: R,
  parts: {
    reply: Answer;
    host?: Host;
    query?: Query;
    body?: Body;
    retryable?: boolean | 'never';
    form?: boolean | 'multipart';
    anonymous?: boolean;
    mayBeEmpty?: boolean;
  },
): Endpoint<R, Query, Body, Answer> {
  return {
    route,
    host: parts.host ?? 'management',
    query: parts.query as Query,
    body: parts.body as Body,
    reply: parts.reply,
    retryable: parts.retryable ?? !/^(POST|PATCH) /.test(route),
    form: parts.form ?? false,
    anonymous: parts.anonymous ?? false,
    mayBeEmpty: parts.mayBeEmpty ?? false,
  };
}

/**
 * Marks a name or shape that no document shows (docs/platform.md#assumptions). `grep assumed src/contract` lists them
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
    const value = String(parameters[name]);
    return encodeURIComponent(name === 'app' ? toAppId(String(parameters.project), value) : value);
  });
}

/** `web` and `p-123-web` both give `p-123-web`. */
export function toAppId(project: string, app: string): string {
  return app.startsWith(`${project}-`) ? app : `${project}-${app}`;
}

/** `p-123-web` and `web` both give `web`. */
export function toAppName(project: string, app: string): string {
  return app.startsWith(`${project}-`) ? app.slice(project.length + 1) : app;
}
