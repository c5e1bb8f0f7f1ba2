import { withFixCommands } from '../../kernel/command-line.ts';
import { platformExits } from '../../kernel/errors.ts';
import { ago, count, sizeCell } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { onTerminal, table, wrappedTable } from '../../kernel/output/table.ts';
import { type CacheEntry, cacheEntryFields, cacheKinds, clearCache, listCache } from '../../local/cache.ts';
import { type Check, runChecks } from '../../local/doctor/index.ts';
import { defineCommand } from '../command.ts';
import { durationFlag } from '../flags/values.ts';
import { anything, choice, documents, optional, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .addOption(command.createOption('--cache [kind]', 'list what is kept on this machine').choices(cacheKinds))
      .option('--clear', 'remove it')
      .option('--app <app>', 'only archives and runs of this app')
      .option('--older-than <duration>', 'only what is unused for this long', durationFlag),
  flagRules: { requires: { clear: ['cache'], app: ['cache'], olderThan: ['cache'] } },
  run: async (context, { cache, clear, ...filter }): Promise<Check[] | CacheEntry[]> => {
    if (cache === undefined) {
      const checks = (await runChecks(context)).map((check) => withFixCommands(check, context.inPlace));
      context.progress.note(verdictOf(checks));
      return checks;
    }
    const kind = cache === true ? undefined : cache;
    return (clear ? clearCache : listCache)(context, { kind, ...filter });
  },
  view: (list, { cache }) => (cache === undefined ? checksView(list as Check[]) : cacheTable(list as CacheEntry[])),
  exit: (list) => list.flatMap((each) => ('check' in each && each.status === 'failed' ? each.code : []))[0] ?? 'ok',
  empty: ({ clear }) => (clear ? 'there was nothing to remove' : 'nothing is kept on this machine'),
  // What is kept can be made again, but for archives: clearing asks.
  effect: 'reads',
  onlyReads: ({ clear }) => clear === undefined,
  dryRun: true,
  local: true,
  exits: platformExits,
  json: documents(
    {
      check: text('name of the check'),
      status: choice(['ok', 'warning', 'failed'], 'ok, warning or failed'),
      message: text('result'),
      why: optional(text('cause of a failure, if known')),
      fix: optional(anything('how to fix it, if there is a problem')),
      code: optional(text('for a failed check: name of its exit code; the first one is the exit code of the command')),
    },
    cacheEntryFields,
  ),
  formOf: ({ cache }) => (cache === undefined ? undefined : documents(cacheEntryFields)),
  details: [
    '--cache lists packing (compressed files), archives (for gantry rollback), python (environments of the emulator) and runs (for figures). Only archives cannot be made again.',
  ],
  examples: [
    'doctor',
    'doctor --cache',
    'doctor --cache --clear --older-than 30d',
    'doctor --cache archives --app web --clear --yes',
  ],
});

/** `2 of 15 checks failed: token, project`. */
function verdictOf(checks: readonly Check[]): string {
  const [failed, doubtful] = (['failed', 'warning'] as const).map((kind) =>
    checks.filter(({ status }) => status === kind).map(({ check }) => check),
  ) as [string[], string[]];
  const told = (names: readonly string[], what: string) =>
    names.length > 0 ? [`${names.length} of ${count(checks.length, 'check')} ${what}: ${names.join(', ')}`] : [];
  return [...told(failed, 'failed'), ...told(doubtful, 'warned')].join('; ') || `all ${checks.length} checks passed`;
}

/** A row for each check, its fix below the message. Off a terminal the fix is a column. */
function checksView(checks: readonly Check[]): View {
  return onTerminal(wrappedTable(checks, checkColumns, { titled: false }), table(checks, [], plainColumns));
}

const checkColumns = {
  MARK:
    ({ status }: Check) =>
    ({ style, unicode }: Page) => {
      const { symbol, plain, color } = marks[status];
      return style[color](unicode ? symbol : plain);
    },
  CHECK: ({ check }: Check) => check,
  MESSAGE: (check: Check) => (page: Page) => messageText(check, page),
};

const plainColumns = {
  CHECK: ({ check }: Check) => check,
  STATUS: ({ status }: Check) => status,
  MESSAGE: ({ message, why }: Check) => (why ? `${message}: ${why}` : message),
  FIX: ({ fix }: Check) => (fix ? String(fix) : ''),
};

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

function cacheTable(entries: readonly CacheEntry[]): View {
  return table(entries, ['KIND', 'APP', 'BUILD', 'SIZE'], {
    KIND: ({ kind }) => kind,
    APP: ({ app }) => app,
    BUILD: ({ build }) => build,
    SIZE: ({ bytes }) => sizeCell(bytes),
    USED: ({ usedAt }) => ago(usedAt),
    PATH: ({ path }) => path,
  });
}
