import type { RunBucket } from '../../../contract/runs.ts';
import { type Html, html } from './html.ts';

const width = 720;
const height = 160;
const foot = 20;

/** Bars of requests over time, with those that failed at their feet. */
export function runsSvg(buckets: readonly RunBucket[]): Html {
  const highest = Math.max(1, ...buckets.map(({ totalRequests }) => totalRequests ?? 0));
  const step = width / Math.max(1, buckets.length);
  const total = buckets.reduce((sum, { totalRequests }) => sum + (totalRequests ?? 0), 0);
  const bars = buckets.map((bucket, index) => barOf(bucket, index * step, step, (height - foot) / highest));
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${total} requests in the last 24 hours">
${bars}<text x="4" y="12">max ${highest} per hour</text>
<text x="4" y="${height - 5}">${clockOf(buckets[0])}</text>
<text x="${width - 4}" y="${height - 5}" text-anchor="end">${clockOf(buckets.at(-1))} UTC</text>
</svg>`;
}

function barOf(bucket: RunBucket, x: number, step: number, scale: number): Html {
  const { totalRequests: requests, failedRequests: failed } = bucket;
  return html`<g><title>${clockOf(bucket)}: ${requests ?? 0} requests, ${failed ?? 0} failed</title>${[
    rectangle('requests', x, step, (requests ?? 0) * scale),
    rectangle('failed', x, step, (failed ?? 0) * scale),
  ]}</g>`;
}

function rectangle(kind: string, x: number, step: number, size: number): Html {
  const [left, top, wide, high] = [x + 1, height - foot - size, step - 2, size].map((value) => value.toFixed(1));
  return html`<rect class="${kind}" x="${left}" y="${top}" width="${wide}" height="${high}"/>`;
}

/** `14:00` */
function clockOf(bucket: RunBucket | undefined): string {
  return bucket?.startTime?.slice(11, 16) ?? '';
}
