/** @typedef {import('./types.ts').App} App @typedef {import('./index.js').AppPlatform} AppPlatform */

export const project = 'p-other0001';

/** @param {App} found @param {string | null} token @param {AppPlatform} platform @param {boolean} [hasMethods] */
export function runsPage(found, token, { world, quirks }, hasMethods = false) {
  const { pageSize = 100 } = quirks;
  const runs = world.runs(found);
  const from = Number(token ?? 0);
  const items = runs.slice(from, from + pageSize).map((run) => ({
    ...shownRun(run, quirks),
    ...(hasMethods && !quirks.hidesMethods && { method: 'isJob' in run ? '' : 'POST' }),
  }));
  return {
    items,
    total: number(runs.length, quirks),
    ...(from + pageSize < runs.length && { nextToken: String(from + pageSize) }),
  };
}

/** @param {{ id: string, at: number, code: number, pod: string, status?: string }} run @param {import('./types.ts').Quirks} quirks */
export function shownRun({ id, at, code, pod, status: told }, quirks) {
  const status = quirks.hasStatuses ? { status: told ?? (code < 400 ? 'success' : 'failure') } : {};
  return {
    id,
    podName: pod,
    projectId: project,
    statusCode: number(code, quirks),
    createdAt: iso(at),
    updatedAt: iso(at),
    ...status,
  };
}

/** @param {number} value @param {import('./types.ts').Quirks} quirks */
export function number(value, { hasText }) {
  return hasText ? String(value) : value;
}

/** @param {number} at */
export function iso(at) {
  return new Date(at).toISOString();
}
