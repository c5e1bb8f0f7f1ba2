import type { Delivery } from '../operations/webhooks/listen.ts';
import type { View } from '../output/page.ts';
import { localTime, size } from '../output/words.ts';

/** One delivery: what became of it in a line, then its body. */
export function deliveryView(delivery: Delivery): View {
  return ({ style }) => {
    const { id, receivedAt, runId, signature, why, status, forwardedTo, path, bytes } = delivery;
    const paint = { good: style.green, bad: style.red, unchecked: style.yellow }[signature];
    const answered = status === null ? 'no answer' : `answered ${status}`;
    const facts = [
      `${style.dim(localTime(receivedAt))} ${style.bold(id)}`,
      runId ? `run ${runId}` : 'no run',
      paint(`signature ${signature}${why ? `: ${why}` : ''}`),
      forwardedTo ? `${answered} by ${forwardedTo}` : answered,
      style.dim(`${path}, ${size(bytes)}`),
    ];
    return `${facts.join('  ')}\n${bodyText(delivery).replace(/^/gm, '  ')}\n`;
  };
}

function bodyText({ body, encoding, bytes }: Delivery): string {
  if (encoding === 'json') return JSON.stringify(body, null, 2);
  return encoding === 'text' ? String(body) : `${size(bytes)} that are no text`;
}
