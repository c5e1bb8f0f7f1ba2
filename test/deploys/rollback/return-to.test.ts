import { describe, expect, test } from 'vitest';
import { lastWell } from '../../../src/deploys/rollback/choose-build.ts';

type Candidate = Parameters<typeof lastWell>[0][number];

/** Every kind of build that may be returned to, and every list of up to four of them. */
const kinds = [true, false].flatMap((isSeen) => [undefined, 'sick'].map((why) => ({ isSeen, why })));
const longer = (lists: Candidate[][]) =>
  lists.flatMap((list) => kinds.map((kind) => [...list, { id: 'abcd'.charAt(list.length), ...kind }]));
const lists = [0, 1, 2, 3].reduce<Candidate[][][]>((known) => [...known, longer(known.at(-1) ?? [])], [[[]]]).flat();
const results = lists.map((before) => {
  const choice = lastWell(before);
  return { before, choice, target: before.find(({ id }) => id === choice.build) };
});
const returns = results.flatMap(({ target, ...result }) => (target ? [{ ...result, target }] : []));

describe('which build a rollback returns to, in every cell', () => {
  test('all outcomes occur', () => {
    const outcomes = new Set(
      results.map(({ choice: { build, unseen } }) => `${build !== undefined} ${unseen.length > 0}`),
    );
    expect([...outcomes].sort()).toEqual(['false false', 'false true', 'true false']);
    expect(lists.length).toBe(1 + 4 + 16 + 64 + 256);
  });

  test.each<[string, (cell: (typeof returns)[number]) => boolean]>([
    ['to one that is not ready, sick, or has the same files', ({ target }) => target.why !== undefined],
    ['to one that nobody saw serve', ({ target }) => !target.isSeen],
  ])('never %s', (_, isWrong) => {
    expect(returns.find(isWrong)).toBeUndefined();
  });

  test('passes over no build that fits', () => {
    for (const { before, target } of returns) {
      expect(before.slice(0, before.indexOf(target)).every(({ why }) => why !== undefined)).toBe(true);
    }
  });

  test('stops only where nothing fits that is known to have served last, and names what may have', () => {
    for (const { before, target, choice } of results) {
      const fits = before.filter(({ why }) => why === undefined);
      expect(target === undefined).toBe(fits[0]?.isSeen !== true);
      const last = fits.findIndex(({ isSeen }) => isSeen);
      expect(choice.unseen).toEqual(fits.slice(0, last < 0 ? fits.length : last).map(({ id }) => id));
    }
  });
});
