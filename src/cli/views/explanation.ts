import type { ExplainedFailure } from '../../insight/explain/index.ts';
import { problemText } from '../../kernel/output/failure.ts';
import type { View } from '../../kernel/output/page.ts';
import { wrapped } from '../../kernel/output/table.ts';

/** As errors are shown: the cause, where it is, the line that proves it, and how to fix it. */
export function explanationView({ cause, title, evidence, fix, location, log }: ExplainedFailure): View {
  if (cause === null) return wrapped(() => title);
  const why = evidence
    ? `${sourceName(evidence)}: ${evidence.text}`
    : log.length > 0 && ['from the log:', ...log].join('\n');
  const problem = {
    message: title === unknownCause ? 'unknown' : title,
    ...(location && { location }),
    ...(why && { why }),
    ...(fix && { fix }),
  };
  return (page) => problemText({ severity: 'error', ...problem }, page, 'cause');
}

const unknownCause = 'the cause is unknown';

function sourceName({ source, line }: NonNullable<ExplainedFailure['evidence']>): string {
  return line === null ? source : `line ${line} of the log`;
}
