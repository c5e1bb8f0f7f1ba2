import { existsSync } from 'node:fs';
import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { withNulls } from '../../kernel/json-text.ts';
import { environmentCredential, storedCredential } from '../../platform/config/credentials.ts';
import { checkProjectId } from '../../platform/config/setting-values.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { storeSettings } from '../../platform/config/stored-files.ts';
import { type Target, targetText } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { listProjects, type Project } from '../../platform/contract/session.ts';
import { refuseEmulator, warnIfOverridden } from './profiles.ts';
import { credentialsPath, describeToken, removeTokens } from './stored-login.ts';

export { canShowBrowser, loginByBrowser, loginByToken, openInBrowser } from './login.ts';
export {
  bindHere,
  checkSettingName,
  deleteProfile,
  getSetting,
  listProfiles,
  listSettings,
  settingNames,
  storeSetting,
  switchProfile,
  unbindHere,
} from './profiles.ts';
export { importLogin, type Login } from './stored-login.ts';

/** Reads the login in use. With `verify`, asks the platform to verify it. Throws AuthError if not logged in. */
export async function readIdentity(context: Context, { verify }: { verify: boolean }) {
  const { api, settings, progress, credential: first, target } = context;
  if (verify) await api(listProjects, {});
  const stored = storedCredential(settings, (message) => progress.warn(message));
  // The call may have renewed the stored token.
  const credential = first.fromEnvironment ? first : (stored ?? first);
  return {
    ...describeTarget(target),
    profile: settings.profile.value,
    profileOrigin: settings.profile.origin,
    tokenOrigin: credential.origin,
    unusedToken: first.fromEnvironment && stored ? stored.origin : null,
    kind: credential.kind,
    ...describeToken(credential),
    addresses: otherAddresses(settings),
    verified: verify,
  };
}

function describeTarget(target: Target) {
  const { project, platform, region } = target;
  return withNulls({
    target: targetText(target),
    project: project.value,
    projectOrigin: project.value && project.origin,
    platform: platform.value,
    platformOrigin: platform.origin,
    region: region.value,
    regionOrigin: region.value && region.origin,
  });
}

function otherAddresses({ addresses }: Settings): Record<string, string> {
  const others = Object.entries(addresses).filter(([, { origin }]) => origin !== 'default');
  return Object.fromEntries(others.map(([name, { value }]) => [name, value]));
}

/** Lists the projects that the token has access to, and which of them is in use. */
export async function listProjectsInUse(context: Pick<Context, 'api' | 'project'>) {
  const projects = await context.api(listProjects, {});
  const current = projectOf(context);
  return projects.map((project) => ({ ...project, current: project.id === current }));
}

/** Stores the project in the profile. Throws NotFoundError if the token has no access to it. */
export async function useProject(context: Context, id: string) {
  const { api, settings } = context;
  refuseEmulator(context);
  const project = checkProjectId(id);
  checkAccess(await api(listProjects, {}), project);
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

/** Removes the stored token of the profile, or of all profiles. Succeeds if there is none. */
export async function logOut(context: Context, { all }: { all: boolean }) {
  const { settings, env, progress } = context;
  const profiles = existsSync(credentialsPath(settings)) ? await removeTokens(context, all) : [];
  // Without it, the name of a profile that has no settings would be an unknown one.
  for (const name of profiles) await storeSettings(settings, name, {});
  if (profiles.length > 0) progress.note('removed tokens stay valid until they expire; revoke them in the dashboard');
  else progress.note(all ? 'no token stored' : `no token stored for profile ${settings.profile.value}`);
  const given = environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} is still in use: unset it as well`);
  return { profiles, stillUsed: given?.origin ?? null };
}
