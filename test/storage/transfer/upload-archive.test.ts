import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type UploadArchiveOptions,
  UrlExpiredError,
  uploadArchive,
} from '../../../src/storage/transfer/upload-archive.ts';
import { folderOf } from '../../support/app.ts';
import { serving } from '../../support/listening.ts';

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
  await using folder = await folderOf({ 'app.zip': content });
  const upload = {
    url: `${storage}/key?X-Amz-Signature=s3cret&x=%2F`,
    file: join(folder.path, 'app.zip'),
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

test('sends a file with its length and type, without a token', async () => {
  const content = 'x'.repeat(2_500_000);
  const { arrived, failure } = await sent((_, response) => response.end(), content);
  expect(failure).toBeUndefined();
  expect(arrived).toHaveLength(1);
  expect(arrived[0]?.body).toBe(content);
  expect(arrived[0]?.headers).toMatchObject({ 'content-length': '2500000', 'content-type': 'application/zip' });
  expect(arrived[0]?.headers).not.toHaveProperty('authorization');
  expect(arrived[0]?.url).toBe('/key?X-Amz-Signature=s3cret&x=%2F');
});

test.each([
  [403, 'AccessDenied', 'Request has expired'],
  [400, 'ExpiredToken', 'The provided token has expired.'],
])('distinguishes an expired URL (%i %s) from a refusal', async (status, code, message) => {
  const { arrived, failure } = await sent(refuse(status, code, message));
  expect(failure).toBeInstanceOf(UrlExpiredError);
  expect(arrived).toHaveLength(1);
});

test('another 4xx is final, and its message has no signature', async () => {
  const { arrived, failure } = await sent(refuse(403, 'SignatureDoesNotMatch', 'no'));
  expect(failure).not.toBeInstanceOf(UrlExpiredError);
  expect(failure?.message).toBe('the storage rejected the upload (HTTP 403, SignatureDoesNotMatch: no)');
  expect(arrived).toHaveLength(1);
});

test('sends the whole file again after a 5xx', async () => {
  let calls = 0;
  const { arrived, failure } = await sent((request, response, body) => {
    calls++;
    if (calls < 3) refuse(503, 'SlowDown', 'reduce your rate')(request, response, body);
    else response.end();
  });
  expect(failure).toBeUndefined();
  expect(arrived.map(({ body }) => body)).toEqual(['the archive', 'the archive', 'the archive']);
});

test('fails after a silence of the storage, not after a total time', async () => {
  // Counted here and not by the server: on a busy machine the limit may pass before it has read anything.
  let retries = 0;
  const onRetry = () => {
    retries += 1;
  };
  const { failure } = await sent(() => {}, 'the archive', { silenceMs: 50, onRetry });
  expect(failure?.message).toMatch(/the connection to 127\.0\.0\.1:\d+ failed: no data for 0\.05 s/);
  expect(retries).toBe(4);
});

test('reads only the start of an endless reply of the storage', async () => {
  const more = (response: import('node:http').ServerResponse) => {
    while (response.write('x'.repeat(65_536)));
    response.once('drain', () => more(response));
  };
  const { failure } = await sent((_, response) => more(response.writeHead(400)), 'text');
  expect(failure?.message).toContain('HTTP 400');
});
