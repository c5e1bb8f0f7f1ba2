import { describe, expect, test } from 'vitest';
import {
  type BeforeFacts,
  beforeFacts,
  beforeTable,
  firstRow,
  firstRowAsked,
  type ReadyFacts,
  readyFacts,
  readyTable,
  type ToAsk,
} from '../../src/deploys/decide.ts';
import { everyCell } from './every-cell.ts';

const before = [...everyCell<BeforeFacts>(beforeFacts)];
const ready = [...everyCell<ReadyFacts>(readyFacts)];

test('every cell has a step, and every row decides some', () => {
  expect(new Set(before.map((facts) => firstRow(beforeTable, facts))).size).toBe(
    new Set(beforeTable.map(([, step]) => step)).size,
  );
  expect(new Set(ready.map((facts) => firstRow(readyTable, facts))).size).toBe(
    new Set(readyTable.map(([, step]) => step)).size,
  );
  expect([before.length, ready.length]).toEqual([2 * 4 * 4 * 2 * 2 * 2 * 2 * 3 * 2 * 2, 4 * 2 * 4 * 2]);
});

describe('before anything is sent', () => {
  test.each<[string, string, (facts: BeforeFacts) => boolean]>([
    [
      'unchanged is only what is proven equal to the one that serves, and is not sick',
      'stop: unchanged',
      ({ ifChanged, serving, difference, health }) =>
        ifChanged === 'yes' && serving === 'one' && difference === 'equal' && health === 'not sick',
    ],
    [
      'what is verified instead of sent is equal to the one that serves',
      'verify',
      ({ serving, difference }) => serving === 'one' && difference === 'equal',
    ],
    [
      'nothing is sent over another state than the plan’s, nor over a newer commit',
      'send',
      ({ plan, commit }) => plan !== 'broken' && commit === 'not older',
    ],
    [
      'nothing is sent before others are dealt with',
      'send',
      ({ others, ifBusy }) => others === 'none' || (others === 'in progress' && ifBusy === 'proceed'),
    ],
    [
      'nothing that is compared is sent while the app may show another one',
      'send',
      ({ compares, serving }) => compares === 'no' || serving !== 'one of',
    ],
    ['a sick one is sent again, or verified', 'stop: unchanged', ({ health }) => health === 'not sick'],
  ])('%s', (_, step, isAllowed) => {
    expect(before.filter((facts) => firstRow(beforeTable, facts) === step && !isAllowed(facts))).toEqual([]);
  });

  test('each wait changes what it is about: none is waited for twice', () => {
    const answers: Partial<Record<string, Partial<BeforeFacts>>> = {
      'cancel others': { others: 'none' },
      'wait for others': { others: 'none' },
      'wait for the app': { serving: 'one' },
    };
    for (let facts of before) {
      let waits = 0;
      for (let next = answers[firstRow(beforeTable, facts)]; next; next = answers[firstRow(beforeTable, facts)]) {
        facts = { ...facts, ...next };
        waits++;
      }
      expect(waits).toBeLessThan(3);
    }
  });

  test('what a row does not need is not asked, and what is asked decides the same', async () => {
    for (const facts of before) {
      const asked: string[] = [];
      const find = (name: keyof BeforeFacts) => async () => {
        asked.push(name);
        return facts[name];
      };
      const names = Object.keys(facts) as (keyof BeforeFacts)[];
      const toAsk = Object.fromEntries(names.map((name) => [name, find(name)])) as unknown as ToAsk<BeforeFacts>;
      expect(await firstRowAsked(beforeTable, toAsk)).toBe(firstRow(beforeTable, facts));
      if (facts.ifChanged === 'no') expect(asked).not.toContain('difference');
      if (facts.compares === 'no' && facts.ifChanged === 'no') expect(asked).not.toContain('serving');
    }
  });
});

test.each<[string, RegExp, (facts: ReadyFacts) => boolean]>([
  [
    'success is only ours, which serves and is healthy if that was asked, or a later one that replaced it',
    /^stop: (live|healthy|replaced)$/,
    ({ serving, verifies, health }) =>
      (serving === 'ours' && (verifies === 'no' || health === 'healthy')) ||
      (serving === 'another' && verifies === 'no'),
  ],
  [
    'only what serves and is sick is rolled back, where that was asked',
    /^roll back$/,
    ({ serving, health, orRollback, verifies }) =>
      serving === 'ours' && health === 'sick' && orRollback === 'yes' && verifies === 'yes',
  ],
  [
    'not known is only what the app does not show, or what nobody saw',
    /^stop: not (shown|known)$/,
    ({ serving, health }) => serving === 'one of' || serving === 'not known' || health === 'unknown',
  ],
])('once it is ready: %s', (_, step, isAllowed) => {
  expect(ready.filter((facts) => step.test(firstRow(readyTable, facts)) && !isAllowed(facts))).toEqual([]);
});
