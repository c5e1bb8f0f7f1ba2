import { describe, expect, test } from 'vitest';
import {
  type BeforeFacts,
  beforeFacts,
  beforeSending,
  beforeTable,
  firstRow,
  onceReady,
  type ReadyFacts,
  readyFacts,
  readyTable,
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
  expect([before.length, ready.length]).toEqual([3 * 4 * 5 * 2 * 2 * 3 * 3 * 4 * 2 * 2, 4 * 2 * 2 * 6 * 2]);
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
      ({ compares, serving }) => compares === 'no' || !/^(one of|not asked)$/.test(serving),
    ],
    ['a sick one is sent again, or verified', 'stop: unchanged', ({ health }) => health === 'not sick'],
  ])('%s', (_, step, isAllowed) => {
    expect(before.filter((facts) => beforeSending(facts) === step && !isAllowed(facts))).toEqual([]);
  });

  test('each step changes what it is about: none is asked for twice', () => {
    const answers: Partial<Record<string, (facts: BeforeFacts) => BeforeFacts>> = {
      'look for others': (facts) => ({ ...facts, others: 'in progress' }),
      'cancel others': (facts) => ({ ...facts, others: 'none' }),
      'wait for others': (facts) => ({ ...facts, others: 'none' }),
      'look at the app': (facts) => ({ ...facts, serving: 'one of' }),
      'wait for the app': (facts) => ({ ...facts, serving: 'one' }),
      'compare commits': (facts) => ({ ...facts, commit: 'not older' }),
      compare: (facts) => ({ ...facts, difference: 'equal' }),
    };
    for (let facts of before) {
      let steps = 0;
      for (let answer = answers[beforeSending(facts)]; answer; answer = answers[beforeSending(facts)]) {
        facts = answer(facts);
        steps++;
      }
      expect(steps).toBeLessThan(7);
    }
  });
});

describe('once it is ready', () => {
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
    ['waiting ends', /^wait/, ({ time }) => time === 'left'],
  ])('%s', (_, step, isAllowed) => {
    expect(ready.filter((facts) => step.test(onceReady(facts)) && !isAllowed(facts))).toEqual([]);
  });
});
