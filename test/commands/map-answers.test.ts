import { Agent } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { sayJson } from '../support/app-server.ts';
import { type Answer, echo, mapping, numbers, sorted, upTo } from '../support/mapping.ts';

const ownServer = { runtime: 'custom' };
/** Answers some inputs so, and the others with themselves. */
const only =
  (numbers: readonly number[], answer: Answer): Answer =>
  (response, input, seen) =>
    (numbers.includes(input.n) ? answer : echo)(response, input, seen);
const refusing =
  (status: number): Answer =>
  (response) =>
    sayJson(response, { detail: 'no such user' }, status);

describe('what a server of the app answers to one input', () => {
  test.each([404, 403, 401, 402, 301])('with %i is the result of this input, wherever it is', async (status) => {
    for (const failing of [[0], [7], [19], upTo(20).slice(0, 10)]) {
      const { run, lines, indexes, called } = await mapping(only(failing, refusing(status)), { details: ownServer });
      const { code } = await run('--concurrency 1');
      expect([code, sorted(indexes()), called.length]).toEqual([13, upTo(20), 20]);
      const failed = lines().filter((line) => line.status === 'failed');
      expect(failed.map(({ index }) => index)).toEqual(failing);
      expect(failed[0]?.error).toEqual({ code: 'app-error', message: 'no such user', statusCode: status });
    }
  });

  test('is its result also if only the command before shows that others are taken', async () => {
    let isDown = true;
    const answer: Answer = (response, input, seen) =>
      isDown && input.n > 5 ? response.destroy() : only([0], refusing(403))(response, input, seen);
    const { run, lines } = await mapping(answer, { inputs: numbers(8), details: ownServer });
    await run('--concurrency 1');
    isDown = false;
    expect((await run('--retry-failed')).code).toBe(13);
    expect(lines().filter(({ status }) => status === 'failed')).toMatchObject([
      { index: 0, error: { statusCode: 403 } },
    ]);
  });

  test.each([401, 404])('with %i to each ends the command', async (status) => {
    const exit = status === 401 ? 4 : 13;
    for (const [inputs, made] of [
      [100, 25],
      [3, 3],
    ] as const) {
      const { run, lines, called } = await mapping(refusing(status), { inputs: numbers(inputs), details: ownServer });
      const { code, stderr } = await run('--concurrency 1');
      expect([code, lines().length, called.length]).toEqual([exit, made, made]);
      expect(stderr).toMatch(status === 401 ? /token/ : /returned 404/);
      called.length = 0;
      // They are results, which are called again if that is asked for.
      await run('--concurrency 1 --retry-failed');
      expect([called.length, lines().length]).toEqual([made, made]);
    }
  });
});

