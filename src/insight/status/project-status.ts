import type { ExitName } from '../../kernel/errors.ts';
import { latestFirst } from '../../kernel/output/format.ts';
import { targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { Parts, silent, type Unknown } from './parts.ts';
import { readServiceStatus, type ServiceStatus } from './service-status.ts';

/** The state of a project: its apps, the one that changed last first. */
export interface ProjectStatus {
  target: string;
  apps: { app: string; status: string | null; hardware: string | null; updatedAt: string | null }[] | null;
  platform: ServiceStatus | null;
  /** Why a part is null. */
  unknown: Unknown;
  /** That of the error if nothing of the project is known. */
  exit: ExitName;
}

export async function readProjectStatus(context: Context): Promise<ProjectStatus> {
  const quiet = silent(context);
  const parts = new Parts(context.signal);
  const [apps, platform] = await Promise.all([
    parts.read('apps', () => readApps(quiet)),
    parts.read('platform', () => readServiceStatus(quiet)),
  ]);
  return { target: targetText(context.target), apps, platform, unknown: parts.unknown, exit: parts.exitOf('apps') };
}

async function readApps({ api, project }: Context): Promise<ProjectStatus['apps']> {
  const apps = await api(listApps, { project });
  return apps
    .map(({ id, name, status, hardware, updatedAt }) => ({
      app: name ?? shortAppName(project, id),
      ...{ status: status ?? null, hardware: hardware ?? null, updatedAt: updatedAt ?? null },
    }))
    .sort(latestFirst(({ updatedAt }) => updatedAt));
}
