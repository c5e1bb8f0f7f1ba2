import { describe, expect, test } from 'vitest';
import { appLine } from '../../../src/calls/logs/log-line.ts';
import { logLineView } from '../../../src/cli/views/log-line.ts';
import { localTime } from '../../../src/kernel/output/format.ts';
import { plainPage } from '../../support/page.ts';

const timestamp = '2026-11-20T14:00:05.12Z';
const line = (more: object = {}) =>
  appLine({ logLine: 'hello', timestamp, containerName: 'web-1', stream: 'stdout', ...more });

const shown = (more: object, flags = {}) => logLineView(line(more), flags)(plainPage());

describe('a log line', () => {
  test.each([
    ['web-1', 'web-1'],
    ['p-12345678-my-app-c00f418f-df34e', 'c00f418f-df34e'],
    ['p-12345678-my-app2-c00f', 'p-12345678-my-app2-c00f'],
  ])('with --prefix names container %s as %s', (containerName, name) => {
    expect(shown({ containerName, appId: 'p-12345678-my-app' }, { prefix: true })).toBe(`[${name}] hello`);
  });

  test('has no prefix for an unknown container', () => {
    expect(shown({ containerName: '' }, { prefix: true })).toBe('hello');
  });

  test.each([
    ['2026-11-20T14:00:05Z', '.000'],
    ['2026-11-20T14:00:05.123456789Z', '.123'],
  ])('of %s has three digits of a second', (time, fraction) => {
    expect(shown({ timestamp: time }, { timestamps: true })).toBe(`${localTime(time)}${fraction} hello`);
  });

  test('without a time has none, also with --timestamps', () => {
    expect(shown({ timestamp: '' }, { timestamps: true })).toBe('hello');
  });
});
