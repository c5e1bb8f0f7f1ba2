import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type UploadArchiveOptions,
  UrlExpiredError,
  uploadArchive,
} from '../../../src/storage/transfer/upload-archive.ts';
import { newFolder, serving } from '../../support/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Sends `content` to a storage that answers so, and tells what arrived. */
async function sent(answer: Answer, content = 'the archive', more: Partial<UploadArchiveOptions> = {}) {
  const arrived: { headers: IncomingMessage['headers']; body: string; url: string }[] = [];
  const storage = await serving(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    arrived.push({ headers: request.headers, body, url: request.url ?? '' });
    answer(request, response, body);
  });
  const upload = {
    url: `${storage}/key?X-Amz-Signature=s3cret&x=%2F`,
    file: join(newFolder({ 'app.zip': content }), 'app.zip'),
    bytes: Buffer.byteLength(content),
    contentType: 'application/zip',
  };
  const options: UploadArchiveOptions = {
    signal: new AbortController().signal,
    delay: async () => {},
    onRetry: () => {},
    silenceMs: 2_000,
    proxy: undefined,
    onProgress: () => {},
    now: () => 0,
    elapsed: () => 0,
    ...more,
  };
  const failure = await uploadArchive(upload, options).then(
    () => undefined,
    (error: Error) => error,
  );
  return { arrived, failure };
}

const refuse =
  (status: number, code: string, message: string): Answer =>
  (_, response) => {
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  };

test.each([
  [403, 'AccessDenied', 'Request has expired'],
  [400, 'ExpiredToken', 'The provided token has expired.'],
])('distinguishes an expired URL (%i %s) from a refusal', async (status, code, message) => {
  const { arrived, failure } = await sent(refuse(status, code, message));
  expect(failure).toBeInstanceOf(UrlExpiredError);
  expect(arrived).toHaveLength(1);
});

test('reads only the start of an endless reply of the storage', async () => {
  const more = (response: import('node:http').ServerResponse) => {
    while (response.write('x'.repeat(65_536)));
    response.once('drain', () => more(response));
  };
  const { failure } = await sent((_, response) => more(response.writeHead(400)), 'text');
  expect(failure?.message).toContain('HTTP 400');
});
