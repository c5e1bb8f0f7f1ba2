import { expect, test } from 'vitest';
import { isSecretVariable } from '../../src/app/secret-value.ts';

test.each([
  ['LOG_LEVEL', 'WARNING'],
  ['ENVIRONMENT', 'production'],
  ['OPENAI_MODEL', 'gpt-4o-mini'],
  ['MODEL', 'meta-llama/Llama-3.1-8B-Instruct'],
  ['MAX_TOKENS_PER_CALL', '4096'],
  ['KEYBOARD', 'qwerty-layout'],
  ['DATABASE', 'postgres://db.example.com:5432/orders_of_customers'],
  ['CALLBACK', 'https://example.com/webhooks/of-our-platform/received?version=2024'],
  ['BUCKET', 'our-company-recordings-production-eu-west-1'],
])('%s=%s is shown', (name, value) => {
  expect(isSecretVariable(name, value)).toBe(false);
});

test.each([
  ['OPENAI_API_KEY', 'simple'],
  ['KEY', 'abc1'],
  ['githubToken', 'words'],
  ['DB_PASS', 'correct horse'],
  ['SENTRY_DSN', 'https://sentry.example/1'],
  ['DATABASE_URL', 'postgres://ada:lovelace@db.example.com/orders'],
  ['VALUE', `sk${'-'}proj-${'q7Zp2mXv9RkL4tNw8BcY'}`],
  ['HASH', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'],
])('%s=%s is hidden', (name, value) => {
  expect(isSecretVariable(name, value)).toBe(true);
});
