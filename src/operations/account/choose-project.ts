import { storeSettings } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { listProjects, type Project } from '../../contract/projects.ts';
import { NotFoundError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { profileInUse } from './stored-login.ts';

/**
 * Chooses and stores the current project: the one of the flag, the one that the token is `claimed` for, the current one
 * if the token gives access to it, the only one, or the user's choice. Null when none is chosen. A project from the
 * environment is used but not stored.
 */
export async function chooseProject(context: Context, projects: Project[], claimed?: string): Promise<string | null> {
  const { settings, progress } = context;
  const { value: current, origin } = settings.project;
  const isKnown = (project: string | undefined) => projects.some(({ id }) => id === project);
  if (current && origin === 'flag' && !isKnown(current)) throw noAccessError(current, projects);
  const named = origin === 'flag' ? current : claimed;
  if (!isKnown(named) && isKnown(current)) return current ?? null;
  const project = isKnown(named) ? named : await askForProject(context, projects);
  await storeSettings(settings, profileInUse(settings), { project });
  if (origin.startsWith('environment') && current !== project) {
    progress.warn(`the project ${current} from the ${origin} is used as long as it is set`);
  }
  return project ?? null;
}

/** The projects a token may work in. Rejects when the server does not accept it. */
export function listTokenProjects({ apiWithToken }: Pick<Context, 'apiWithToken'>, token: string): Promise<Project[]> {
  return apiWithToken(token)(listProjects, {});
}

async function askForProject({ prompt, progress }: Context, projects: Project[]): Promise<string | undefined> {
  const [first, ...more] = projects;
  if (!first) {
    progress.warn('this login may work in no project');
    return undefined;
  }
  if (more.length === 0) return first.id;
  if (!prompt.isPossible) {
    progress.warn(
      `no project is chosen among ${count(projects.length, 'project')}: gantry projects use p-…, or --project`,
    );
    return undefined;
  }
  const names = new Map(projects.map(({ id, name }) => [name ? `${id} (${name})` : id, id]));
  return names.get(await prompt.choose('Which project?', { flag: '--project', from: [...names.keys()] }));
}

function noAccessError(project: string, projects: Project[]): NotFoundError {
  return new NotFoundError(`this login has no access to the project ${project}`, {
    why: `it may work in ${projects.map(({ id }) => id).join(', ') || 'none'}; the login itself is stored`,
    fix: 'gantry projects use p-…',
  });
}
