import type { ExitName } from '../errors.ts';
import type { CopySummary } from '../operations/copy/index.ts';
import { tallyText } from '../operations/copy/tally.ts';
import type { View } from '../output/page.ts';

export function copyView(summary: CopySummary): View {
  const done = summary.dryRun ? 'would copy' : 'copied';
  return () => `${done} ${tallyText(summary)} to ${summary.to}`;
}

/** What all failures have in common, or just that there were some. */
export function copyExit({ failed }: CopySummary): ExitName {
  const [first] = failed;
  if (!first) return 'ok';
  return failed.every(({ code }) => code === first.code) ? first.code : 'failed';
}
