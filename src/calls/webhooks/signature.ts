import { readNamedFile } from '../../kernel/disk/index.ts';
import { readVariable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { webhookHeaders } from '../../platform/contract/invocation.ts';
import { findSignatureProblem } from '../../platform/contract/webhooks.ts';
import type { ReceivedRequest } from '../receiver/index.ts';

export interface SignatureCheck {
  /** `unchecked` without a secret. */
  signature: 'good' | 'bad' | 'unchecked';
  why: string | null;
  status: 200 | 400 | 401;
}

/** Maximum difference between the time of a delivery and the local clock, in either direction. */
const maxAgeMs = 5 * 60_000;

/** Checks the signature and the age of a delivery. */
export function checkSignature(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  secret: string | undefined,
  { now }: { now: number },
): SignatureCheck {
  if (secret === undefined) return { signature: 'unchecked', why: null, status: 200 };
  const signed = {
    requestId: deliveryRunId(headers),
    timestamp: headers[webhookHeaders.timestamp.toLowerCase()] ?? '',
    signature: headers[webhookHeaders.signature.toLowerCase()],
    body,
  };
  const problem = findSignatureProblem(secret, signed, { now, maxAgeMs });
  if (!problem) return { signature: 'good', why: null, status: 200 };
  return { signature: 'bad', why: problem.why, status: problem.kind === 'malformed' ? 400 : 401 };
}

/** The run id in the headers, or empty. */
export function deliveryRunId(headers: Record<string, string>): string {
  return headers[webhookHeaders.runId.toLowerCase()] ?? '';
}

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
