import { describe, expect, test } from 'vitest';
import { DeniedError, NotFoundError, UnavailableError } from '../../../src/kernel/errors.ts';
import { printablePath } from '../../../src/kernel/output/format.ts';
import { CopyProgress } from '../../../src/storage/copy/copy-progress.ts';

/** A copy that shows its progress on a clock of its own, a second later each time. */
function startCopy() {
  const shown: string[] = [];
  const notes: string[] = [];
  const warnings: string[] = [];
  let elapsed = 0;
  const progress = {
    step: () => ({ update: ({ text }: { text: string }) => void shown.push(text), clear: () => {} }),
    note: (text: string) => void notes.push(text),
    warn: ({ message }: { message: string }) => void warnings.push(message),
    event: () => {},
  };
  const copy = new CopyProgress({ progress, elapsed: () => elapsed } as never);
  copy.start('Copying');
  const wait = (ms: number) => {
    elapsed += ms;
  };
  return { copy, shown, notes, warnings, wait, last: () => shown.at(-1) };
}

const retry = { reason: new UnavailableError('no reply'), attempt: 1, tries: 4, delayMs: 500 } as never;

describe('the progress of a copy', () => {
  test('counts files and bytes until the total is known', () => {
    const { copy, wait, last } = startCopy();
    copy.found(1024);
    wait(1000);
    copy.copied('a', 1024);
    expect(last()).toBe('1 file, 1.0 KiB');
  });

  test('shows percentage, rate and remaining time once the total is known', () => {
    const { copy, wait, last } = startCopy();
    for (let file = 0; file < 4; file++) copy.found(1024);
    copy.isComplete = true;
    wait(1000);
    copy.transferred(512);
    expect(last()).toBe('0 of 4 files, 12 % of 4.0 KiB, 512 B/s');
    wait(1000);
    copy.transferred(512);
    copy.copied('a', 1024);
    expect(last()).toBe('0 of 4 files, 25 % of 4.0 KiB, 512 B/s, 6.0 s left');
    wait(1000);
    copy.skip('b', 'unchanged', 1024);
    expect(last()).toMatch(/^2 of 4 files, 50 %/);
  });

  test('is shown at most ten times a second', () => {
    const { copy, wait, shown } = startCopy();
    wait(100);
    copy.transferred(1);
    wait(99);
    copy.transferred(1);
    expect(shown).toHaveLength(1);
    wait(1);
    copy.transferred(1);
    expect(shown).toHaveLength(2);
  });

  test('shows retries only if there were some', () => {
    const { copy, wait, last } = startCopy();
    wait(1000);
    copy.transferred(1);
    expect(last()).not.toContain('retr');
    wait(1000);
    copy.retried(retry);
    expect(last()).toMatch(/, 1 retry$/);
    wait(1000);
    copy.restarted('a', new UnavailableError('no reply'));
    copy.transferred(0);
    expect(last()).toMatch(/, 2 retries$/);
  });

  test('counts an unconfirmed file as done', () => {
    const { copy, wait, last } = startCopy();
    copy.found(10);
    copy.found(10);
    copy.isComplete = true;
    wait(1000);
    copy.uploaded(10);
    expect(last()).toMatch(/^1 of 2 files, 50 %/);
    wait(1000);
    copy.confirmationEnded(10);
    copy.fail('a', new NotFoundError('gone'));
    expect(last()).toMatch(/^1 of 2 files, 0 %/);
  });

  test('counts bytes that have to be sent again as not sent', () => {
    const { copy, wait, last } = startCopy();
    copy.found(100);
    copy.isComplete = true;
    wait(1000);
    copy.transferred(80);
    wait(1000);
    copy.transferred(-80);
    expect(last()).toBe('0 of 1 file, 0 % of 100 B');
  });
});

describe('messages about single files', () => {
  test('list the first ten failures, then their number', () => {
    const { copy, warnings, notes } = startCopy();
    for (let file = 0; file < 11; file++) copy.fail(`f${file}`, new DeniedError('not yours'));
    copy.finish();
    expect(warnings).toHaveLength(10);
    expect(notes).toEqual([expect.stringMatching(/1 more failure/)]);
    expect(copy.failed).toHaveLength(11);
  });

  test.each([10, 11])('list the first ten files that are not copied: %i of them', (number) => {
    const { copy, notes } = startCopy();
    for (let file = 0; file < number; file++) copy.skipWithNote(`f${file}`, 'a socket');
    copy.finish();
    expect(notes).toHaveLength(number);
    expect(notes.at(-1)).toMatch(number === 10 ? /f9/ : /1 more/);
    expect(copy.skipped).toBe(number);
  });

  test('list the first ten retries', () => {
    const { copy, notes } = startCopy();
    for (let time = 0; time < 11; time++) copy.retried(retry);
    expect(notes).toHaveLength(10);
  });

  test('list the first twenty files of a dry run', () => {
    const { copy, notes } = startCopy();
    for (let file = 0; file < 22; file++) copy.wouldCopy(`f${file}`, 1);
    copy.finish();
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toMatch(/2 more/);
    expect([copy.files, copy.bytes]).toEqual([22, 22]);
  });

  test.each([
    ['a b', 'a b'],
    ['a\nb', '"a\\nb"'],
    ['a\u007f', '"a\u007f"'],
  ])('print the name %j on one line', (path, printed) => {
    expect(printablePath(path)).toBe(printed);
  });
});
