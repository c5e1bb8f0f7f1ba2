import { describe, expect, test } from 'vitest';
import { parseInvokeArguments, parseParameters } from '../../../src/calls/invoke/arguments.ts';
import { UsageError } from '../../../src/kernel/errors.ts';

describe('the words after the name of an app', () => {
  test.each<[words: string[], fn: string | undefined, parameters: object | undefined]>([
    [[], undefined, undefined],
    [['predict'], 'predict', undefined],
    [['predict', 'text=hello'], 'predict', { text: 'hello' }],
    [['text=hello'], undefined, { text: 'hello' }],
    [['text=hello', 'count:=3'], undefined, { text: 'hello', count: 3 }],
  ])('%j are a function and its parameters', (words, fn, parameters) => {
    expect(parseInvokeArguments(words)).toEqual({ fn, parameters });
  });

  test('name one function: a second word without a value is an error', () => {
    expect(() => parseInvokeArguments(['predict', 'more'])).toThrow(UsageError);
  });
});

describe('a parameter', () => {
  test.each<[word: string, name: string, value: unknown]>([
    ['a=b', 'a', 'b'],
    ['a=', 'a', ''],
    ['a=1', 'a', '1'],
    ['a=b=c', 'a', 'b=c'],
    ['a=:=1', 'a', ':=1'],
    ['a:=1', 'a', 1],
    ['a:=null', 'a', null],
    ['a:="x"', 'a', 'x'],
    ['a:={"b":[true]}', 'a', { b: [true] }],
    ['a:b=c', 'a:b', 'c'],
    ['__proto__=x', '__proto__', 'x'],
  ])('%s has a name and a value', (word, name, value) => {
    expect(Object.entries(parseParameters([word]) ?? {})).toEqual([[name, value]]);
  });

  test.each([['a'], ['=b'], [':=1'], ['']])('%j is an error', (word) => {
    expect(() => parseParameters([word])).toThrow(UsageError);
  });

  test.each(['a:=', 'a:=hello', 'a:={'])('%s is an error that suggests text', (word) => {
    expect(() => parseParameters([word])).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ fix: expect.stringContaining('a=') }) }),
    );
  });

  test.each([[['a=1', 'a=2']], [['a=1', 'b=2', 'a:=3']]])('%j is an error: a name has one value', (words) => {
    expect(() => parseParameters(words)).toThrow(/\ba\b/);
  });
});
