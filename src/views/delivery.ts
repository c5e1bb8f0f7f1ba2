import { stringifyJson } from '../json-text.ts';
import type { ShownDelivery } from '../operations/webhooks/index.ts';
import { localTime, size } from '../output/format.ts';
import type { View } from '../output/page.ts';

/** One delivery: what became of it, what it is of, and its body. */
export function deliveryView(delivery: ShownDelivery): View {
  return ({ style }) => {
    const { id, receivedAt, runId, signature, why, status, forwardedTo, path, bytes } = delivery;
    const paint = { good: style.green, bad: style.red, unchecked: style.yellow }[signature];
    const answered = status === null ? 'no answer' : `answered ${status}`;
    const head = [`${style.dim(localTime(receivedAt))} ${style.bold(id)}`, paint(`signature ${signature}`), answered];
    const about = [runId ? `run ${runId}` : 'no run', path, size(bytes), ...(forwardedTo ? [`to ${forwardedTo}`] : [])];
    const lines = [about.join(', '), ...(why ? [`why ${why}`] : [])].map((line) => style.dim(`  ${line}`));
    return [head.join('  '), ...lines, bodyText(delivery).replace(/^/gm, '  '), ''].join('\n');
  };
}

function bodyText({ body, encoding, bytes }: ShownDelivery): string {
  if (encoding === 'json') return stringifyJson(body, 2);
  return encoding === 'text' ? String(body) : `${size(bytes)} that are no text`;
}
