import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TemporaryNames } from '../../../src/kernel/disk/index.ts';
import { downloadFile, type FileDownload } from '../../../src/storage/transfer/download-file.ts';
import { planParts } from '../../../src/storage/transfer/parts.ts';
import { withTransferContext } from '../../../src/storage/transfer/transfer-context.ts';
import { filesIn, newFolder, serving } from '../../support/index.ts';
import { transferOptions } from '../../support/transfer-options.ts';

const content = Buffer.alloc(11 * 2 ** 20, 'new');
const plan = planParts(content.length, 5 * 2 ** 20);

test.each([
  ['the first of three ranges', 1],
  ['the last of three ranges', 3],
])('an interrupt right after %s leaves the old file in place', async (_, last) => {
  const folder = newFolder({ target: 'old' });
  const interrupted = new AbortController();
  let ranges = 0;
  const received = receive(join(folder, 'target'), interrupted.signal, () => {
    ranges += 1;
    if (ranges === last) interrupted.abort(new Error('interrupted'));
  });
  await expect(received).rejects.toThrow('interrupted');
  expect(filesIn(folder)).toEqual(['target']);
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('old');
});

test('an interrupt before the first range keeps nothing: no journal would find it again', async () => {
  const folder = newFolder({ target: 'old' });
  const interrupted = new AbortController();
  const received = receive(join(folder, 'target'), interrupted.signal, () => {}, {
    keep: true,
    createUrl: () => {
      interrupted.abort(new Error('interrupted'));
      return Promise.reject(interrupted.signal.reason);
    },
  });
  await expect(received).rejects.toThrow('interrupted');
  expect(filesIn(folder)).toEqual(['target']);
});

test('without an interrupt the new file takes its place', async () => {
  const folder = newFolder({ target: 'old' });
  await receive(join(folder, 'target'), new AbortController().signal, () => {});
  expect(filesIn(folder)).toEqual(['target']);
  expect(readFileSync(join(folder, 'target')).equals(content)).toBe(true);
});

/** Downloads `content` in three ranges, one after the other. */
async function receive(
  target: string,
  signal: AbortSignal,
  onRange: () => void,
  different: Partial<FileDownload> = {},
): Promise<unknown> {
  const url = await storage();
  const options = transferOptions({ signal });
  const download = {
    target,
    folder: dirname(target),
    names: new TemporaryNames(undefined),
    plan,
    modified: undefined,
    createUrl: async () => url,
    keep: false,
    order: 0,
    onStarted: () => {},
    onPart: onRange,
    confirm: async () => {},
    ...different,
  };
  return withTransferContext(options, (resources) => downloadFile(download, resources));
}

/** Serves ranges of `content`. */
async function storage(): Promise<string> {
  const url = await serving(({ headers }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const range = content.subarray(Number(from), Number(to) + 1);
    const head = { etag: '"1"', 'content-range': `bytes ${from}-${to}/${content.length}` };
    response.writeHead(206, { ...head, 'content-length': range.length }).end(range);
  });
  return `${url}/key`;
}
