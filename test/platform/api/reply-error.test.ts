import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/kernel/errors.ts';
import { errorFromReply } from '../../../src/platform/api/reply-error.ts';

const reply = (status: number, body = '', headers: Record<string, string> = {}) =>
  errorFromReply({ status, body, headers }, 0);

test.each([
  [300, 1, false],
  [302, 1, false],
  [400, 1, false],
  [401, 4, false],
  [402, 14, false],
  [403, 5, false],
  [404, 6, false],
  [405, 1, false],
  [408, 69, true],
  [409, 7, false],
  [412, 7, false],
  [418, 1, false],
  [422, 1, false],
  [429, 75, true],
  [500, 69, true],
  [501, 69, false],
  [502, 69, true],
  [503, 69, true],
  [504, 69, true],
  [599, 69, false],
])('status %i means exit %i, and %s that a repeat may help', (status, exit, retryable) => {
  const failure = reply(status);
  expect(exitCodes[failure.exit].code).toBe(exit);
  expect(failure.facts).toMatchObject({ status, retryable });
  expect(failure.message).toContain(`(HTTP ${status})`);
  if (status >= 500) expect(String(failure.facts.fix)).toContain('gantry status');
});

describe('the message of the server', () => {
  test.each([
    ['{"message":"name is taken"}', 'name is taken'],
    ['{"message":""}', 'it already exists or has changed (HTTP 409)'],
    ['{"message":7}', 'it already exists or has changed (HTTP 409)'],
    ['{"error":"x"}', 'it already exists or has changed (HTTP 409)'],
    ['plain words', 'plain words'],
    ['', 'it already exists or has changed (HTTP 409)'],
    ['<!DOCTYPE html><p>x', 'received a web page instead of a reply (HTTP 409)'],
    ['  <HTML>', 'received a web page instead of a reply (HTTP 409)'],
    ['<Error/>', 'it already exists or has changed (HTTP 409)'],
    ['{"message": "cut o', 'it already exists or has changed (HTTP 409)'],
    ['x'.repeat(501), 'it already exists or has changed (HTTP 409)'],
  ])('%j is shown as %j', (body, message) => {
    expect(reply(409, body).message).toBe(message);
  });

  test('keeps the request id, under either name', () => {
    expect(reply(500, '', { 'x-request-id': 'one' }).facts.requestId).toBe('one');
    expect(reply(500, '', { 'x-amzn-requestid': 'two' }).facts.requestId).toBe('two');
    expect(reply(500).facts.requestId).toBeUndefined();
  });

  test('keeps its Retry-After', () => {
    expect(reply(503, '', { 'retry-after': '7' }).facts.retryAfterMs).toBe(7_000);
  });
});

test.each([
  ['https://login.example/sso?token=secret#x', 'https://login.example/sso'],
  ['https://user:secret@login.example:444', 'https://login.example:444/'],
  ['/login?next=secret', '/login'],
])('a redirect to %s shows its target without secrets', (location, shown) => {
  const failure = reply(302, '{"message":"Found"}', { location });
  expect(failure.message).toBe(`the platform returned a redirect (HTTP 302 to ${shown})`);
  expect(String(failure.facts.fix)).toContain('check the address');
});

test('truncates a very long message, and says how much is missing', () => {
  const { message } = reply(409, JSON.stringify({ message: `name ${'x'.repeat(10_000_000)}` }));
  expect(message).toMatch(/^name x{1995}… \(9998005 more characters\)$/);
});
