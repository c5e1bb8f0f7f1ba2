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
    const cause = explanation && `cause: ${explanation.title}`;
    const known = [reason, cause].filter(Boolean).join('\n');
    const at = location ?? explanation?.location ?? undefined;
    return [
      {
        ...own,
        ...(at && { location: at }),
        ...(known && { why: known }),
        ...(explanation && { fix: explanation.fix }),
      },
    ];
  }
  return [{ ...own, ...(why && { why }), ...(fix && { fix }) }];
}

/** What is known of the cause of a failed build. */
interface Explained {
  title: string;
  fix: string;
  location: FileLocation | null;
}
