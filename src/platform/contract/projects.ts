import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf } from './lists.ts';
import { optionalText, textOrEmpty } from './scalars.ts';

export const Project = objectOf({ id: textOrEmpty, name: optionalText });
export type Project = v.InferOutput<typeof Project>;

/** List the projects that a token gives access to (docs/platform.md#projects). */
export const listProjects = endpoint('GET /v2/projects', { reply: listOf(Project, 'id') });
