import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { list, object } from './lists.ts';
import { optionalText, textOrEmpty } from './scalars.ts';

export const Project = object({ id: textOrEmpty, name: optionalText });
export type Project = v.InferOutput<typeof Project>;

/** The projects a token may work in (wire §1b). */
export const listProjects = endpoint('GET /v2/projects', { reply: list(Project, 'id') });
