import type { SecureContext } from 'node:tls';
import { readVariable } from './environment.ts';
import { attempt } from './errors.ts';
import { once } from './once.ts';

/**
 * SSL_CERT_FILE too, as curl, Python and Go do. Node itself reads NODE_EXTRA_CA_CERTS, and forgets it in a context that gets
 * more. Called before a connection; the files are read at the first one with TLS. One that cannot be read adds nothing, as there.
 */
export const trustCertificateFile = once(async () => {
  if (readVariable(process.env, 'SSL_CERT_FILE') === undefined) return;
  const { default: tls } = await import('node:tls');
  const { createSecureContext } = tls;
  // One for all connections: none has certificates of its own, and a file of all authorities takes a while to read.
  tls.createSecureContext = once(() => withMore(createSecureContext()));
});

function withMore(context: SecureContext): SecureContext {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const) {
    const file = readVariable(process.env, name);
    if (file) attempt(() => context.context.addCACert(readFileSync(file)));
  }
  return context;
}
