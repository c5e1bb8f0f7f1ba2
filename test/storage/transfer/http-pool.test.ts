import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bufferSource, directReader } from '../../../src/storage/transfer/byte-source.ts';
import { planParts } from '../../../src/storage/transfer/parts.ts';
import { type TransferOptions, withTransferContext } from '../../../src/storage/transfer/transfer-context.ts';
import { uploadFile } from '../../../src/storage/transfer/upload-file.ts';
import { listening } from '../../support/listening.ts';
import { transferOptions } from '../../support/transfer-options.ts';

/** A storage that takes everything, and counts. */
async function storage(take: (request: IncomingMessage) => Promise<void> = async () => {}, onData = () => {}) {
  const counted = { connections: 0, requests: 0, inside: 0, mostInside: 0, lengths: [] as string[] };
  const server = createServer(async (request, response) => {
    counted.requests++;
    counted.mostInside = Math.max(counted.mostInside, ++counted.inside);
    counted.lengths.push(`${request.headers['content-length']} ${request.headers['transfer-encoding'] ?? ''}`.trim());
    for await (const _ of request) onData();
    await take(request);
    counted.inside--;
    response.writeHead(200, { etag: '"not an MD5"' }).end();
  }).on('connection', () => counted.connections++);
  return { ...counted, counted, url: `${await listening(server)}/key` };
}

/** Holds the first requests back until so many are there, and a moment longer, in which no other may come. */
function crowdOf(size: number): () => Promise<void> {
  let waiting = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    waiting += 1;
    if (waiting === size) setTimeout(20).then(open);
    await opened;
  };
}

const options = (more: Partial<TransferOptions> = {}) =>
  transferOptions({ silenceMs: 5_000, concurrency: undefined, ...more });

function fileUpload(url: string, parts: number, content = Buffer.alloc(1_000)) {
  return {
    plan: { bytes: content.length * parts, partBytes: content.length, count: parts },
    createReader: () => directReader(() => bufferSource(content)),
    startUpload: async (count: number) => ({ id: 'u', urls: Array.from({ length: count }, () => url) }),
    onStarted: () => {},
    onPart: () => {},
    order: 0,
  };
}

test('reuses connections: one per concurrent request, not one per part', async () => {
  const { counted, url } = await storage(crowdOf(4));
  await withTransferContext(options({ concurrency: 4 }), (resources) => uploadFile(fileUpload(url, 200), resources));
  expect(counted.requests).toBe(200);
  expect(counted.connections).toBeLessThanOrEqual(4);
  expect(counted.mostInside).toBe(4);
});

test('sends many small files at a time, or few large parts', async () => {
  const { counted, url } = await storage(crowdOf(128));
  await withTransferContext(options(), async (resources) => {
    await Promise.all(Array.from({ length: 200 }, () => uploadFile(fileUpload(url, 1), resources)));
  });
  expect(counted.mostInside).toBe(128);
});

test('each part has a content-length, also the last and an empty one', async () => {
  const { counted, url } = await storage();
  const content = Buffer.alloc(11_000_000, 'x');
  await withTransferContext(options(), async (resources) => {
    const plan = planParts(content.length, 5 * 2 ** 20);
    const createReader = () => directReader(({ offset }) => bufferSource(content.subarray(offset)));
    await uploadFile({ ...fileUpload(url, 1), plan, createReader }, resources);
    await uploadFile({ ...fileUpload(url, 1), plan: planParts(0), createReader }, resources);
  });
  expect(counted.lengths.sort()).toEqual(['0', '514240', '5242880', '5242880']);
});

test.each([
  ['as it is', options({ silenceMs: 60_000 })],
  ['checked', options({ silenceMs: 60_000, check: true })],
  ['at a limited rate', options({ silenceMs: 60_000, limitRate: 1e12 })],
])('streams a large part with little memory: %s', async (_, setting) => {
  const bytes = 32 * 2 ** 20;
  let [read, largest] = [0, 0];
  const fill = async (buffer: Buffer) => {
    // What is beyond the first quarter is only there once the storage has got something.
    if (read > bytes / 4) await arrived;
    read += buffer.length;
    largest = Math.max(largest, buffer.length);
    return buffer.fill(1).length;
  };
  let arrive = () => {};
  const arrived = new Promise<void>((done) => {
    arrive = done;
  });
  const { counted, url } = await storage(async () => {}, arrive);
  const plan = { bytes, partBytes: bytes, count: 1 };
  await withTransferContext(setting, (resources) =>
    uploadFile(
      { ...fileUpload(url, 1), plan, createReader: () => directReader(() => ({ fill, close: async () => {} })) },
      resources,
    ),
  );
  expect([counted.requests, counted.lengths, read]).toEqual([1, [String(bytes)], bytes]);
  expect(largest).toBeLessThanOrEqual(2 ** 20);
});

test.each([
  [0, 'no link'],
  [1, 'fewer URLs'],
  [3, 'more URLs'],
])('rejects %i URLs for two parts: %s', async (urls) => {
  const { counted, url } = await storage();
  const startUpload = async () => ({ id: 'u', urls: Array.from({ length: urls }, () => url) });
  const work = withTransferContext(options(), (resources) =>
    uploadFile({ ...fileUpload(url, 2), startUpload }, resources),
  );
  await expect(work).rejects.toThrow(`the platform returned ${urls} URLs for 2 parts`);
  expect(counted.requests).toBe(0);
});

test('does not start a part with a URL that is about to expire', async () => {
  const { counted, url } = await storage();
  let now = 0;
  const asked: number[] = [];
  await withTransferContext(options({ elapsed: () => now, concurrency: 1 }), async (resources) => {
    const startUpload = async (count: number) => {
      asked.push(now);
      return { id: `u${asked.length}`, urls: Array.from({ length: count }, () => `${url}?X-Amz-Expires=100`) };
    };
    const onPart = () => {
      now += asked.length === 1 ? 60_000 : 0;
    };
    const { upload, parts } = await uploadFile({ ...fileUpload(url, 3), startUpload, onPart }, resources);
    expect([upload.id, parts.length]).toEqual(['u2', 3]);
  });
  expect(asked).toEqual([0, 120_000]);
  expect(counted.requests).toBe(5);
});
