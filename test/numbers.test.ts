import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { JsonNumber, parseJson, stringifyJson } from '../src/kernel/json-text.ts';
import { Draw } from './chaos/draw.js';
import { python } from './emulator/support/running.ts';
import { appServer } from './support/app-server.ts';
import { gantry, newFolder, type Outcome, startEmulator } from './support/index.ts';

/** JSON numbers that JavaScript would change, and some that it would not, in every form. */
const numbers = randomNumbers(500);
const object = `{${numbers.map((number, at) => `"n${at}":${number}`).join(',')}}`;
const parameters = numbers.map((number, at) => `n${at}:=${number}`);

function randomNumbers(count: number): string[] {
  const random = new Draw(8);
  const below = (limit: number) => Math.floor(random.next() * limit);
  const digits = (length: number) => Array.from({ length }, () => below(10)).join('');
  const whole = () => `${1 + below(9)}${digits(below(25))}`;
  const forms = [
    () => random.pick(['0', '-0', '1.0', '-0.0', '1e400', '-1e400', '1E5', '1e-7', '9007199254740993', '1e-400']),
    whole,
    () => `-${whole()}`,
    () => `9223372036854775${digits(3)}`,
    () => `${whole()}.${digits(1 + below(40))}`,
    () => `0.${digits(1 + below(20))}0`,
    () => `${whole()}${random.pick(['e', 'E', 'e+', 'E-'])}${digits(1 + below(3))}`,
    () => `-${1 + below(9)}.${digits(3)}e${digits(2)}`,
  ];
  return Array.from({ length: count }, () => random.pick(forms)());
}

/** The numbers as they stand in printed JSON, in order. */
const printed = (text: string) => [...text.matchAll(/"n\d+": ?([^,}\s]+)/g)].map(([, number]) => number);

test('the numbers are such as JavaScript would change', () => {
  const kept = numbers.filter((number) => JSON.stringify(JSON.parse(number)) === number);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(250);
});

describe('JSON that is read and written again', () => {
  test('keeps its numbers, and is otherwise what JSON.parse and JSON.stringify make of it', () => {
    for (const number of numbers) {
      const text = `{"a":[${number},{"b\\"\\\\":${number}},"${number}",[],{}],"__proto__":null,"":true}`;
      expect(stringifyJson(parseJson(text))).toBe(text);
      const indented = stringifyJson(parseJson(text), 2);
      expect(indented.replaceAll(number, '7')).toBe(JSON.stringify(JSON.parse(text.replaceAll(number, '7')), null, 2));
    }
  });

  test.each(['1.0', '[-0]', '"1.0"', '{"a":1,"a":2.0}', ' { "a" : [ 1e5 , "\\u0031.0]" ] } '])('%s', (text) => {
    expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
  });

  test('has ordinary numbers where nothing is lost', () => {
    expect(parseJson('[1,0.5,-3,1e+21,9007199254740991]')).toEqual([1, 0.5, -3, 1e21, 9007199254740991]);
    expect(parseJson('[1, 1.0]')).toEqual([1, new JsonNumber('1.0')]);
  });

  test.each(['[1.0', '01.0', '1.e5', '[1.0,]', "{'a':1.0}"])('is refused if it is not JSON: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

/** An app and a platform that answer with the bytes they got. */
const echo = () =>
  appServer((response, { body }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });

describe('numbers typed by a user arrive as they were typed, and come back so', () => {
  test.each([
    ['invoke', ['invoke', 'web', ...parameters]],
    ['invoke --data', ['invoke', 'web', '--data', object]],
    ['invoke --json', ['invoke', 'web', '--json', ...parameters]],
    ['invoke --json=body', ['invoke', 'web', '--json=body', ...parameters]],
    ['invoke --events', ['invoke', 'web', '--events', ...parameters]],
    ['api --field', ['api', 'POST', '/v2/echo', ...parameters.flatMap((field) => ['--field', field])]],
    ['api --json', ['api', 'POST', '/v2/echo', '--json=body', ...parameters.flatMap((field) => ['--field', field])]],
  ])('%s', async (_, line) => {
    const { env, seen } = await echo();
    const { code, stdout } = await gantry(line, { env });
    expect([code, String(seen[0]?.body)]).toEqual([0, object]);
    expect(printed(stdout)).toEqual(numbers);
  });

  test('in a response that failed', async () => {
    const { env } = await appServer((response, { body }) => {
      response.writeHead(422, { 'content-type': 'application/json' }).end(body);
    });
    const { code, stdout } = await gantry(['invoke', 'web', '--json', ...parameters], { env });
    expect([code, printed(stdout)]).toEqual([13, numbers]);
  });

  test('beside a secret that is hidden', async () => {
    const { env } = await appServer((response, { body, headers }) => {
      const token = JSON.stringify(headers.authorization);
      response.writeHead(422, { 'content-type': 'application/json' }).end(`{"token":${token},"echo":${body}}`);
    });
    const { stdout } = await gantry(['invoke', 'web', '--json', ...parameters], { env });
    expect(stdout).not.toContain(env.GANTRY_TOKEN);
    expect(printed(stdout)).toEqual(numbers);
  });
});

describe.skipIf(!python)('numbers typed after `run` (needs python3)', () => {
  const program = 'import os\ndef main(**given):\n    print(os.environ["CEREBRIUM_INPUT_DATA"])\n';

  test('reach the program, which prints them', async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const app = newFolder({ 'job.py': program });
    const run = (...words: string[]): Promise<Outcome> =>
      gantry(['run', 'job.py', ...words], { emulator, cwd: app, meanwhile: () => setTimeout(5) });
    expect((await run(...parameters)).stdout).toBe(`${object}\n`);
    expect((await run('--data', object)).stdout).toBe(`${object}\n`);
    const both = await run('--data', object.replace(/^{"n0":[^,]*,/, '{'), `n0:=${numbers[0]}`, '--json');
    const { logs } = both.json() as { logs: { line: string }[] };
    expect(printed(logs[0]?.line ?? '').sort()).toEqual([...numbers].sort());
  });
});
