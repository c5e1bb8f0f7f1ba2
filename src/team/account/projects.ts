import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { checkProjectId } from '../../platform/config/setting-values.ts';
import { storeSettings } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';
import { listProjects, type Project } from '../../platform/contract/session.ts';
import { warnIfOverridden } from './profile-settings.ts';

type ListedProject = Project & { current: boolean };

/** Lists the projects that the token has access to, and which of them is in use. */
export async function listProjectsInUse(context: Pick<Context, 'api' | 'project'>): Promise<ListedProject[]> {
  const projects = await context.api(listProjects, {});
  const current = projectOf(context);
  return projects.map((project) => ({ ...project, current: project.id === current }));
}

/** A project and the profile that it is stored in. */
export interface ProjectInUse {
  project: string;
  profile: string;
}

/** Stores the project in the profile. With `verify`, throws NotFoundError if the token has no access to it. */
export async function useProject(context: Context, id: string, { verify }: { verify: boolean }): Promise<ProjectInUse> {
  const { api, settings } = context;
  const project = checkProjectId(id);
  if (verify) checkAccess(await api(listProjects, {}), project);
  const profile = settings.profile.value;
  await storeSettings(settings, profile, { project });
  warnIfOverridden(context, 'project', project);
  return { project, profile };
}

function checkAccess(projects: Project[], id: string): void {
  if (projects.some((project) => project.id === id)) return;
  throw new NotFoundError(`the token has no access to ${id}`, {
    why: `available projects: ${projects.map((project) => project.id).join(', ') || 'none'}`,
    fix: gantryCommand`projects list`,
    details: { projects: projects.map((project) => project.id) },
  });
}

/** Undefined if no project is set. */
function projectOf(context: Pick<Context, 'project'>): string | undefined {
  try {
    return context.project;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
