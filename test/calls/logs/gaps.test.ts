import { describe, expect, test } from 'vitest';
import { appLine } from '../../../src/calls/logs/log-line.ts';
import { LogGaps } from '../../../src/calls/logs/seen-lines.ts';
import { FailedError } from '../../../src/kernel/errors.ts';
import { localTime } from '../../../src/kernel/output/format.ts';

const [one, two] = ['2026-11-20T14:00:00Z', '2026-11-20T15:00:00Z'];
const lineAt = (timestamp: string) => appLine({ logLine: 'x', timestamp });

describe('lines that may be missing', () => {
  test.each<[where: string, from: string | undefined, to: string | undefined, said: string]>([
    ['between two lines', one, two, `between ${localTime(one)} and ${localTime(two)}`],
    ['after a line', one, undefined, `after ${localTime(one)}`],
    ['before a line', undefined, two, `before ${localTime(two)}`],
    ['in an empty range', undefined, undefined, 'in this range'],
  ])('%s are a warning that names the times', (_, from, to, said) => {
    const warnings: string[] = [];
    const gaps = new LogGaps({ warn: (text) => void warnings.push(String(text)) });
    gaps.add(from === undefined ? undefined : lineAt(from), to === undefined ? undefined : lineAt(to));
    expect(warnings).toEqual([expect.stringContaining(said)]);
    expect(() => gaps.throwIfAny()).toThrow(FailedError);
  });

  test('are listed in the error, in order, with null for an end that is unknown', () => {
    const gaps = new LogGaps({ warn: () => {} });
    gaps.add(lineAt(one), lineAt(two));
    gaps.add(lineAt(two), undefined);
    gaps.add(lineAt(''), lineAt(''));
    const details = () => {
      try {
        gaps.throwIfAny();
      } catch (error) {
        return (error as FailedError).facts.details;
      }
    };
    const expected = [
      { from: one, to: two },
      { from: two, to: null },
      { from: null, to: null },
    ];
    expect(details()).toEqual({ gaps: expected });
  });

  test('are no error if there are none', () => {
    expect(() => new LogGaps({ warn: () => {} }).throwIfAny()).not.toThrow();
  });
});
