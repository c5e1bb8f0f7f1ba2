import type { FailureGroup, MapSummary } from '../../calls/map/index.ts';
import { count, countCell, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, table, wrapped } from '../../kernel/output/table.ts';

export function mapView(summary: MapSummary): View {
  const { failures } = summary;
  return stackViews(
    wrapped(() => summaryText(summary)),
    failures.length > 0 ? failureTable(failures) : undefined,
  );
}

/** `results.jsonl has results of 100 inputs: 97 succeeded, 3 failed (100 calls in 4.0 s)`. */
function summaryText(summary: MapSummary): string {
  const { results, inputs, succeeded, failed, pending, calls, refused, durationMs } = summary;
  const { costCents, stoppedBy, budgetCents } = summary;
  const parts = [
    `${groupDigits(succeeded)} succeeded`,
    ...(failed > 0 ? [`${groupDigits(failed)} failed`] : []),
    ...(pending > 0 ? [`${groupDigits(pending)} not called`] : []),
  ];
  const repeated = refused > 0 ? `; ${groupDigits(refused)} refused and repeated` : '';
  const cost = !costCents ? '' : `, about ${dollars(costCents)} with the cooldown`;
  const stopped = stoppedBy === 'budget' ? `; stopped by the budget of ${dollars(budgetCents ?? 0)}` : '';
  return `${results}: ${parts.join(', ')} of ${count(inputs, 'input')} (${count(calls, 'call')} in ${duration(durationMs)}${cost}${repeated})${stopped}`;
}

function failureTable(failures: readonly FailureGroup[]): View {
  return table(failures, {
    FAILED: ({ inputs }) => countCell(inputs),
    'FIRST INPUT': ({ index }) => countCell(index),
    CAUSE: ({ title }) => title,
  });
}
