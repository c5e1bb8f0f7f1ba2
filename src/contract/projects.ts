import * as v from 'valibot';
import { endpoint } from './endpoint.ts';

export const Project = v.looseObject({ id: v.string(), name: v.optional(v.string()) });
export type Project = v.InferOutput<typeof Project>;

/** The projects a token may work in (wire §1b). */
export const listProjects = endpoint('GET /v2/projects', { reply: v.array(Project) });
