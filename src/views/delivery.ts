import { jsonText } from '../json-text.ts';
import type { Delivery } from '../operations/webhooks/index.ts';
import type { View } from '../output/page.ts';
import { localTime, size } from '../output/words.ts';

/** One delivery: what became of it, what it is of, and its body. */
export function deliveryView(delivery: Delivery): View {
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

function bodyText({ body, encoding, bytes }: Delivery): string {
  if (encoding === 'json') return jsonText(body, 2);
  return encoding === 'text' ? String(body) : `${size(bytes)} that are no text`;
}
