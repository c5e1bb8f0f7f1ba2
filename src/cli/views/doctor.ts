import type { Page, View } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { table, wrappedTable } from '../../kernel/output/table.ts';
import type { Check } from '../../local/doctor/index.ts';

/** A row for each check, its fix below the message. Off a terminal the fix is a column. */
export function checksView(checks: readonly Check[]): View {
  return (page) =>
    (page.terminal ? wrappedTable(checks, columns, { titled: false }) : table(checks, plainColumns))(page);
}

const columns = {
  MARK:
    ({ status }: Check) =>
    (page: Page) =>
      mark(status, page),
  CHECK: ({ check }: Check) => check,
  MESSAGE: (check: Check) => (page: Page) => messageText(check, page),
};

const plainColumns = {
  CHECK: ({ check }: Check) => check,
  STATUS: ({ status }: Check) => status,
  MESSAGE: ({ message, why }: Check) => (why ? `${message}: ${why}` : message),
  FIX: ({ fix }: Check) => (fix ? String(fix) : ''),
};

function mark(status: Check['status'], { style, unicode }: Page): string {
  const { symbol, plain, color } = marks[status];
  return style[color](unicode ? symbol : plain);
}

const marks = {
  ok: { symbol: '✓', plain: 'ok', color: 'green' },
  warning: { symbol: '!', plain: '!', color: 'yellow' },
  failed: { symbol: '✗', plain: 'x', color: 'red' },
} as const;

/** Redacted before it is wrapped: a line break would hide a secret from the search for it. */
function messageText({ message, why, fix }: Check, { style, secrets }: Page): string {
  const lines = [
    redact(why ? `${message}: ${why}` : message, secrets),
    ...(fix ? [style.dim(`fix ${redact(String(fix), secrets)}`)] : []),
  ];
  return lines.join('\n');
}
