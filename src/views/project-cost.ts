import type { ProjectCost } from '../contract/costs.ts';
import { type JsonLeaf, jsonLeaves } from '../operations/replies/index.ts';
import { count, dollars, duration } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { keyValueTable } from '../output/table.ts';

/**
 * Shows every figure under its own name, because the set of figures is not documented
 * (docs/platform.md#costs-and-invoices).
 */
export function projectCostView({ summary, coupons }: ProjectCost): View {
  const known = jsonLeaves(summary ?? {}).map(inWords);
  const given = (coupons ?? []).map((coupon): [string, string] => [
    'coupon',
    jsonLeaves(coupon)
      .map(inWords)
      .map(([name, value]) => `${name} ${value}`.trim())
      .join(', '),
  ]);
  return keyValueTable([...known, ...given]);
}

/** `total_gpu_seconds: 5400` reads `total gpu time`, `1h 30m`. */
function inWords([path, value]: JsonLeaf): [name: string, value: string] {
  const words = path
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._]/);
  for (const [unit, { name, read }] of Object.entries(units)) {
    const at = words.indexOf(unit);
    if (at < 0 || typeof value !== 'number') continue;
    const named = words.toSpliced(at, 1, ...(name ? [name] : []));
    return [named.join(' '), read(value)];
  }
  return [words.join(' '), typeof value === 'number' ? number(value) : String(value)];
}

const units: Record<string, { name: string; read: (value: number) => string }> = {
  cents: { name: '', read: dollars },
  seconds: { name: 'time', read: (seconds) => duration(seconds * 1000) },
};

function number(value: number): string {
  return Number.isSafeInteger(value) ? count(value, '', '').trim() : String(value);
}
