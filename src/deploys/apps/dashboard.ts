import { readVariable } from '../../kernel/environment.ts';
import type { Context } from '../../platform/context.ts';
import { toAppId, toPathSegment } from '../../platform/contract/endpoint.ts';

/** The URL of a project, an app or a build in the dashboard (docs/platform.md#dashboard). */
export function dashboardUrl({ env, project, settings }: Context, app?: string, build?: string): string {
  const names = ['projects', toPathSegment(project, 'project')];
  if (app !== undefined) names.push('apps', toAppId(project, toPathSegment(app, 'app')));
  if (build !== undefined) names.push('builds', toPathSegment(build, 'build'));
  const url = new URL(`/${names.join('/')}`, dashboardAddress(settings.addresses.management));
  const chosen = readVariable(env, 'GANTRY_DASHBOARD_URL');
  if (chosen === undefined || !URL.canParse(chosen)) return url.href;
  // The emulator shows its dashboard only to who knows the key in the query.
  const { origin, search } = new URL(chosen);
  return `${origin}${url.pathname}${search}`;
}

type ManagementAddress = Context['settings']['addresses']['management'];

/** The platform's own dashboard has a host of its own. Another platform, such as the emulator, has one for everything. */
function dashboardAddress({ value, origin }: ManagementAddress): string {
  return origin === 'default' || new URL(value).host.endsWith('.cerebrium.ai')
    ? 'https://dashboard.cerebrium.ai'
    : new URL(value).origin;
}
