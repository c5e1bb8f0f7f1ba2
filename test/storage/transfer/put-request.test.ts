import { expect, test } from 'vitest';
import { sendPutRequest } from '../../../src/storage/transfer/put-request.ts';
import { withTransferContext } from '../../../src/storage/transfer/transfer-context.ts';
import { serving } from '../../support/listening.ts';
import { transferOptions } from '../../support/transfer-options.ts';

const options = transferOptions();

async function put(status: number): Promise<string> {
  const address = await serving((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { etag: '"1"' }).end());
  });
  const content = Buffer.from('text');
  const read = () => ({ content, fill: async () => 0, close: async () => {} });
  const request = { url: `${address}/key`, bytes: content.length, contentType: 'text/plain', read };
  return withTransferContext(options, (resources) => sendPutRequest(request, resources, options.signal));
}

test('only the status 200 means that the storage has the bytes', async () => {
  expect(await put(200)).toBe('"1"');
  for (const status of [201, 202, 204, 206, 302, 400]) {
    await expect(put(status)).rejects.toThrow(`the storage rejected the upload (HTTP ${status}`);
  }
});
