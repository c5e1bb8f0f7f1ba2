import { count, duration, fileSummary, size } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, table, wrapped } from '../../kernel/output/table.ts';
import type { PulledWeights, PullSummary, VerifySummary } from '../../storage/weights/index.ts';

export function pullView(summary: PullSummary): View {
  return wrapped(summary.weights.map((each) => pulledText(each, summary)).join('\n'));
}

/** `hf://…: 11 files, 1.4 GiB on default:/models/qwen/ with the checksums of the source; 2 files copied (1.2 GiB) in 31 s`. */
function pulledText(
  { source, target, mount, files, bytes, equal, listed, unread, copied, copiedBytes, resumedBytes }: PulledWeights,
  { dryRun, durationMs, lock }: PullSummary,
): string {
  if (dryRun) {
    const same = unread > 0 ? `, compare ${count(unread, 'file')} of the same size` : '';
    return `would copy ${fileSummary(copied, copiedBytes)} to ${target}${same}; ${equal} there already`;
  }
  if (equal + copied < files) {
    return `${source}: ${equal + copied} of ${count(files, 'file')} on ${target}; ${lock} was not written`;
  }
  const resumed = resumedBytes > 0 ? `, ${size(resumedBytes)} of them resumed` : '';
  const copying = `${count(copied, 'file')} copied (${size(copiedBytes)}${resumed}) in ${duration(durationMs)}`;
  const proven =
    listed === 0 ? 'with the checksums of the source' : `as ${lock} says (${listed} only listed, not read)`;
  const all = `${source}: ${fileSummary(files, bytes)} on ${target} ${proven}`;
  return `${all}; ${copied === 0 ? 'nothing to copy' : copying}\napps find them at ${mount}; recorded in ${lock}`;
}

export function verifyView({ lock, files, bytes, problems, quick }: VerifySummary): View {
  const good = files - problems.length;
  const how = quick ? 'only listed, not read' : 'by their SHA-256';
  return stackViews(
    wrapped(`${good} of ${fileSummary(files, bytes)} as ${lock} says (${how})`),
    problems.length > 0
      ? table(problems, [], {
          FILE: ({ path }) => path,
          PROBLEM: ({ problem }) => problem,
          FOLDER: ({ target }) => target,
        })
      : undefined,
  );
}
