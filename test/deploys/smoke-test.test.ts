import { expect, test } from 'vitest';
import { parseSmokeTest } from '../../src/deploys/smoke.ts';
import { UsageError } from '../../src/kernel/errors.ts';

test.each<[string, object]>([
  ['/health', { name: '/health', path: '/health' }],
  ['/health:ok', { name: '/health', path: '/health', expected: 'ok' }],
  ['run', { name: 'run', fn: 'run' }],
  ['run:Hello', { name: 'run', fn: 'run', expected: 'Hello' }],
  ['run={"name":"Ada"}', { name: 'run', fn: 'run', data: '{"name":"Ada"}' }],
  ['run={"name":"Ada"}:Hello', { name: 'run', fn: 'run', data: '{"name":"Ada"}', expected: 'Hello' }],
  ['run={"at":"10:30"}:a:b', { name: 'run', fn: 'run', data: '{"at":"10:30"}', expected: 'a:b' }],
])('%s', (typed, parsed) => {
  expect(parseSmokeTest(typed)).toEqual({ typed, ...parsed });
});

test.each(['health check', 'run={nonsense}', 'run=', '1run', ':ok'])('%j is refused with an example', (typed) => {
  expect(() => parseSmokeTest(typed)).toThrow(UsageError);
});
