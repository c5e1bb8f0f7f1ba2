import type { Context } from '../../context.ts';
import { webhookHeaders } from '../../contract/invocation.ts';
import { FailedError, UsageError } from '../../errors.ts';
import { readNamedFile } from '../input/index.ts';
import { checkSignature, deliveryRunId } from './check-signature.ts';
import { readWebhookSecret } from './secret.ts';

export interface VerifyOptions {
  /** A file; `-` is stdin. */
  body: string;
  /** `Name: value` lines. */
  headerFile?: string | undefined;
  signature?: string | undefined;
  timestamp?: string | undefined;
  requestId?: string | undefined;
  secretFile?: string | undefined;
  /** Milliseconds; endless for any. */
  maxAgeMs: number;
}

export interface VerifiedDelivery {
  valid: true;
  requestId: string;
  /** When it was signed, RFC 3339, UTC. */
  signedAt: string;
}

type Reading = Pick<Context, 'cwd' | 'stdin' | 'env' | 'readStdin' | 'now' | 'secrets' | 'signal'>;

/** Checks one delivery. Throws FailedError, which tells why, when it is not by who has the secret. */
export async function verifyDelivery(context: Reading, verifying: VerifyOptions): Promise<VerifiedDelivery> {
  const { body: file, headerFile, secretFile, maxAgeMs } = verifying;
  if ([file, headerFile, secretFile].filter((each) => each === '-').length > 1) {
    throw new UsageError('only one thing can come from stdin');
  }
  const secret = await readWebhookSecret(context, secretFile);
  if (!secret) throw new UsageError('there is no secret', { fix: '--secret-file FILE, or GANTRY_WEBHOOK_SECRET' });
  const headers = {
    ...(headerFile === undefined ? {} : headersIn((await bytesOf(context, headerFile)).toString())),
    ...given(webhookHeaders.signature, verifying.signature),
    ...given(webhookHeaders.timestamp, verifying.timestamp),
    ...given(webhookHeaders.runId, verifying.requestId),
  };
  const body = await bytesOf(context, file);
  const { signature, why } = checkSignature({ headers, body }, secret, { now: context.now(), maxAgeMs });
  if (signature !== 'good') {
    throw new FailedError(`the delivery is not valid: ${why}`, {
      ...(maxAgeMs !== Number.POSITIVE_INFINITY && /allowed$/.test(why ?? '')
        ? { fix: '--max-age none looks at no time' }
        : {}),
      details: { valid: false, why },
    });
  }
  const seconds = Number(headers[webhookHeaders.timestamp.toLowerCase()]);
  return { valid: true, requestId: deliveryRunId(headers), signedAt: new Date(seconds * 1000).toISOString() };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name.toLowerCase()]: value };
}

/** As `curl --dump-header` and servers write them; a first line that is none is no matter. */
function headersIn(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).map((line) => /^([\w-]+):(.*)$/.exec(line));
  return Object.fromEntries(
    lines.filter((line) => line !== null).map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]),
  );
}

async function bytesOf(context: Reading, file: string): Promise<Buffer> {
  if (file !== '-') return readNamedFile(context, file);
  const pieces: Buffer[] = [];
  for await (const piece of context.stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
