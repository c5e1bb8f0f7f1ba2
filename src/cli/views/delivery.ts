import type { ShownDelivery } from '../../calls/webhooks/index.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { localTime, size } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';

export function deliveryView(delivery: ShownDelivery): View {
  return ({ style }) => {
    const { id, receivedAt, run, signature, why, statusCode, forwardedTo, path, bytes } = delivery;
    const paint = { good: style.green, bad: style.red, unchecked: style.yellow }[signature];
    const result = statusCode === null ? 'no response' : `returned ${statusCode}`;
    const head = [`${style.dim(localTime(receivedAt))} ${style.bold(id)}`, paint(`signature ${signature}`), result];
    const about = [
      run ? `run ${run}` : 'no run id',
      path,
      size(bytes),
      ...(forwardedTo ? [`forwarded to ${forwardedTo}`] : []),
    ];
    const lines = [about.join(', '), ...(why ? [`why ${why}`] : [])].map((line) => style.dim(`  ${line}`));
    return [head.join('  '), ...lines, bodyText(delivery).replace(/^/gm, '  '), ''].join('\n');
  };
}

function bodyText({ body, encoding, bytes }: ShownDelivery): string {
  if (encoding === 'json') return stringifyJson(body, 2);
  return encoding === 'text' ? String(body) : `${size(bytes)} (binary)`;
}
