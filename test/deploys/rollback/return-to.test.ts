import { describe, expect, test } from 'vitest';
import { type ReturnCandidate, returnTo } from '../../../src/deploys/rollback/choose-build.ts';

/** Every kind of build that may be returned to. */
const kinds = (['seen', 'listed', 'unclear'] as const).flatMap((evidence) =>
  (['well', 'sick', 'not-ready'] as const).flatMap((state) =>
    (['live', 'same', 'others'] as const).flatMap((files) =>
      [true, false].map((isKept) => ({ evidence, state, files, isKept })),
    ),
  ),
);
const one = (id: string, kind: Omit<ReturnCandidate, 'id'>): ReturnCandidate => ({ id, ...kind });

/** Every list of up to two builds, and of three of those that differ in what counts, each with every named one or none. */
const pairs = [
  [],
  ...kinds.map((a) => [one('a', a)]),
  ...kinds.flatMap((a) => kinds.map((b) => [one('a', a), one('b', b)])),
];
const telling = kinds.filter(({ state, files }) => state !== 'not-ready' && files !== 'live');
const triples = telling.flatMap((a) =>
  telling.flatMap((b) => telling.map((c) => [one('a', a), one('b', b), one('c', c)])),
);
const cells = [...pairs, ...triples].flatMap((before) => [
  { before, named: undefined },
  ...(before.length < 3 ? kinds : []).map((kind) => ({ before, named: one('n', kind) })),
]);
const results = cells.map((cell) => ({ ...cell, choice: returnTo(cell.before, cell.named) }));
const returns = results.flatMap(({ choice, ...cell }) => (choice.do === 'return' ? [{ ...cell, choice }] : []));
const taken = returns.map((cell) => ({
  ...cell,
  target: [cell.named, ...cell.before].find((each) => each?.id === cell.choice.build) as ReturnCandidate,
}));
const unnamed = taken.filter(({ named }) => !named);
const isFit = ({ state, files }: ReturnCandidate) => state === 'well' && files === 'others';

describe('which build a rollback returns to, in every cell', () => {
  test('all outcomes occur', () => {
    const outcomes = new Set(
      results.map(({ choice }) =>
        choice.do === 'return' || choice.do === 'nothing' ? `${choice.do} ${choice.chosenBy}` : choice.do,
      ),
    );
    const said = [
      'no-archive',
      'not-ready',
      'nothing name',
      'nothing-before',
      'return history',
      'return name',
      'return order',
      'unclear',
    ];
    expect([...outcomes].sort()).toEqual(said);
    expect(cells.length).toBeGreaterThan(100_000);
  });

  test.each<[string, (cell: (typeof taken)[number]) => boolean]>([
    ['without an archive or a revision', ({ target }) => !target.isKept],
    ['to a build that did not succeed', ({ target }) => target.state === 'not-ready'],
    ['to what serves', ({ target }) => target.files === 'live'],
    ['to a sick one, unless it is named', ({ named, target }) => !named && target.state === 'sick'],
    ['to the same files, unless it is named', ({ named, target }) => !named && target.files === 'same'],
    [
      'by a guess that is not called one',
      ({ named, target, choice }) => !named && (target.evidence === 'listed') !== (choice.chosenBy === 'order'),
    ],
    [
      'to one that may never have served, unless it is named',
      ({ named, target }) => !named && target.evidence === 'unclear',
    ],
    ['to another one than is named', ({ named, target }) => named !== undefined && target !== named],
  ])('never %s', (_, isWrong) => {
    expect(taken.find(isWrong)).toBeUndefined();
  });

  test('passes over no build that fits, and over none that may fit without naming it', () => {
    for (const { before, target, choice } of unnamed) {
      const passed = before.slice(0, before.indexOf(target)).filter(isFit);
      expect(passed.every(({ evidence }) => evidence === 'unclear')).toBe(true);
      expect(choice.unclear).toEqual(passed.map(({ id }) => id));
    }
  });

  test('says of a named one only what it is: nothing may be another one', () => {
    const wrong = results.find(({ named, choice: { build, chosenBy, unclear } }) => {
      return named !== undefined && (build !== 'n' || chosenBy !== 'name' || unclear.length > 0);
    });
    expect(wrong).toBeUndefined();
  });

  test('stops only where nothing fits, or what fits has no archive', () => {
    for (const { before, named, choice } of results) {
      if (choice.do === 'return' || named) continue;
      const clear = before.filter(isFit).filter(({ evidence }) => evidence !== 'unclear');
      expect(choice.do === 'no-archive').toBe(clear[0] !== undefined && !clear[0].isKept);
      expect(choice.do === 'unclear').toBe(clear.length === 0 && before.some(isFit));
    }
  });

  test('a hint is another build that could be returned to', () => {
    for (const { before, choice } of results) {
      const other = before.find(({ id }) => id === choice.other);
      if (choice.other === undefined) continue;
      expect(other && isFit(other) && other.isKept && other.evidence !== 'unclear').toBe(true);
      expect(choice.build).not.toBe(choice.other);
    }
  });
});
