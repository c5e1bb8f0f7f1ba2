import { BuildFailedError, type GantryError, NotReadyError, type Problem, ProjectError } from '../../kernel/errors.ts';

/** What the user has to fix before the app is reloaded. */
export function reloadProblems(error: GantryError): readonly Problem[] {
  if (error instanceof ProjectError && error.problems.length > 0) return error.problems;
  const { why, fix, location } = error.facts;
  const own: Problem = { severity: 'error', message: error.message, ...(location && { location }) };
  // The whole log would repeat the reason.
  if (error instanceof NotReadyError || error instanceof BuildFailedError) {
    const reason = error.facts.details?.reason ?? why;
    return [{ ...own, ...(reason ? { why: String(reason) } : {}) }];
  }
  return [{ ...own, ...(why && { why }), ...(fix && { fix }) }];
}
