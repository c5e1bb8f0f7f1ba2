import { parse, safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { isSecure } from '../../../src/platform/contract/address.ts';
import { buildPhase } from '../../../src/platform/contract/builds.ts';
import { fillPath, shortAppName, splitRoute, toAppId } from '../../../src/platform/contract/endpoint.ts';
import { endpoints } from '../../../src/platform/contract/index.ts';
import { maybe, queryBoolean } from '../../../src/platform/contract/scalars.ts';

test.each([
  ['web', 'p-1-web', 'web'],
  ['p-1-web', 'p-1-web', 'web'],
  ['p-2-web', 'p-1-p-2-web', 'p-2-web'],
  ['p-1', 'p-1-p-1', 'p-1'],
])('app %s is %s for the platform and is shown as %s', (app, id, name) => {
  expect(toAppId('p-1', app)).toBe(id);
  expect(shortAppName('p-1', app)).toBe(name);
});

test('a route is filled with each value as one segment', () => {
  expect(fillPath('/p/{project}/apps/{app}/b/{build}', { project: 'p-1', app: 'web', build: 'a/b?c#d%' })).toBe(
    '/p/p-1/apps/p-1-web/b/a%2Fb%3Fc%23d%25',
  );
  expect(splitRoute('DELETE /x/{y}')).toEqual({ method: 'DELETE', path: '/x/{y}' });
});

test.each(
  ['', '.', '..'].flatMap((id) =>
    [...new Set(Object.values(endpoints).map(({ route }) => route))].flatMap((route) =>
      [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, id, splitRoute(route).path]),
    ),
  ) as [string, string, string][],
)('the %s "%s" is refused for %s', (name, id, path) => {
  const others = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => [each, 'x']));
  expect(() => fillPath(path, { ...others, project: 'p-1', [name]: id })).toThrow(
    expect.objectContaining({
      exit: 'usage',
      message: expect.stringMatching(new RegExp(`^invalid [a-z ]+ "${id.replaceAll('.', '\\.')}"$`)),
    }),
  );
});

test.each([
  ['success', 'succeeded'],
  ['ready', 'succeeded'],
  ['failure', 'failed'],
  ['build_failure', 'failed'],
  ['init_failure', 'failed'],
  ['init_timeout', 'failed'],
  ['cancelled', 'failed'],
  ['Canceled', 'failed'],
  ['some_new_error', 'failed'],
  ['upload_timeout', 'failed'],
  ['pending', 'in progress'],
  ['polishing', 'in progress'],
  ['', 'in progress'],
  ['SUCCESS?', 'in progress'],
])('a build with status %j is %s', (status, phase) => {
  expect(buildPhase(status)).toBe(phase);
});

test.each([
  ['2', 2],
  ['0.5', 0.5],
  [3, 3],
  ['', undefined],
  [' 7 ', 7],
  ['many', undefined],
  ['Infinity', undefined],
  [true, undefined],
  [{ value: 2 }, undefined],
  [null, undefined],
  [undefined, undefined],
])('the number %j is read as %j', (wire, value) => {
  expect(parse(maybe.number, wire)).toBe(value);
});

test.each([
  [null, undefined],
  ['', undefined],
  ['0001-01-01T00:00:00Z', undefined],
  ['2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00.000Z'],
  ['yesterday', 'yesterday'],
  ['never', 'never'],
  [1763631000, '2025-11-20T09:30:00.000Z'],
  ['1763631000123', '2025-11-20T09:30:00.123Z'],
  [1e300, '1e+300'],
  [{}, undefined],
])('the time %j is read as %j', (wire, value) => {
  expect(parse(maybe.time, wire)).toBe(value);
});

test.each([
  [true, true],
  ['true', true],
  ['false', false],
])('the flag %j of a query is read as %j', (wire, value) => {
  expect(parse(queryBoolean, wire)).toBe(value);
});

test.each(['1', 'perhaps', '', 'TRUE'])('the flag %j of a query is refused', (wire) => {
  expect(safeParse(queryBoolean, wire).success).toBe(false);
});

test.each([
  ['https://example.com', true],
  ['http://localhost:1', true],
  ['http://127.1.2.3', true],
  ['http://[::1]', true],
  ['http://example.com', false],
  ['http://1270.0.0.1.example', false],
  ['ws://localhost', false],
])('secrets may be sent to %s: %s', (url, secure) => {
  expect(isSecure(new URL(url))).toBe(secure);
});
