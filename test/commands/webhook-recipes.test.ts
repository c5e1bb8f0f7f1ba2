import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { signWebhook } from '../../src/platform/contract/webhooks.ts';

const guide = readFileSync('docs/webhooks.md', 'utf8');
const recipe = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';

/** What the platform sends, with what was altered. */
function delivery(altered: Record<string, string> = {}, { body = '{"a": "ö"}', secondsAgo = 0 } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo);
  const signature = signWebhook('hush', { requestId: 'r-1', timestamp, body: '{"a": "ö"}' });
  const names = { 'x-request-id': 'r-1', 'x-cerebrium-webhook-timestamp': timestamp };
  return { headers: { ...names, 'x-cerebrium-webhook-signature': signature, ...altered }, body };
}

const deliveries = [
  delivery(),
  delivery({}, { body: '{"a":"ö"}' }),
  delivery({ 'x-request-id': 'r-2' }),
  delivery({ 'x-cerebrium-webhook-timestamp': 'noon' }),
  delivery({ 'x-cerebrium-webhook-signature': 'v1,00' }),
  delivery({}, { secondsAgo: 301 }),
];
const genuine = [true, false, false, false, false, false];

test('the recipe for Node accepts only a genuine delivery', async () => {
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(recipe('js'))}`);
  expect(deliveries.map(({ headers, body }) => isGenuine(headers, Buffer.from(body), 'hush'))).toEqual(genuine);
});

const hasPython = (() => {
  try {
    return execFileSync('python3', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

test.runIf(hasPython)('the recipe for Python accepts only a genuine delivery', () => {
  const program = `${recipe('python')}
import json, sys
print(json.dumps([is_genuine(d["headers"], d["body"].encode(), "hush") for d in json.load(sys.stdin)]))`;
  const answer = execFileSync('python3', ['-c', program], { input: JSON.stringify(deliveries), encoding: 'utf8' });
  expect(JSON.parse(answer)).toEqual(genuine);
});
