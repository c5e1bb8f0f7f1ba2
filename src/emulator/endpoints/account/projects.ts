import type { Handlers } from '../platform.ts';

export const projectHandlers: Pick<Handlers, 'listProjects'> = {
  /** A service account sees the projects that it has grants for. */
  listProjects(_, { store }, caller) {
    const grants = caller?.kind === 'service account' ? caller.projects : undefined;
    const visible = store.projects.filter((id) => grants?.includes(id) ?? true);
    return visible.map((id) => ({ id, name: `project ${id.replace(/^p-/, '')}` }));
  },
};
