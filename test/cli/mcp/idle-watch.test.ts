import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleWatch } from '../../../src/cli/mcp/idle-watch.ts';
import { answering } from '../../support/answering.ts';
import { connectMcp } from '../../support/mcp.ts';

let active: string[];

beforeEach(() => {
  vi.useFakeTimers();
  active = [];
  vi.spyOn(process, 'getActiveResourcesInfo').mockImplementation(() => ['PipeWrap', ...active, 'Timeout']);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('tells all commands when nothing but streams is active for some seconds', () => {
  const watch = new IdleWatch();
  const [one, other] = [vi.fn(), vi.fn()];
  watch.onIdle(one);
  watch.onIdle(other);
  vi.advanceTimersByTime(4_000);
  expect(one).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect([one, other].every(({ mock }) => mock.calls.length === 1)).toBe(true);
});

test.each(['TCPSocketWrap', 'Timeout', 'FSReqCallback', 'ProcessWrap', 'GetAddrInfoReqWrap'])(
  'waits as long as there is a %s',
  (name) => {
    const listener = vi.fn();
    new IdleWatch().onIdle(listener);
    active = [name];
    vi.advanceTimersByTime(60_000);
    expect(listener).not.toHaveBeenCalled();
    active = [];
    vi.advanceTimersByTime(5_000);
    expect(listener).toHaveBeenCalled();
  },
);

test('a call whose command never settles gets an answer', async () => {
  vi.useRealTimers();
  const url = await answering(() => ({}));
  const env = { GANTRY_API_URL: url, GANTRY_TOKEN: 'token', GANTRY_PROJECT: 'p-1' };
  const { client, end } = await connectMcp([], { env, io: { silenceMs: 60_000 } });
  vi.spyOn(IdleWatch.prototype, 'onIdle').mockImplementation((listener) => {
    setImmediate(listener);
    return () => {};
  });
  const { content, isError } = await client.callTool({ name: 'apps', arguments: { command: 'apps list' } });
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('ended without a result')]);
  await end();
});

test('a command that has ended is not told, and no timer is left', () => {
  const watch = new IdleWatch();
  const listener = vi.fn();
  const stop = watch.onIdle(listener);
  stop();
  vi.advanceTimersByTime(60_000);
  expect([listener.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
});
