import { refuse } from '../../http/reply.ts';
import { findApp } from '../../model/state/find-app.ts';
import type { Store } from '../../model/state/store.ts';
import type { Handlers } from '../platform.ts';

type SecretHandlers = Pick<Handlers, 'getProjectSecrets' | 'setProjectSecrets' | 'getAppSecrets' | 'setAppSecrets'>;

/** Each write replaces all secrets of the project or app. */
export const secretHandlers: SecretHandlers = {
  getProjectSecrets({ project }, { store }) {
    return store.secrets.get(project) ?? null;
  },

  setProjectSecrets({ project, body }, { store }) {
    return replaceSecrets(store, project, body);
  },

  getAppSecrets(params, { store }) {
    return store.secrets.get(findApp(store, params).id) ?? null;
  },

  setAppSecrets({ body, ...params }, { store }) {
    return replaceSecrets(store, findApp(store, params).id, body);
  },
};

function replaceSecrets(store: Store, owner: string, secrets: Record<string, string>): undefined {
  const invalid = Object.keys(secrets).find((name) => !/^[\w.-]{1,253}$/.test(name));
  if (invalid !== undefined) refuse(400, `invalid secret name: ${invalid}`);
  const [withNul] = Object.entries(secrets).find(([, value]) => value.includes('\0')) ?? [];
  if (withNul !== undefined) refuse(400, `secret ${withNul} must not contain NUL: it becomes an environment variable`);
  if (Object.keys(secrets).length > 0) store.secrets.set(owner, secrets);
  else store.secrets.delete(owner);
  store.save();
  return undefined;
}
