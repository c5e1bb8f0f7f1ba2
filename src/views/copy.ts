import type { ExitName } from '../errors.ts';
import { type CopySummary, copySummaryText } from '../operations/copy/index.ts';
import type { SyncSummary } from '../operations/sync/index.ts';
import { count, fileSummary } from '../output/format.ts';
import type { View } from '../output/page.ts';

export function copyView(summary: CopySummary): View {
  const { dryRun, files, bytes, to } = summary;
  return () => (dryRun ? `would copy ${fileSummary(files, bytes)} to ${to}` : `copied ${copySummaryText(summary)}`);
}

/** The common code of all failures, or `failed` if they differ. */
export function copyExit({ failed }: CopySummary): ExitName {
  const [first] = failed;
  if (!first) return 'ok';
  return failed.every(({ code }) => code === first.code) ? first.code : 'failed';
}

export function syncView(summary: SyncSummary): View {
  const { dryRun, files, unchanged, deleted, to } = summary;
  return (page) =>
    [
      files + summary.failed.length + summary.skipped > 0 ? copyView(summary)(page) : `nothing to copy to ${to}`,
      dryRun ? '' : `${count(unchanged, 'file')} unchanged${deleted > 0 ? `, ${deleted} deleted` : ''}`,
    ]
      .filter(Boolean)
      .join('; ');
}
