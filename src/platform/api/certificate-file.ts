import { readVariable } from '../../kernel/environment.ts';
import { once } from '../../kernel/once.ts';

/** SSL_CERT_FILE too, as curl, Python and Go do; Node itself reads NODE_EXTRA_CA_CERTS. Once, before a connection. */
export const trustCertificateFile = once(async () => {
  const file = readVariable(process.env, 'SSL_CERT_FILE');
  if (file === undefined) return;
  const { default: tls } = await import('node:tls');
  const context = tls.createSecureContext();
  try {
    context.context.addCACert(process.getBuiltinModule('node:fs').readFileSync(file));
  } catch {
    // As there: without it, those that Node knows are trusted.
    return;
  }
  // One for all connections: none has certificates of its own, and a file of all authorities takes a while to read.
  tls.createSecureContext = () => context;
});
