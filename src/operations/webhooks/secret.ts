import { readVariable } from '../../config/environment.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { readNamedFile } from '../input/index.ts';

type Reading = Pick<Context, 'env' | 'cwd' | 'readStdin' | 'secrets' | 'signal'>;

/**
 * The secret by which deliveries are signed: from a file (`-` is stdin), or from GANTRY_WEBHOOK_SECRET; undefined when
 * there is none. It is never a flag's value. Throws UsageError for what cannot travel in a header.
 */
export async function readWebhookSecret(context: Reading, file?: string): Promise<string | undefined> {
  const { env, readStdin, secrets } = context;
  if (file === undefined) return checked(readVariable(env, 'GANTRY_WEBHOOK_SECRET'), 'GANTRY_WEBHOOK_SECRET');
  const text = file === '-' ? await readStdin() : String(await readNamedFile(context, file));
  const from = file === '-' ? 'stdin' : file;
  const secret = checked(text.replace(/\r?\n$/, ''), from) ?? empty(from);
  secrets.add(secret);
  return secret;
}

function checked(secret: string | undefined, from: string): string | undefined {
  if (!secret || /^[!-~]([ -~]*[!-~])?$/.test(secret)) return secret || undefined;
  throw new UsageError(`the secret in ${from} cannot be used`, {
    why: 'it travels in a header: one line of printable ASCII, no spaces around it',
  });
}

function empty(from: string): never {
  throw new UsageError(`the secret in ${from} is empty`);
}
