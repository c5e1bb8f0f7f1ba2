import {
  BuildFailedError,
  type FileLocation,
  type GantryError,
  NotReadyError,
  type Problem,
  ProjectError,
} from '../../kernel/errors.ts';

/** What the user has to fix before the app is reloaded. */
export function reloadProblems(error: GantryError): readonly Problem[] {
  if (error instanceof ProjectError && error.problems.length > 0) return error.problems;
  const { why, fix, location } = error.facts;
  const own: Problem = { severity: 'error', message: error.message, ...(location && { location }) };
  // The whole log would repeat the reason.
  if (error instanceof NotReadyError || error instanceof BuildFailedError) {
    const { reason = why, explanation } = (error.facts.details ?? {}) as { reason?: unknown; explanation?: Explained };
    return [{ ...asProblem(explanation, reason), ...own }];
  }
  return [{ ...own, ...(why && { why }), ...(fix && { fix }) }];
}

function asProblem(explained: Explained | undefined, reason: unknown): Partial<Problem> {
  if (!explained) return reason ? { why: String(reason) } : {};
  const { title, fix, location } = explained;
  const why = [reason, `cause: ${title}`].filter(Boolean).join('\n');
  return { why, fix, ...(location && { location }) };
}

/** What is known of the cause of a failed build. */
type Explained = Record<'title' | 'fix', string> & { location: FileLocation | null };
