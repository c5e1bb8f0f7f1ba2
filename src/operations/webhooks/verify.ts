import type { Context } from '../../context.ts';
import { webhookHeaders } from '../../contract/invocation.ts';
import { readNamedFile, readToEnd } from '../../disk/index.ts';
import { FailedError, UsageError } from '../../errors.ts';
import { checkSignature, deliveryRunId } from './check-signature.ts';
import { readWebhookSecret } from './secret.ts';

export interface VerifyOptions {
  /** A file; `-` is stdin. */
  input: string;
  /** A file with `Name: value` lines. */
  headerFile?: string | undefined;
  signature?: string | undefined;
  timestamp?: string | undefined;
  requestId?: string | undefined;
  secretFile?: string | undefined;
  /** Infinity accepts any age. */
  maxAgeMs: number;
}

export interface VerifiedDelivery {
  valid: true;
  run: string;
  /** RFC 3339, UTC. */
  signedAt: string;
}

type VerifyContext = Pick<Context, 'cwd' | 'stdin' | 'env' | 'readStdin' | 'now' | 'secrets' | 'signal'>;

/** Checks the signature of one delivery. Throws FailedError, with the reason, if it is not valid. */
export async function verifyDelivery(context: VerifyContext, options: VerifyOptions): Promise<VerifiedDelivery> {
  const { input: file, headerFile, secretFile, maxAgeMs } = options;
  if ([file, headerFile, secretFile].filter((each) => each === '-').length > 1) {
    throw new UsageError('only one value can be read from stdin');
  }
  const secret = await readWebhookSecret(context, secretFile);
  if (!secret) throw new UsageError('no secret: pass --secret-file FILE, or set GANTRY_WEBHOOK_SECRET');
  const headers = {
    ...(headerFile === undefined ? {} : parseHeaderFile((await readBytes(context, headerFile)).toString())),
    ...header(webhookHeaders.signature, options.signature),
    ...header(webhookHeaders.timestamp, options.timestamp),
    ...header(webhookHeaders.runId, options.requestId),
  };
  const body = await readBytes(context, file);
  const { signature, why } = checkSignature({ headers, body }, secret, { now: context.now(), maxAgeMs });
  if (signature !== 'good') {
    const isTooOld = maxAgeMs !== Number.POSITIVE_INFINITY && /maximum/.test(why ?? '');
    throw new FailedError(`invalid delivery: ${why}`, {
      ...(isTooOld ? { fix: 'pass --max-age none to accept any age' } : {}),
      details: { valid: false, why },
    });
  }
  const seconds = Number(headers[webhookHeaders.timestamp.toLowerCase()]);
  return { valid: true, run: deliveryRunId(headers), signedAt: new Date(seconds * 1000).toISOString() };
}

function header(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name.toLowerCase()]: value };
}

/** Parses headers as `curl --dump-header` writes them. Ignores other lines, such as the status line. */
function parseHeaderFile(text: string): Record<string, string> {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => /^([\w-]+):(.*)$/.exec(line));
  return Object.fromEntries(
    lines.filter((line) => line !== null).map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]),
  );
}

async function readBytes(context: VerifyContext, file: string): Promise<Buffer> {
  if (file !== '-') return readNamedFile(context, file);
  return readToEnd(context.stdin, { name: 'stdin', signal: context.signal });
}
