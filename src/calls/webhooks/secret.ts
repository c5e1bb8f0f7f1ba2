import { readNamedFile } from '../../kernel/disk/index.ts';
import { readVariable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';

/** It is sent in a header. */
const maxSecretBytes = 64 * 2 ** 10;

type SecretContext = Pick<Context, 'env' | 'cwd' | 'readStdin' | 'secrets' | 'signal'>;

/**
 * Reads the secret that signs deliveries from a file (`-` is stdin) or GANTRY_WEBHOOK_SECRET; undefined if there is
 * none. Throws UsageError if it cannot be sent in a header.
 */
export async function readWebhookSecret(context: SecretContext, file?: string): Promise<string | undefined> {
  const { env, readStdin, secrets } = context;
  if (file === undefined) return checkSecret(readVariable(env, 'GANTRY_WEBHOOK_SECRET'), 'GANTRY_WEBHOOK_SECRET');
  const text = file === '-' ? await readStdin() : String(await readNamedFile(context, file, maxSecretBytes));
  const source = file === '-' ? 'stdin' : file;
  const secret = checkSecret(text.replace(/^\ufeff|\r?\n$/g, ''), source);
  if (!secret) throw new UsageError(`the secret in ${source} is empty`);
  secrets.add(secret);
  return secret;
}

function checkSecret(secret: string | undefined, source: string): string | undefined {
  if (!secret || /^[!-~]([ -~]*[!-~])?$/.test(secret)) return secret || undefined;
  throw new UsageError(`the secret in ${source} is not valid`, {
    why: 'it is sent in a header: one line of printable ASCII, without spaces around it',
  });
}
