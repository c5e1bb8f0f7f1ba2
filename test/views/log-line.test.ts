import { describe, expect, test } from 'vitest';
import { appLine } from '../../src/operations/logs/log-line.ts';
import { localTime } from '../../src/output/format.ts';
import { logLineView } from '../../src/views/log-line.ts';
import { markedPage, plainPage } from '../support/page.ts';

const timestamp = '2026-11-20T14:00:05.12Z';
const line = (more: object = {}) =>
  appLine({ logLine: 'hello', timestamp, containerName: 'web-1', stream: 'stdout', ...more });

const shown = (more: object, labels: [containers: boolean, streams: boolean], flags = {}, page = plainPage()) =>
  logLineView({ line: line(more), containers: labels[0], streams: labels[1] }, flags)(page);

describe('a log line', () => {
  test.each<[what: string, labels: [boolean, boolean], expected: string]>([
    ['has no label if all lines are of one container and stream', [false, false], 'hello'],
    ['names its container if there are several', [true, false], '[web-1] hello'],
    ['names its stream if there are several', [false, true], '[stdout] hello'],
    ['names both', [true, true], '[web-1/stdout] hello'],
  ])('%s', (_, labels, expected) => {
    expect(shown({}, labels)).toBe(expected);
  });

  test('has no label for what is unknown of it', () => {
    expect(shown({ containerName: '', stream: '' }, [true, true])).toBe('hello');
    expect(shown({ containerName: '' }, [true, true])).toBe('[stdout] hello');
  });

  test('with --timestamps begins with its local time, in milliseconds', () => {
    expect(shown({}, [true, false], { timestamps: true })).toBe(`${localTime(timestamp)}.120 [web-1] hello`);
  });

  test.each([
    ['2026-11-20T14:00:05Z', '.000'],
    ['2026-11-20T14:00:05.123456789Z', '.123'],
  ])('of %s has three digits of a second', (time, fraction) => {
    expect(shown({ timestamp: time }, [false, false], { timestamps: true })).toBe(
      `${localTime(time)}${fraction} hello`,
    );
  });

  test('without a time has none, also with --timestamps', () => {
    expect(shown({ timestamp: '' }, [false, false], { timestamps: true })).toBe('hello');
  });

  test('that holds several lines gets time and label on each', () => {
    const time = localTime(timestamp);
    expect(shown({ logLine: 'a\nb\n' }, [true, false], { timestamps: true })).toBe(
      `${time}.120 [web-1] a\n${time}.120 [web-1] b`,
    );
  });

  test('with --raw is as it was printed, without a label', () => {
    expect(shown({ logLine: '10%\r20%\n' }, [true, true], { raw: true })).toBe('10%\r20%\n');
    expect(shown({}, [true, true], { raw: true, timestamps: true })).toBe(`${localTime(timestamp)}.120 hello`);
  });

  test('of stderr is yellow, of stdout is not', () => {
    expect(shown({ stream: 'stderr' }, [false, true], {}, markedPage())).toBe(
      '[<yellow>stderr</yellow>] <yellow>hello</yellow>',
    );
    expect(shown({}, [false, true], {}, markedPage())).toBe('[stdout] hello');
  });

  test('has the same color for the same container, and another for another', () => {
    const label = (containerName: string) => shown({ containerName }, [true, false], {}, markedPage());
    const colors = ['a', 'b', 'c', 'd'].map((name) => /<(\w+)>/.exec(label(name))?.[1]);
    expect(new Set(colors).size).toBe(4);
    expect(label('a')).toBe(label('a'));
  });
});
