import { describe, expect, test } from 'vitest';
import { lastWell } from '../../../src/deploys/rollback/choose-build.ts';

type Candidate = Parameters<typeof lastWell>[0][number];

/** Every kind of build that may be returned to, and every list of up to four of them. */
const kinds = (['seen', 'listed', 'unclear'] as const).flatMap((evidence) =>
  [undefined, 'sick'].map((why) => ({ evidence, why })),
);
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
      results.map(({ choice }) => (choice.build ? choice.chosenBy : choice.unclear.length > 0 ? 'unclear' : 'none')),
    );
    expect([...outcomes].sort()).toEqual(['history', 'none', 'order', 'unclear']);
    expect(lists.length).toBe(1 + 6 + 36 + 216 + 1296);
  });

  test.each<[string, (cell: (typeof returns)[number]) => boolean]>([
    ['to one that is not ready, sick, or has the same files', ({ target }) => target.why !== undefined],
    [
      'by a guess that is not called one',
      ({ target, choice }) => (target.evidence === 'listed') !== (choice.chosenBy === 'order'),
    ],
    ['to one that may never have served', ({ target }) => target.evidence === 'unclear'],
  ])('never %s', (_, isWrong) => {
    expect(returns.find(isWrong)).toBeUndefined();
  });

  test('passes over no build that fits, and over none that may fit without naming it', () => {
    for (const { before, target, choice } of returns) {
      const passed = before.slice(0, before.indexOf(target)).filter(({ why }) => why === undefined);
      expect(passed.every(({ evidence }) => evidence === 'unclear')).toBe(true);
      expect(choice.unclear).toEqual(passed.map(({ id }) => id));
    }
  });

  test('stops only where nothing fits that is known to have served, and names what may have', () => {
    for (const { before, target, choice } of results) {
      const fits = before.filter(({ why }) => why === undefined);
      const clear = fits.filter(({ evidence }) => evidence !== 'unclear').map(({ id }) => id);
      expect(choice.clear).toEqual(clear);
      expect(target === undefined).toBe(clear.length === 0);
      if (!target) expect(choice.unclear).toEqual(fits.map(({ id }) => id));
    }
  });
});
