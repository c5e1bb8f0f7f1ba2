import { isUtf8 } from 'node:buffer';
import { attempt, UnexpectedReplyError } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json-text.ts';
import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import { type App, getApp } from '../contract/apps.ts';
import { toAppId } from '../contract/endpoint.ts';

export { type ListPage, type PagePosition, readPages } from './pages.ts';

/** Throws UnexpectedReplyError for another app. Its name is compared only if the reply has no id. */
export async function fetchApp(api: Api, params: { project: string; app: string }): Promise<App> {
  const app = await api(getApp, params);
  const named = app.id || (app.name ?? '');
  expectId('app', toAppId(params.project, params.app), { id: named && toAppId(params.project, named) });
  return app;
}

/** Throws UnexpectedReplyError if the platform replied with another app, build or run. A missing id is filled in. */
export function expectId<T extends { id: string }>(kind: string, expected: string, reply: T): T {
  const { id } = reply;
  if (id === '') return { ...reply, id: expected };
  if (id.toLowerCase() === expected.toLowerCase()) return reply;
  throw new UnexpectedReplyError(`the platform replied with another ${kind} when asked for ${kind} ${expected}`, {
    details: { asked: expected, answered: id },
  });
}

/** A body in a form that fits into JSON. */
export interface DecodedBody {
  body: unknown;
  encoding: 'json' | 'text' | 'base64';
}

/** Parses a body that is JSON, otherwise returns it as text, or as base64 if it is binary. */
export function decodeBody(bytes: Buffer): DecodedBody {
  if (!isUtf8(bytes)) return { body: bytes.toString('base64'), encoding: 'base64' };
  const text = bytes.toString('utf8');
  const json = attempt(() => ({ body: parseJson(text), encoding: 'json' as const }));
  return json ?? { body: text, encoding: 'text' };
}

type Clocks = Pick<Context, 'now' | 'platformNow'>;

/** A reply shows the platform's clock in whole seconds. */
const minDifferenceMs = 2_000;

/** For a period by the platform's clock, which the first reply shows: looks again if it is not the assumed one. */
export async function atPlatformTime<T>(clocks: Clocks, look: (now: number) => Promise<T>): Promise<T> {
  const wasRight = assumeClock(clocks);
  const first = look(clocks.platformNow());
  await first.catch(() => {});
  return wasRight() ? first : look(clocks.platformNow());
}

/** Tells later whether replies have shown that the platform's clock is the one that is assumed now. */
export function assumeClock({ now, platformNow }: Clocks): () => boolean {
  const aheadMs = () => platformNow() - now();
  const assumed = aheadMs();
  return () => Math.abs(aheadMs() - assumed) < minDifferenceMs;
}

type JsonLeaf = [path: string, value: unknown];

/** All plain values inside a JSON value, to show replies of undocumented shape. */
export function jsonLeaves(value: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = [];
  // Not recursive: a reply may be nested deeper than the call stack allows.
  const stack: JsonLeaf[] = [['', value]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [path, inner] = next;
    if (typeof inner !== 'object' || inner === null) leaves.push([path, inner]);
    else
      for (const [name, child] of Object.entries(inner).reverse()) stack.push([path ? `${path}.${name}` : name, child]);
  }
  return leaves;
}
