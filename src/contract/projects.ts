import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { list, object } from './lists.ts';
import { optionalText, textOrEmpty } from './scalars.ts';

export const Project = object({ id: textOrEmpty, name: optionalText });
export type Project = v.InferOutput<typeof Project>;

/** Lists the projects that a token has access to (docs/platform.md: Projects). */
export const listProjects = endpoint('GET /v2/projects', { reply: list(Project, 'id') });
