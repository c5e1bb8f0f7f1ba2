import { describe, expect, test } from 'vitest';
import { copyExit, copyView, syncView } from '../../../src/cli/views/copy.ts';
import { plainPage } from '../../support/page.ts';

const summary = {
  from: ['/a'],
  to: 'default:/a',
  files: 2,
  bytes: 2048,
  skipped: 0,
  failed: [],
  resumedBytes: 0,
  durationMs: 2_000,
  dryRun: false,
};
const sync = { ...summary, new: 1, updated: 1, unchanged: 3, extra: 0, deleted: 0, changed: true };
const failed = (...codes: string[]) => codes.map((code) => ({ path: 'x', reason: 'no', code })) as never;
const copied = (changes: object) => copyView({ ...summary, ...changes })(plainPage());
const synced = (changes: object) => syncView({ ...sync, ...changes })(plainPage());

test.each<[what: string, changes: object, shown: string | RegExp]>([
  ['does not count resumed bytes in the rate', { resumedBytes: 1024 }, '(512 B/s)'],
  ['that resumed all has no rate', { resumedBytes: 2048 }, /^(?!.*\/s\))/],
  ['without a duration has no rate', { durationMs: 0 }, /^(?!.*\/s\))/],
  ['counts failures', { failed: failed('denied') }, '1 failed'],
  ['without failures does not name them', {}, /^(?!.*failed)/],
  [
    'lists resumed bytes, skipped and failed files after what was copied',
    { files: 3, bytes: 4096, skipped: 1071, failed: failed('failed'), resumedBytes: 2048 },
    /^copied 3 files, 4\.0 KiB to default:\/a in 2\.0 s \(1\.0 KiB\/s\); 2\.0 KiB resumed; 1,071 skipped; 1 failed$/,
  ],
])('a copy %s', (_, changes, shown) => {
  expect(copied(changes)).toMatch(shown);
});

test.each([
  [[], 'ok'],
  [['denied'], 'denied'],
  [['denied', 'denied'], 'denied'],
  [['denied', 'not-found'], 'failed'],
])('a copy with failures %j exits as %s', (codes, exit) => {
  expect(copyExit(failed(...codes))).toBe(exit);
});

describe('a sync', () => {
  test.each([[{ skipped: 1 }], [{ failed: failed('denied') }]])('with %j is not without differences', (changes) => {
    expect(synced({ files: 0, bytes: 0, ...changes })).toMatch(/^copied 0 files/);
  });

  test('with --dry-run says only what it would copy and delete', () => {
    expect(synced({ dryRun: true })).toBe('would copy 2 files, 2.0 KiB to default:/a');
    expect(synced({ dryRun: true, toDelete: ['a', 'b'] })).toBe(
      'would copy 2 files, 2.0 KiB to default:/a; 2 to delete',
    );
    const nothing = { dryRun: true, files: 0, bytes: 0, toDelete: ['a'] };
    expect(synced(nothing)).toBe('nothing to copy: 3 files unchanged; 1 to delete');
  });
});
