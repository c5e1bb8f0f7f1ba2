import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { listening } from '../support/listening.ts';
import { running } from './support/running.ts';

test('a webhook trusts the authorities of SSL_CERT_FILE, as all connections of gantry do', async () => {
  vi.stubEnv('SSL_CERT_FILE', resolve('fixtures/tls/cert.pem'));
  const [key, cert] = ['key', 'cert'].map((name) => readFileSync(`fixtures/tls/${name}.pem`));
  const url = (await listening(createServer({ key, cert }))).replace('http:', 'https:');
  const app = await running('functions', {}, { real: false });
  await app.call(`run?webhookEndpoint=${encodeURIComponent(url)}`, { name: 'Ada' });
  // The certificate is another host's: that is looked at once it is trusted.
  const delivery = async () => JSON.stringify(await app.runs());
  await expect.poll(delivery).toContain('failed (attempt 3): ERR_TLS_CERT_ALTNAME_INVALID');
});
