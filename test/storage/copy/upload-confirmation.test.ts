import { expect, test } from 'vitest';
import { RemoteClock } from '../../../src/platform/api/remote-clock.ts';
import type { ListedFiles } from '../../../src/storage/copy/listed-files.ts';
import type { CopyContext } from '../../../src/storage/copy/ports.ts';
import { UploadConfirmation } from '../../../src/storage/copy/upload-confirmation.ts';

const resources = {
  delay: async () => {},
  signal: new AbortController().signal,
  storageClock: new RemoteClock(Date.now),
};

/** A volume that has every file, and how often each of its folders is listed. */
function volume() {
  const listings: string[] = [];
  const arrived: string[] = [];
  const missing: string[] = [];
  const entry = { isFolder: false, bytes: 1, modified: Date.parse('2026-01-01T00:00:00Z') };
  const remote = {
    listNow: async ({ path }: { path: string }) => {
      listings.push(path);
      return { get: () => entry };
    },
  };
  const progress = { confirmationEnded: () => {}, copied: (path: string) => void arrived.push(path) };
  const uploads = new UploadConfirmation(
    { resources, progress } as unknown as CopyContext,
    remote as unknown as ListedFiles,
    ({ path }) => void missing.push(path),
  );
  const at = (path: string) => ({ volume: 'default', region: 'r', path });
  const expectFile = (path: string) => uploads.expect(at(path));
  const send = (path: string) => {
    const found = { path, bytes: 1, modified: 0, from: path };
    uploads.add({ found, target: at(path), bytes: 1, mark: '', startedAt: 0, etags: [], resumedBytes: 0 });
    uploads.end(at(path));
  };
  return { uploads, listings, arrived, missing, expectFile, send };
}

test('lists a folder after its last upload, once files of another folder are found', async () => {
  const { uploads, listings, expectFile, send } = volume();
  for (const path of ['/a/1', '/a/2']) expectFile(path);
  send('/a/1');
  expectFile('/b/1');
  expect(listings).toEqual([]);
  send('/a/2');
  expect(listings).toEqual(['/a/']);
  send('/b/1');
  expect(listings).toEqual(['/a/']);
  await uploads.finish();
  expect(listings).toEqual(['/a/', '/b/']);
});

test('confirms files of a huge folder before its end', async () => {
  const { uploads, listings, arrived, expectFile, send } = volume();
  for (let file = 0; file < 25_000; file++) {
    expectFile(`/a/${file}`);
    send(`/a/${file}`);
    if (file % 5_000 === 0) await new Promise(setImmediate);
  }
  expect([listings.length, arrived.length]).toEqual([2, 20_000]);
  await uploads.finish();
  expect([listings.length, arrived.length]).toEqual([3, 25_000]);
});
