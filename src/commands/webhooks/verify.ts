import { defineCommand } from '../../command.ts';
import { durationFlag } from '../../flags/values.ts';
import { verifyDelivery } from '../../operations/webhooks/index.ts';

export default defineCommand({
  configure: (command) =>
    command
      .requiredOption('--body <file>', 'the body, byte for byte as it came; - is stdin')
      .option('--header-file <file>', 'the headers, one a line: Name: value')
      .option('--signature <signature>', 'the header X-Cerebrium-Webhook-Signature')
      .option('--timestamp <seconds>', 'the header X-Cerebrium-Webhook-Timestamp')
      .option('--request-id <id>', 'the header X-Request-Id')
      .option('--secret-file <file>', 'the secret, if not in GANTRY_WEBHOOK_SECRET; - is stdin')
      .option(
        '--max-age <duration>',
        'how old it may be, or how far in the future; none for any (5m if left out)',
        ageFlag,
      ),
  run: (context, { maxAge = 300_000, ...given }) => verifyDelivery(context, { ...given, maxAgeMs: maxAge }),
  view:
    ({ requestId, signedAt }) =>
    () =>
      `valid: run ${requestId}, signed at ${signedAt}`,
  json: {
    valid: 'true; what is not valid is an error, with exit code 1',
    requestId: 'id of the run',
    signedAt: 'RFC 3339, UTC',
  },
  examples: [
    'webhooks verify --body body.json --header-file headers.txt --secret-file secret.txt',
    'webhooks verify --body - --signature v1,… --timestamp 1700000000 --request-id 3f2a… --max-age none',
  ],
});

function ageFlag(text: string): number {
  return text === 'none' ? Number.POSITIVE_INFINITY : durationFlag(text);
}
