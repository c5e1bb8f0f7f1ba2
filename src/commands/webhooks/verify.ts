import { defineCommand } from '../../command.ts';
import { durationFlag } from '../../flags/values.ts';
import { verifyDelivery } from '../../operations/webhooks/index.ts';
import { wrapped } from '../../output/table.ts';
import { boolean, document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .requiredOption('--input <file>', 'file with the exact bytes of the body; - is stdin')
      .option('--header-file <file>', 'file with the headers, one "Name: value" per line')
      .option('--signature <signature>', 'the header X-Cerebrium-Webhook-Signature')
      .option('--timestamp <seconds>', 'the header X-Cerebrium-Webhook-Timestamp')
      .option('--request-id <id>', 'the header X-Request-Id')
      .option('--secret-file <file>', 'file with the secret (default: GANTRY_WEBHOOK_SECRET); - is stdin')
      .option('--max-age <duration>', 'maximum difference to the local clock, or none (default: 5m)', ageFlag),
  run: (context, { maxAge = 300_000, ...given }) => verifyDelivery(context, { ...given, maxAgeMs: maxAge }),
  view: ({ run, signedAt }) => wrapped(() => `valid: run ${run}, signed at ${signedAt}`),
  effect: 'reads',
  local: true,
  exits: ['input-needed'],
  json: document({
    valid: boolean('true; an invalid delivery exits with 1'),
    run: text('run id'),
    signedAt: text('RFC 3339, UTC'),
  }),
  examples: [
    'webhooks verify --input body.json --header-file headers.txt --secret-file secret.txt',
    'webhooks verify --input - --signature v1,… --timestamp 1700000000 --request-id 3f2a… --max-age none',
  ],
});

function ageFlag(text: string): number {
  return text === 'none' ? Number.POSITIVE_INFINITY : durationFlag(text);
}
