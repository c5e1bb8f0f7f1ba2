import type { ExitName } from '../../kernel/errors.ts';
import { count, duration, fileSummary, groupDigits, size } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { CopySummary } from '../../storage/copy/index.ts';
import type { SyncSummary } from '../../storage/sync/index.ts';

export function copyView(summary: CopySummary): View {
  return wrapped(copyText(summary));
}

function copyText(summary: CopySummary): string {
  const { dryRun, files, bytes, to } = summary;
  return dryRun ? `would copy ${fileSummary(files, bytes)} to ${to}` : `copied ${summaryText(summary)}`;
}

/** `340 files, 1.2 GiB to default:/x in 4.0 s (300 MiB/s); 3 skipped`. */
function summaryText({ to, files, bytes, skipped, failed, resumedBytes, durationMs }: CopySummary): string {
  const transferredBytes = bytes - resumedBytes;
  const rate = durationMs > 0 && transferredBytes > 0 ? ` (${size((transferredBytes / durationMs) * 1_000)}/s)` : '';
  return [
    `${fileSummary(files, bytes)} to ${to} in ${duration(durationMs)}${rate}`,
    resumedBytes > 0 ? `${size(resumedBytes)} resumed` : '',
    skipped > 0 ? `${groupDigits(skipped)} skipped` : '',
    failed.length > 0 ? `${groupDigits(failed.length)} failed` : '',
  ]
    .filter(Boolean)
    .join('; ');
}

/** The common code of all failures, or `failed` if they differ. */
export function copyExit(failed: CopySummary['failed']): ExitName {
  const [first] = failed;
  if (!first) return 'ok';
  return failed.every(({ code }) => code === first.code) ? first.code : 'failed';
}

export function syncView(summary: SyncSummary): View {
  const { dryRun, files, unchanged, deleted, toDelete } = summary;
  const isNothing = files + summary.failed.length + summary.skipped === 0;
  const unchangedText = unchanged === 0 ? '' : `${count(unchanged, 'file')} unchanged`;
  const parts = [
    isNothing ? ['nothing to copy', unchangedText].filter(Boolean).join(': ') : copyText(summary),
    dryRun || isNothing ? '' : unchangedText,
    toDelete?.length ? `${groupDigits(toDelete.length)} to delete` : '',
    deleted > 0 ? `${groupDigits(deleted)} deleted` : '',
  ];
  return wrapped(parts.filter(Boolean).join('; '));
}
