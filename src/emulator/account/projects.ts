import type { Handlers } from '../platform.ts';

export const projectHandlers: Pick<Handlers, 'listProjects'> = {
  listProjects(_, { store }) {
    return store.projects.map((id) => ({ id, name: `project ${id.replace(/^p-/, '')}` }));
  },
};
