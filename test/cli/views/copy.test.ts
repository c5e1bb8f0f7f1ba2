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
const sync = { ...summary, new: 1, updated: 1, unchanged: 3, extra: 0, deleted: 0 };
const failed = (...codes: string[]) => codes.map((code) => ({ path: 'x', reason: 'no', code })) as never;
const copied = (changes: object) => copyView({ ...summary, ...changes })(plainPage());
const synced = (changes: object) => syncView({ ...sync, ...changes })(plainPage());

describe('a copy', () => {
  test('does not count resumed bytes in the rate', () => {
    expect(copied({ resumedBytes: 1024 })).toContain('(512 B/s)');
    expect(copied({ resumedBytes: 2048 })).not.toContain('/s)');
  });

  test('lists resumed bytes, skipped and failed files after what was copied', () => {
    const changes = { files: 3, bytes: 4096, skipped: 2, failed: failed('failed'), resumedBytes: 2048 };
    expect(copied(changes).split('; ')).toEqual([
      'copied 3 files, 4.0 KiB to default:/a in 2.0 s (1.0 KiB/s)',
      '2.0 KiB resumed',
      '2 skipped',
      '1 failed',
    ]);
  });

  test('without a duration has no rate', () => {
    expect(copied({ durationMs: 0 })).not.toContain('/s)');
  });

  test('counts failures', () => {
    expect(copied({ failed: failed('denied') })).toContain('1 failed');
    expect(copied({})).not.toContain('failed');
  });

  test.each([
    [[], 'ok'],
    [['denied'], 'denied'],
    [['denied', 'denied'], 'denied'],
    [['denied', 'not-found'], 'failed'],
  ])('with failures %j exits as %s', (codes, exit) => {
    expect(copyExit(failed(...codes))).toBe(exit);
  });
});

describe('a sync', () => {
  test.each([[{ skipped: 1 }], [{ failed: failed('denied') }]])('with %j is not without differences', (changes) => {
    expect(synced({ files: 0, bytes: 0, ...changes })).toMatch(/^copied 0 files/);
  });

  test('with --dry-run says only what it would copy', () => {
    expect(synced({ dryRun: true, deleted: 2 })).toBe('would copy 2 files, 2.0 KiB to default:/a');
  });
});
