import type { Handlers } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { Store } from '../state/store.ts';
import { findApp } from './find.ts';

type SecretHandlers = Pick<Handlers, 'getProjectSecrets' | 'setProjectSecrets' | 'getAppSecrets' | 'setAppSecrets'>;

/** Kept by the id of the project or of the app; each write replaces all of them. */
export const secretHandlers: SecretHandlers = {
  getProjectSecrets({ project }, { store }) {
    return store.secrets.get(project) ?? null;
  },

  setProjectSecrets({ project, body }, { store }) {
    return replaceSecrets(store, project, body);
  },

  getAppSecrets(given, { store }) {
    return store.secrets.get(findApp(store, given).id) ?? null;
  },

  setAppSecrets({ body, ...given }, { store }) {
    return replaceSecrets(store, findApp(store, given).id, body);
  },
};

function replaceSecrets(store: Store, owner: string, secrets: Record<string, string>): undefined {
  const wrong = Object.keys(secrets).find((name) => !/^[\w.-]{1,253}$/.test(name));
  if (wrong !== undefined) refuse(400, `secret name ${wrong} is not valid`);
  const [broken] = Object.entries(secrets).find(([, value]) => value.includes('\0')) ?? [];
  if (broken !== undefined) refuse(400, `secret ${broken} must not contain NUL: it becomes an environment variable`);
  if (Object.keys(secrets).length > 0) store.secrets.set(owner, secrets);
  else store.secrets.delete(owner);
  store.save();
  return undefined;
}
