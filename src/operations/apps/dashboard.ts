import type { Settings } from '../../config/settings.ts';
import { toAppId } from '../../contract/endpoint.ts';

/** The URL of a project, an app or a build in the dashboard (docs/platform.md#dashboard). */
export function dashboardUrl({ addresses }: Settings, project: string, app?: string, build?: string): string {
  const parts = ['projects', project];
  if (app !== undefined) parts.push('apps', toAppId(project, app));
  if (build !== undefined) parts.push('builds', build);
  return `${dashboardAddress(addresses.management)}/${parts.map(encodeURIComponent).join('/')}`;
}

/** The platform's own dashboard has a host of its own. Another platform, such as the emulator, has one for everything. */
function dashboardAddress({ value, origin }: Settings['addresses']['management']): string {
  return origin === 'default' || new URL(value).host.endsWith('.cerebrium.ai')
    ? 'https://dashboard.cerebrium.ai'
    : new URL(value).origin;
}
