import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import { storeSettings } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';
import { listProjects, type Project } from '../../platform/contract/session.ts';

/**
 * Chooses the project after a login and stores it: the one of the flag, the one `claimed` by the token, the current one
 * if the token has access, the only one, or the user's choice. Null if none is chosen. Projects from the environment are
 * used, but not stored.
 */
export async function chooseProject(context: Context, projects: Project[], claimed?: string): Promise<string | null> {
  const { settings, progress } = context;
  const { value: current, origin } = settings.project;
  const isKnown = (project: string | undefined) => projects.some(({ id }) => id === project);
  if (current && origin === 'flag' && !isKnown(current)) throw noAccessError(current, projects);
  const named = origin === 'flag' ? current : claimed;
  if (!isKnown(named) && isKnown(current)) return current ?? null;
  const project = isKnown(named) ? named : await askForProject(context, projects);
  await storeSettings(settings, settings.profile.value, { project });
  if (origin.startsWith('environment') && current !== project) {
    progress.warn(`project ${current} from the ${origin} takes precedence while it is set`);
  }
  return project ?? null;
}

/** Lists the projects that a token has access to. Throws if the platform rejects the token. */
export function listTokenProjects({ apiWithToken }: Pick<Context, 'apiWithToken'>, token: string): Promise<Project[]> {
  return apiWithToken(token)(listProjects, {});
}

async function askForProject({ prompt, progress }: Context, projects: Project[]): Promise<string | undefined> {
  const [first, ...more] = projects;
  if (!first) {
    progress.warn('this login has no access to any project');
    return undefined;
  }
  if (more.length === 0) return first.id;
  if (!prompt.isPossible) {
    progress.warn(
      sentence`no project selected (${count(projects.length, 'project')} available): run ${gantryCommand`projects use p-…`}, or pass --project`,
    );
    return undefined;
  }
  const names = new Map(projects.map(({ id, name }) => [name ? `${id} (${name})` : id, id]));
  return names.get(await prompt.choose('Which project?', { flag: '--project', from: [...names.keys()] }));
}

function noAccessError(project: string, projects: Project[]): NotFoundError {
  return new NotFoundError(`this login has no access to project ${project}`, {
    why: `available projects: ${projects.map(({ id }) => id).join(', ') || 'none'}; the login itself was stored`,
    fix: gantryCommand`projects use p-…`,
  });
}
