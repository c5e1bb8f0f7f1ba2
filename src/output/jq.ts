import type { Jq } from 'jq-wasm/inline';
import { FailedError, UsageError } from '../errors.ts';

/** Filters JSON texts, one or several below one another. Returns lines; strings are unquoted. */
export type JqFilter = (json: string) => string;

/** Prepares the expression of `--jq`. Throws UsageError if it is invalid, before the command has done anything. */
export async function compileJq(expression: string): Promise<JqFilter> {
  const { loadJq } = await import('jq-wasm/inline');
  const jq = await loadJq();
  const { exitCode, stderr } = run(jq, '', expression);
  if (exitCode !== 0) throw invalidExpression(expression, stderr);
  return (json) => {
    const { stdout, stderr, exitCode } = run(jq, json, expression);
    if (exitCode !== 0) {
      throw new FailedError('--jq cannot filter the result', {
        why: stderr.replace(/^jq: error \(at [^)]*\): /gm, '').trim(),
        fix: 'run the command without --jq to see its JSON; the command itself has succeeded',
      });
    }
    return stdout === '' ? '' : `${stdout.replace(/\n$/, '')}\n`;
  };
}

function run(jq: Jq, json: string, expression: string) {
  return jq.raw(json, expression, ['--raw-output', '--compact-output']);
}

/** jq prints the line and column of each mistake, and marks it below the expression. */
function invalidExpression(expression: string, stderr: string): UsageError {
  const [, reason = stderr.trim(), line = '', column = '', marked = ''] =
    /^jq: error: (.*?) at <top-level>, line (\d+), column (\d+):\n((?: {4}.*\n?)*)/s.exec(stderr) ?? [];
  const place = column ? ` (line ${line}, column ${column})` : '';
  return new UsageError(`invalid --jq expression "${expression}"${place}`, {
    why: [reason, ...marked.split('\n').map((text) => text.slice(4))].filter((text) => text.trim()).join('\n'),
    fix: 'jq manual: https://jqlang.org/manual/',
    details: { line: Number(line) || undefined, column: Number(column) || undefined },
  });
}
