import { join } from 'node:path';
import { claimsOf, givenCredential, type StoredTokens } from '../config/credentials.ts';
import type { Settings } from '../config/settings.ts';
import { changeFile, storeSettings } from '../config/stored.ts';
import type { Context } from '../context.ts';
import { listProjects, type Project } from '../contract/projects.ts';
import { NotFoundError } from '../errors.ts';
import { count } from '../output/words.ts';

/** What a login leaves behind. */
export interface Login {
  profile: string;
  project: string | null;
  /** Who the token is for. */
  user: string | null;
  expiresAt: string | null;
  /** Whether the token is renewed when it ends. */
  renewable: boolean;
  /** The file with the token. */
  storedIn: string;
}

type Profiles = Record<string, StoredTokens>;

/** Fails now, before a person has done anything, when nothing could be stored. */
export function checkStorable({ settings }: Pick<Context, 'settings'>): Promise<void> {
  return changeFile(settings.folders.config, 'credentials', (stored) => stored);
}

/** Stores tokens in place of all that the profile had (H-68), and tells what comes before them (H-10). */
export async function storeTokens({ settings, env, progress }: Context, tokens: StoredTokens): Promise<void> {
  await changeFile(settings.folders.config, 'credentials', (stored) => ({
    ...stored,
    profiles: { ...(stored.profiles as Profiles | undefined), [profileOf(settings)]: tokens },
  }));
  const given = givenCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} is used as long as it is set, not this one`);
}

/** Takes away the tokens of one profile, or of all. Returns the names of those that had any. */
export async function removeTokens({ settings }: Pick<Context, 'settings'>, all: boolean): Promise<string[]> {
  let removed: string[] = [];
  await changeFile(settings.folders.config, 'credentials', (stored) => {
    const profiles = Object.entries((stored.profiles ?? {}) as Profiles);
    const goes = ([name]: [string, unknown]) => all || name === profileOf(settings);
    removed = profiles.filter(goes).map(([name]) => name);
    return { ...stored, profiles: Object.fromEntries(profiles.filter((entry) => !goes(entry))) };
  });
  return removed;
}

/** What is told of a login. */
export function loginOf(settings: Settings, tokens: StoredTokens, project: string | null): Login {
  const { user, expiresAt } = claimsOf(tokens.token);
  return {
    ...{ profile: profileOf(settings), project, user: user ?? null },
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    renewable: tokens.refreshToken !== undefined,
    storedIn: credentialsFile(settings),
  };
}

/**
 * The project to work in from now on, stored: that of the flag, the one the token is `claimed` for, the current one if
 * the token may work in it, the only one, or the one a person chooses. Null when it stays open. What the environment
 * says is used, but not stored (H-10).
 */
export async function settleProject(context: Context, projects: Project[], claimed?: string): Promise<string | null> {
  const { settings, progress } = context;
  const { value: current, origin } = settings.project;
  const isKnown = (project: string | undefined) => projects.some(({ id }) => id === project);
  if (current && origin === 'flag' && !isKnown(current)) throw notAmong(current, projects);
  const named = origin === 'flag' ? current : claimed;
  if (!isKnown(named) && isKnown(current)) return current ?? null;
  const project = isKnown(named) ? named : await choice(context, projects);
  await storeSettings(settings, profileOf(settings), { project });
  if (origin.startsWith('environment') && current !== project) {
    progress.warn(`the project ${current} from the ${origin} is used as long as it is set`);
  }
  return project ?? null;
}

/** The projects a token may work in. Rejects when the server does not accept it. */
export function projectsOf({ apiWith }: Pick<Context, 'apiWith'>, token: string): Promise<Project[]> {
  return apiWith(token)(listProjects, {});
}

export function credentialsFile({ folders }: Settings): string {
  return join(folders.config, 'credentials.json');
}

export function profileOf(settings: Settings): string {
  return settings.profile.value ?? 'default';
}

async function choice({ prompt, progress }: Context, projects: Project[]): Promise<string | undefined> {
  const [first, ...more] = projects;
  if (!first) {
    progress.warn('this login may work in no project');
    return undefined;
  }
  if (more.length === 0) return first.id;
  if (!prompt.possible) {
    progress.warn(
      `no project is chosen among ${count(projects.length, 'project')}: gantry projects use p-…, or --project`,
    );
    return undefined;
  }
  const names = new Map(projects.map(({ id, name }) => [name ? `${id} (${name})` : id, id]));
  return names.get(await prompt.choose('Which project?', { flag: '--project', from: [...names.keys()] }));
}

function notAmong(project: string, projects: Project[]): NotFoundError {
  return new NotFoundError(`this login has no access to the project ${project}`, {
    why: `it may work in ${projects.map(({ id }) => id).join(', ') || 'none'}; the login itself is stored`,
    fix: 'gantry projects use p-…',
  });
}
