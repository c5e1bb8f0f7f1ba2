import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { JqResult } from 'jq-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileJq } from '../../src/kernel/output/jq.ts';
import { readJq } from '../../src/kernel/output/jq-wasm.ts';
import { startOwnWorker } from '../../src/own-files.ts';
import { emulatorForAll, gantry } from '../support/index.ts';

const emulator = emulatorForAll({ real: false, seed: 1 });
/** One for all expressions: starting it takes longer than all of them. */
let jq: Worker;

beforeAll(async () => {
  jq = startOwnWorker('kernel/output/jq-worker.mjs', { workerData: { name: 'jq', maxBytes: 2 ** 20 } });
  jq.postMessage(await readJq());
});

afterAll(() => jq.terminate());

/** Like a list of apps, with the values that make filters fail: null, nested, missing, empty, Unicode. */
const apps = [
  { id: 'p-1-web', name: 'web', cost: 12.5, tags: ['prod', 'eu'], hardware: { gpu: 1 } },
  { id: 'p-1-job', name: 'job', cost: 0, tags: [], hardware: null },
  { id: 'p-1-größe', name: 'größe', cost: 3, tags: ['dev'] },
];

test.each([
  ['{"a":"\\ud83d"}', '\ufffd'],
  ['{"a":"x\\udc00y\\ud83d\\ude00"}', 'x\ufffdy\u{1f600}'],
  ['{"a":"\\\\ud83d"}', '\\ud83d'],
])('half a surrogate pair is shown as U+FFFD: %s', async (json, shown) => {
  const filter = await compileJq('.a', new AbortController().signal);
  expect(await filter.filter(json)).toBe(`${shown}\n`);
  await filter.close();
});

test('keeps the digits of numbers that the expression does not compute with', async () => {
  const { stdout } = await run('.[]', '[1234567890123456789,1.0,-0,0.12345678901234567890,1e400]');
  expect(stdout).toBe('1234567890123456789\n1.0\n-0\n0.12345678901234567890\n1E+400\n');
});

// The language is that of jq: what is ours is how values go in and come out.
test.each([
  ['.', `${JSON.stringify(apps)}\n`],
  ['.[].name', 'web\njob\ngröße\n'],
  ['.[1].hardware', 'null\n'],
  ['.[] | [.name, .cost] | @tsv', 'web\t12.5\njob\t0\ngröße\t3\n'],
  ['empty', ''],
  ['input? // "no more"', 'no more\n'],
  ['-1', '-1\n'],
  ['"   indented\\n\\tsecond  ", "", "\u2028\\n"', '   indented\n\tsecond  \n\n\u2028\n\n'],
])('jq %s', async (expression, expected) => {
  expect(await run(expression, JSON.stringify(apps))).toEqual({ stdout: expected, stderr: '', exitCode: 0 });
});

async function run(expression: string, json: string): Promise<JqResult> {
  jq.postMessage({ id: 1, task: { json, expression } });
  const [{ result }] = await once(jq, 'message');
  return result;
}

