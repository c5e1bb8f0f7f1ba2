import type { Api } from '../api/client.ts';
import { type App, getApp } from '../contract/apps.ts';
import { toAppId } from '../contract/endpoint.ts';
import { expectId } from './expect-id.ts';

/**
 * Reads one app, given as `web` or `p-123-web`. Throws UnexpectedReplyError if the platform replies with another app. Its
 * name is compared only if the reply has no id.
 */
export async function fetchApp(api: Api, params: { project: string; app: string }): Promise<App> {
  const shown = await api(getApp, params);
  const named = shown.id || (shown.name ?? '');
  expectId('app', toAppId(params.project, params.app), { id: named && toAppId(params.project, named) });
  return shown;
}
