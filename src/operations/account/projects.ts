import { gantryCommand } from '../../command-line.ts';
import { storeSettings } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { listProjects, type Project } from '../../contract/projects.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { checkProjectId, type StoredSetting, warnIfOverridden } from './profile-settings.ts';

type ListedProject = Project & { current: boolean };

/** The projects that the token may work in, and which of them is in use. */
export async function listProjectsInUse(context: Pick<Context, 'api' | 'project'>): Promise<ListedProject[]> {
  const found = await context.api(listProjects, {});
  const current = projectOf(context);
  return found.map((project) => ({ ...project, current: project.id === current }));
}

/**
 * Stores the project to work in from now on. Asks the platform first whether the token may work there, unless told not
 * to: NotFoundError when it may not.
 */
export async function useProject(context: Context, id: string, { check }: { check: boolean }): Promise<StoredSetting> {
  const { api, settings } = context;
  const project = checkProjectId(id);
  if (check) checkAccess(await api(listProjects, {}), project);
  const profile = settings.profile.value ?? 'default';
  await storeSettings(settings, profile, { project });
  warnIfOverridden(context, 'project', project);
  return { name: 'project', value: project, profile };
}

function checkAccess(projects: Project[], id: string): void {
  if (projects.some((project) => project.id === id)) return;
  throw new NotFoundError(`the token may not work in ${id}`, {
    why: `it may work in ${projects.map((project) => project.id).join(', ') || 'no project'}`,
    fix: gantryCommand`projects use ${id} --no-check`,
    details: { projects: projects.map((project) => project.id) },
  });
}

/** Not to know it is no error here. */
function projectOf(context: Pick<Context, 'project'>): string | undefined {
  try {
    return context.project;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
