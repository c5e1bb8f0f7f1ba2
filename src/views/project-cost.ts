import type { ProjectCost } from '../contract/costs.ts';
import { type JsonLeaf, jsonLeaves } from '../operations/replies/index.ts';
import { count, dollars, durationCell } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { type Cell, cellText, keyValueTable } from '../output/table.ts';

/** All fields, named in words: they are not documented. */
export function projectCostView({ summary, coupons }: ProjectCost): View {
  const fields = jsonLeaves(summary ?? {}).map(describe);
  const couponRows = (coupons ?? []).map((coupon): [string, Cell] => [
    'coupon',
    (page) =>
      jsonLeaves(coupon)
        .map(describe)
        .map(([name, value]) => `${name} ${cellText(value, page)}`.trim())
        .join(', '),
  ]);
  return keyValueTable([...fields, ...couponRows]);
}

/** `total_gpu_seconds: 5400` becomes `total gpu time`, `1h 30m`. */
function describe([path, value]: JsonLeaf): [name: string, value: Cell] {
  const words = path
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._]/);
  for (const [unit, { name, format }] of Object.entries(units)) {
    const at = words.indexOf(unit);
    if (at < 0 || typeof value !== 'number') continue;
    const named = words.toSpliced(at, 1, ...(name ? [name] : []));
    return [named.join(' '), format(value)];
  }
  return [words.join(' '), typeof value === 'number' ? numberText(value) : String(value)];
}

const units: Record<string, { name: string; format: (value: number) => Cell }> = {
  cents: { name: '', format: dollars },
  seconds: { name: 'time', format: (seconds) => durationCell(seconds * 1000) },
};

function numberText(value: number): string {
  return Number.isSafeInteger(value) ? count(value, '', '').trim() : String(value);
}