describe('a program that does not end by itself', () => {
  const endless = 'def f: f; f';

  test.each([
    ['runs for ever', endless, /still running after 20 ms/],
    ['calls itself', 'def f: length + f; f', /needs more than the 256 MiB of memory/],
    ['makes a text that is too long', '. * 400000000', /needs more than the 256 MiB of memory/],
  ])('%s: is ended', async (_, expression, why) => {
    const isLimited = expression === endless;
    const filter = await compileJq(expression, never, isLimited ? 20 : undefined);
    await expect(filter.filter('"x"')).rejects.toMatchObject({
      exit: 'failed',
      facts: { why: expect.stringMatching(why) },
    });
    await filter.close();
  });

  test('prints without end: is ended', async () => {
    const printing = startOwnWorker('kernel/output/jq-worker.mjs', { workerData: { name: 'jq', maxBytes: 2 ** 12 } });
    printing.postMessage((await readJq()).slice());
    printing.postMessage({ id: 1, task: { json: '1', expression: 'repeat(.)' } });
    expect(await once(printing, 'message')).toEqual([{ id: 1, result: 'out of memory' }]);
    await printing.terminate();
  });

  test('is too large: is refused before the command does anything', async () => {
    const before = emulator.calls.length;
    const expression = `.${' '.repeat(2 ** 22)}`;
    const { code, json, stderr } = await gantry(['apps', 'delete', 'web', '--jq', expression], { emulator });
    expect([code, emulator.calls.length]).toEqual([2, before]);
    expect(json()).toMatchObject({ error: { code: 'usage', message: 'the --jq expression is too large' } });
    expect(stderr).not.toContain('Aborted');
  });

  test('ends at Ctrl-C', async () => {
    const stop = new AbortController();
    const before = emulator.calls.length;
    const command = gantry(['apps', 'list', '--jq', endless], { emulator, stop: stop.signal });
    await expect.poll(() => emulator.calls.length).toBeGreaterThan(before);
    stop.abort();
    expect(await command).toMatchObject({ code: 130, stderr: expect.stringContaining('interrupted') });
  });

  test('ends at --timeout', async () => {
    const succeeded = ['runs', 'list', 'web', '--jq', 'map(select(.status == "success"))[0].id'];
    const { stdout: run } = await gantry(succeeded, { emulator });
    const line = ['logs', 'web', '--run', run.trim(), '-f', '--timeout', '1s', '--jq', endless];
    expect(await gantry(line, { emulator })).toExit(1, 'still running after 1.0 s');
  });
});

const never = new AbortController().signal;

describe('--jq', () => {
  test('filters the result, and implies --json', async () => {
    const { code, stdout } = await gantry(['apps', 'list', '--jq', '.[].name'], { emulator });
    expect([code, stdout.trimEnd().split('\n').sort()]).toEqual([0, ['nightly-report', 'transcriber', 'web']]);
    const fields = await gantry(['apps', 'list', '--json=name', '--jq=.[0] | keys'], { emulator });
    expect(fields.stdout).toBe('["name"]\n');
  });

  test.each([
    ['.[', 'line 1, column 2', /unexpected end of file/],
    ['.[] | nmae', 'line 1, column 7', /nmae\/0 is not defined/],
    ['{a:}', 'line 1, column 4', /unexpected '\}'/],
    ['.[]\n| foo', 'line 2, column 3', /foo\/0 is not defined/],
  ])('refuses %j with the place, before it does anything', async (expression, place, reason) => {
    const before = emulator.calls.length;
    const { code, stderr, json } = await gantry(['apps', 'delete', 'web', '--jq', expression], { emulator });
    expect([code, emulator.calls.length]).toEqual([2, before]);
    expect(stderr).toContain(place);
    expect(json()).toMatchObject({ error: { code: 'usage', why: expect.stringMatching(reason) } });
  });

  test('filters each line of a stream, and the last', async () => {
    const line = ['deploy', '--events', '--dry-run', '--jq', '.type'];
    const { stdout } = await gantry(line, { emulator, cwd: 'fixtures/apps/hello' });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('result');
  });

  test('of a log, filters its lines only', async () => {
    const { stdout } = await gantry(['logs', 'web', '--since', '7d', '-n', '3', '--jq', '.logLine'], { emulator });
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stdout).not.toContain('null');
  });

  test('keeps the blanks around a text', async () => {
    const line = ['apps', 'list', '--jq', '"  File \\"main.py\\"  ", "", "\\tx\\n"'];
    expect((await gantry(line, { emulator })).stdout).toBe('  File "main.py"  \n\n\tx\n\n');
  });

  test('does not filter an error', async () => {
    const { code, json } = await gantry(['apps', 'get', 'nope', '--jq', '.name'], { emulator });
    expect([code, json()]).toEqual([6, { error: expect.objectContaining({ code: 'not-found' }) }]);
  });

  test('says that the command has succeeded if its result cannot be filtered', async () => {
    const outcome = await gantry(['apps', 'list', '--jq', '.name'], { emulator });
    expect(outcome).toExit(1, 'Cannot index array with', 'what the command has done stays');
  });

  test('prints nothing that controls a terminal', async () => {
    const line = ['apps', 'list', '--jq', '"\\u001b]0;title\\u0007x"'];
    expect((await gantry(line, { emulator, columns: 80 })).stdout).toBe('x\n');
  });
});
