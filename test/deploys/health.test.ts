import { expect, test } from 'vitest';
import { firstRow, type HealthFacts, healthFacts, healthTable } from '../../src/deploys/decide.ts';
import { everyCell } from './every-cell.ts';

const cells = [...everyCell<HealthFacts>(healthFacts)];
const wrong = (isAllowed: (facts: HealthFacts) => boolean, ...findings: string[]) =>
  cells.filter((facts) => findings.includes(firstRow(healthTable, facts).finding) && !isAllowed(facts));

test('every cell has a verdict, and every row decides some', () => {
  const decided = new Set(cells.map((facts) => firstRow(healthTable, facts)));
  expect([cells.length, decided.size]).toEqual([4 * 6 * 4 * 5 * 2 * 3, healthTable.length]);
});

test.each<[string, string[], (facts: HealthFacts) => boolean]>([
  ['healthy is only what serves', ['healthy'], ({ shows }) => shows === 'ours'],
  ['healthy is nothing that speaks against it', ['healthy'], speaksNotAgainst],
  ['healthy is only what was seen to run or answer', ['healthy'], wasSeen],
  ['sick is only what serves', ['sick'], ({ shows }) => shows === 'ours'],
  ['sick is only what shows it', ['sick'], (facts) => !speaksNotAgainst(facts)],
  ['unknown is nothing that is known to be sick', ['unknown'], (facts) => speaksNotAgainst(facts) || !isOurs(facts)],
  ['unknown is said at the end only', ['unknown'], ({ time }) => time !== 'left'],
  ['looks end', ['look again'], ({ time }) => time !== 'over'],
  ['superseded is only what a later build has replaced', ['superseded'], ({ shows }) => shows === 'later'],
])('what no row may break: %s', (_, findings, isAllowed) => {
  expect(wrong(isAllowed, ...findings)).toEqual([]);
});

function isOurs({ shows }: HealthFacts): boolean {
  return shows === 'ours';
}

function speaksNotAgainst({ replicas, smoke, calls }: HealthFacts): boolean {
  return replicas !== 'bad' && smoke !== 'no' && calls !== 'worse';
}

function wasSeen({ replicas, smoke, calls }: HealthFacts): boolean {
  return smoke === 'yes' || calls === 'fine' || replicas === 'enough' || replicas === 'some';
}