const page = '<!doctype html><title>Sign in</title>';
const notResults: [what: string, type: string, body: string, details: object, headers: Record<string, string>][] = [
  ['a web page', 'text/html', page, {}, {}],
  ['a web page without its type', 'text/plain', `\n${page}`, {}, {}],
  ['a web page of somebody in front of an own server', 'text/html; charset=utf-8', page, ownServer, {}],
  ['half of a JSON', 'application/json', '{"run_id": "x", "result": [1,2', {}, { 'x-request-id': 'r-1' }],
  ['half of a JSON of an own server', 'application/json', '{"a": [1,2', ownServer, { 'x-request-id': 'r-1' }],
  ['nothing', 'application/json', '', {}, {}],
];
test.each(notResults)('%s is no success, whatever its status', async (_, type, body, details, headers) => {
  const answer: Answer = (response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  const { run, lines } = await mapping(only([1], answer), { inputs: numbers(3), details });
  expect((await run()).code).toBe(13);
  expect(lines().find(({ index }) => index === 1)).toMatchObject({ error: { code: 'unavailable', statusCode: 200 } });
});

test.each([
  ['a web page', 'text/html', page],
  ['nothing', 'text/plain', ''],
])('%s is a result if it has the run of an own server', async (_, type, body) => {
  const answer: Answer = (response) =>
    response.writeHead(200, { 'content-type': type, 'x-request-id': 'r-1' }).end(body);
  const { run, lines } = await mapping(answer, { inputs: numbers(1), details: ownServer });
  expect([(await run()).code, lines()]).toMatchObject([0, [{ status: 'succeeded', result: body, run: 'r-1' }]]);
});

test('the status that a function chose is not taken for the end of its replica', async () => {
  const result = { status_code: 502, message: 'no such user' };
  const answer: Answer = (response) => sayJson(response, { run_id: 'r-1', run_time_ms: 1, result }, 502);
  const { run } = await mapping(answer, { inputs: numbers(1) });
  expect((await run('--json')).json()).toMatchObject({ failures: [{ cause: 'app-error', title: 'no such user' }] });
});

describe('calls that are refused', () => {
  const full: Answer = (response) => sayJson(response, { message: 'full' }, 429);

  test('for ten minutes end the command without a result, also after others succeeded', async () => {
    const { run, indexes } = await mapping((response, input, seen) =>
      (input.n < 5 ? echo : full)(response, input, seen),
    );
    const { code, waits } = await run('--concurrency 1');
    expect([code, sorted(indexes())]).toEqual([75, upTo(5)]);
    expect(waits.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(600_000);
  });

  test.each([
    ['build_failure', 11],
    ['init_failure', 12],
  ])('of an app whose only build has the status %s end the command at once', async (lastBuildStatus, exit) => {
    const refused: Answer = (response) => sayJson(response, { message: 'app web has no successful build' }, 503);
    for (const details of [{ lastBuildStatus }, { lastBuildStatus, ...ownServer }]) {
      const { run, called } = await mapping(refused, { details });
      const { code, waits, stderr } = await run('--concurrency 1');
      expect([code, called.length, waits.length]).toEqual([exit, 1, 0]);
      expect(stderr).toMatch(/no build of web serves.*\n {2}fix gantry explain web\n/);
    }
  });

  test('are those for which this machine has no descriptor left: nothing was sent', async () => {
    const { run, lines, called } = await mapping();
    const connect = Agent.prototype.createConnection;
    let refused = 0;
    const spy = vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(function (this: Agent, ...args) {
      if (++refused > 30) return connect.apply(this, args);
      const error = new Error('connect EMFILE 127.0.0.1:80 - Local (undefined:undefined)');
      const socket = new Socket();
      // As Node does it, before the request hears of its socket.
      process.nextTick(() => socket.destroy(Object.assign(error, { code: 'EMFILE', syscall: 'connect' })));
      return socket;
    });
    const { code, json } = await run('--json').finally(() => spy.mockRestore());
    expect([code, json()]).toMatchObject([0, { succeeded: 20, failed: 0, calls: 20 }]);
    expect([lines().length, sorted(called)]).toEqual([20, upTo(20)]);
  });

  test('keep their turn as long as others are taken', async () => {
    let refused = 0;
    // Longer than ten minutes for one of them, which is no failure.
    const answer: Answer = (response, input, seen) => {
      if (input.n === 0 && ++refused < 30) return sayJson(response, {}, 429, { 'retry-after': '60' });
      return input.n > 0 && refused < 30
        ? setTimeout(() => echo(response, input, seen), 2)
        : echo(response, input, seen);
    };
    const { run, lines } = await mapping(answer, { inputs: numbers(400) });
    expect([(await run('--concurrency 2')).code, lines().length]).toEqual([0, 400]);
    expect(refused).toBe(30);
  });

  test('are not repeated at once if the app says Retry-After: 0', async () => {
    const { run, called } = await mapping((response) => sayJson(response, {}, 429, { 'retry-after': '0' }), {
      inputs: numbers(1),
    });
    const { code, waits } = await run();
    expect(code).toBe(75);
    expect(waits.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(600_000);
    expect(called.length).toBeLessThan(1_000);
  });
});
