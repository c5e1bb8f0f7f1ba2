import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../src/kernel/disk/index.ts';
import { sayJson } from '../support/app-server.ts';
import { gantry } from '../support/gantry.ts';
import { type Answer, echo, mapping, numbers, sorted, upTo } from '../support/mapping.ts';

describe('every input has one line', () => {
  test('with its result, its run and its duration', async () => {
    const { run, lines, cwd } = await mapping();
    const outcome = await run('--json');
    expect(outcome.json()).toMatchObject({
      app: 'web',
      function: 'run',
      input: 'in.jsonl',
      results: 'out.jsonl',
      inputs: 20,
      succeeded: 20,
      failed: 0,
      pending: 0,
      calls: 20,
      failures: [],
    });
    expect(outcome.code).toBe(0);
    const byIndex = lines().sort((one, other) => one.index - other.index);
    expect(byIndex).toEqual(
      upTo(20).map((index) => ({
        index,
        status: 'succeeded',
        result: { n: index },
        run: `r-${index}`,
        ms: expect.any(Number),
      })),
    );
    expect(readdirSync(cwd).sort()).toEqual(['in.jsonl', 'out.jsonl', 'out.jsonl.gantry-map']);
  });

  test('when calls fail, are refused or lose their replica', async () => {
    const attempts = new Map<number, number>();
    const answer: Answer = (response, input, seen) => {
      const attempt = (attempts.get(input.n) ?? 0) + 1;
      attempts.set(input.n, attempt);
      if (attempt === 1 && input.n % 5 === 1)
        return sayJson(response, { message: 'slow down' }, 429, { 'retry-after': '1' });
      if (attempt <= 2 && input.n % 5 === 2) return sayJson(response, { message: 'no replica' }, 503);
      if (input.n % 10 === 3)
        return sayJson(response, { detail: `CUDA out of memory. Tried to allocate ${input.n} GiB` }, 500);
      if (input.n % 10 === 4) return sayJson(response, { message: 'bad gateway' }, 502);
      if (input.n % 10 === 5) return response.destroy();
      return echo(response, input, seen);
    };
    const { run, lines, indexes, called } = await mapping(answer, { inputs: numbers(100) });
    const outcome = await run('--json');
    expect(outcome.code).toBe(13);
    expect(sorted(indexes())).toEqual(upTo(100));
    const failed = lines().filter(({ status }) => status === 'failed');
    expect(sorted(failed.map(({ index }) => index % 10))).toEqual([3, 4, 5].flatMap((each) => Array(10).fill(each)));
    expect(outcome.json()).toMatchObject({
      inputs: 100,
      succeeded: 70,
      failed: 30,
      calls: 100,
      refused: 60,
      failures: expect.arrayContaining([
        {
          cause: 'gpu-out-of-memory',
          title: expect.any(String),
          inputs: 10,
          index: expect.any(Number),
          indexes: expect.any(Array),
          line: expect.any(Number),
        },
        {
          cause: 'app-exited',
          title: expect.any(String),
          inputs: 10,
          index: expect.any(Number),
          indexes: expect.any(Array),
          line: expect.any(Number),
        },
      ]),
    });
    // Only what had no effect is repeated.
    const ran = upTo(100).map((n) => called.filter((one) => one === n).length);
    expect(ran).toEqual(upTo(100).map((n) => ({ 1: 2, 2: 3 })[n % 5] ?? 1));
  });

  test('and failures are said with the line of the first, as the file of inputs has it', async () => {
    const answer: Answer = (response, input, seen) =>
      input.n === 7 ? sayJson(response, { message: 'seven' }, 400) : echo(response, input, seen);
    const { run, lines, cwd, env } = await mapping(answer, { inputs: '{"n": 1}\n\n\n{"n": 7}\n{"n": 2}\n' });
    expect((await run()).stdout).toMatch(/\n1\t4\tseven\n$/);
    expect((await run('--retry-failed', { columns: 80, env: { ...env, NO_COLOR: '1' } })).stdout).toMatch(
      /FAILED +FIRST LINE +CAUSE\n *1 +4 +seven$/m,
    );
    expect(lines().find(({ status }) => status === 'failed')?.index).toBe(1);
    writeFileSync(join(cwd, 'in.csv'), 'n:,text\n1,"of two\nlines"\n2,x\n7,y\n');
    const csv = await gantry('map web in.csv -o csv.jsonl --json'.split(' '), { env, cwd });
    expect(csv.json()).toMatchObject({ failures: [{ index: 2, line: 5 }] });
  });

  test('in JSON that other programs read', async () => {
    const results = ['{"big": 12345678901234567890, "exact": 1.0}', '"\\ud83d\\ude00 \\u2028"', 'not JSON', '[1]'];
    const answer: Answer = (response, { n }) => {
      const type = n === 2 ? 'text/plain' : n === 4 ? 'application/octet-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type }).end(n === 4 ? Buffer.from([255, 0]) : results[n]);
    };
    const { run, file } = await mapping(answer, { inputs: numbers(5) });
    expect((await run('--ordered')).code).toBe(0);
    const script =
      'import json, sys; print(json.dumps([json.loads(line)["result"] for line in open(sys.argv[1], encoding="utf-8")]))';
    const read = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }).trim();
    expect(read).toBe(
      '[{"big": 12345678901234567890, "exact": 1.0}, "\\ud83d\\ude00 \\u2028", "not JSON", [1], "/wA="]',
    );
    expect(readFileSync(file, 'utf8')).toContain('"result":"/wA=","encoding":"base64"');
  });
});

describe('the inputs', () => {
  test('are sent byte for byte', async () => {
    const inputs = '\ufeff{"n":  1.0}\r\n\n{"n": 12345678901234567890}\n{"n": 3}';
    const { run, calls, indexes } = await mapping(echo, { inputs });
    expect((await run('--concurrency 1')).code).toBe(0);
    expect(calls().map(({ body }) => String(body).trim())).toEqual([
      '{"n":  1.0}',
      '{"n": 12345678901234567890}',
      '{"n": 3}',
    ]);
    expect(calls().map(({ path }) => path)).toEqual(Array(3).fill('/v4/p-12345678/web/run'));
    expect(indexes()).toEqual([0, 1, 2]);
  });

  test('may be CSV', async () => {
    const { cwd, env, calls } = await mapping();
    const csv = 'n:,text\r\n1,"a ""b"", c\nd"\r\n\r\n,007\n"1.0",\n2,"e\r"\n';
    writeFileSync(join(cwd, 'in.csv'), `\ufeff${csv}`);
    const { code } = await gantry('map web predict in.csv -o out.jsonl --concurrency 1'.split(' '), { cwd, env });
    expect(code).toBe(0);
    expect(calls().map(({ path, body }) => [path, String(body)])).toEqual(
      [
        '{"n":1,"text":"a \\"b\\", c\\nd"}',
        '{"n":null,"text":"007"}',
        '{"n":1.0,"text":""}',
        '{"n":2,"text":"e\\r"}',
      ].map((body) => ['/v4/p-12345678/web/predict', body]),
    );
  });

  test.each([
    ['in.jsonl', '{"n": 1}\n{n: 2}\n', 'line 2 of in.jsonl is not valid JSON'],
    ['in.jsonl', Buffer.from([0x22, 0xff, 0x22]), 'line 1 of in.jsonl is not valid JSON'],
    ['in.csv', 'a,b\n1\n', 'line 2 of in.csv is not valid CSV: it has 1 cells'],
    ['in.csv', 'a,b\n"1,2\n', 'a quote is not closed'],
    ['in.csv', 'a,a\n1,2\n', 'two columns have the title a'],
    ['in.csv', 'a:\n{x}\n', 'the cell of the column a: is not valid JSON'],
    ['in.csv', 'a;b\n1;2\n', 'its cells are separated by semicolons'],
    ['in.csv', 'a\tb\n1\t2\n', 'its cells are separated by tabs'],
    ['in.csv', 'a,b\r1,2\r', 'a carriage return alone'],
    ['in.csv', '"a"\r,b\n1,2\n', 'a carriage return alone'],
    ['in.csv', Buffer.from('a,b\n1,2\n', 'utf16le'), 'it has the character NUL'],
    ['in.csv', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'in.csv is not UTF-8'],
    ['in.txt', 'x', 'in.txt is neither .jsonl nor .csv'],
    ['-', '', '- is neither .jsonl nor .csv'],
  ])('in %s are checked before anything is called (%#)', async (name, content, message) => {
    const { cwd, env, calls } = await mapping();
    if (name !== '-') writeFileSync(join(cwd, name), content);
    expect(await gantry(['map', 'web', name, '-o', 'out.jsonl'], { cwd, env })).toExit(2, message);
    expect([calls(), existsSync(join(cwd, 'out.jsonl'))]).toEqual([[], false]);
  });
});

describe('an existing results file', () => {
  test('of other inputs, of another function or of something else is refused', async () => {
    const { run, cwd, env, file, called } = await mapping();
    await run();
    const text = readFileSync(file, 'utf8');
    called.length = 0;
    const other = (words: string) => gantry(['map', 'web', ...words.split(' ')], { cwd, env });
    writeFileSync(join(cwd, 'other.jsonl'), numbers(21));
    writeFileSync(join(cwd, 'notes.jsonl'), '{"a": 1}\n');
    for (const [words, message, why] of [
      ['other.jsonl -o out.jsonl', 'out.jsonl has results of other inputs', /they are of 20 inputs in \d+ bytes with/],
      ['predict in.jsonl -o out.jsonl', 'out.jsonl has results of web/run', /now you call web\/predict\n/],
      [
        'in.jsonl -o notes.jsonl',
        'notes.jsonl exists and is not known to have results',
        /notes\.jsonl\.gantry-map, which/,
      ],
      ['in.jsonl -o in.jsonl', 'in.jsonl exists and is not known to have results', /is missing or damaged\n/],
    ] as const) {
      for (const line of [words, `${words} --dry-run`])
        expect(await other(line)).toExit(7, message, why, 'fix name another results file\n');
    }
    expect(await other('in.jsonl -o .')).toMatchObject({ code: 2, stderr: expect.stringContaining('. is a folder') });
    expect([called, readFileSync(file, 'utf8')]).toEqual([[], text]);
    expect(readFileSync(join(cwd, 'notes.jsonl'), 'utf8')).toBe('{"a": 1}\n');
  });

  test('is written by one command at a time', async () => {
    const { run, file, called } = await mapping();
    const lock = takeLock(`${file}.lock`);
    expect(await run()).toExit(7, 'out.jsonl is being written by another gantry map');
    expect(called).toEqual([]);
    lock?.release();
    expect((await run()).code).toBe(0);
  });

  test('gets new results for failures with --retry-failed', async () => {
    let isBroken = true;
    const answer: Answer = (response, input, seen) =>
      isBroken && input.n % 4 === 0 ? sayJson(response, { detail: 'broken' }, 500) : echo(response, input, seen);
    const { run, lines, indexes, called } = await mapping(answer);
    expect((await run()).code).toBe(13);
    isBroken = false;
    called.length = 0;
    // Without the flag, a failure is a result.
    expect([(await run()).code, called]).toEqual([13, []]);
    expect((await run('--retry-failed')).code).toBe(0);
    expect([sorted(called), sorted(indexes())]).toEqual([[0, 4, 8, 12, 16], upTo(20)]);
    expect(lines().every(({ status }) => status === 'succeeded')).toBe(true);
  });

  test('is sorted with --ordered', async () => {
    let answerFirst = () => {};
    let answered = 0;
    // The first input ends last, however many calls are made at a time.
    const answer: Answer = (response, input, seen) => {
      if (input.n === 0 && answered < 19) answerFirst = () => echo(response, input, seen);
      else echo(response, input, seen);
      if (input.n !== 0 && ++answered === 19) answerFirst();
    };
    const { run, indexes } = await mapping(answer);
    await run();
    expect(indexes()).not.toEqual(upTo(20));
    await run('--ordered');
    expect(indexes()).toEqual(upTo(20));
  });
});

describe('it stops', () => {
  test('after Ctrl-C, when the calls in flight have ended; the same command continues', async () => {
    const stop = new AbortController();
    const answer: Answer = (response, input, seen) => {
      if (input.n === 9) stop.abort();
      setImmediate(() => echo(response, input, seen));
    };
    const { run, indexes, called } = await mapping(answer);
    const { code, stderr } = await run('', { stop: stop.signal });
    expect(code).toBe(130);
    expect(stderr).toContain('finishing the calls in flight, for 10 s at most');
    expect(stderr).toContain(`${called.length} of 20 inputs have a result in out.jsonl; the same command continues`);
    expect(called.length).toBeLessThan(20);
    expect((await run()).code).toBe(0);
    expect([sorted(called), sorted(indexes())]).toEqual([upTo(20), upTo(20)]);
  });

  test('after --max-failures', async () => {
    const { run, called } = await mapping((response) => sayJson(response, { detail: 'broken' }, 500));
    const outcome = await run('--max-failures 3 --concurrency 1 --json');
    expect([outcome.code, called.length]).toEqual([13, 3]);
    expect(outcome.json()).toMatchObject({ failed: 3, pending: 17 });
  });

  test('after --max-failures, with those that are in flight', async () => {
    const waiting: (() => void)[] = [];
    // All are in flight before the first fails.
    const { run, called } = await mapping((response) => {
      waiting.push(() => sayJson(response, { detail: 'broken' }, 500));
      if (waiting.length >= 8) for (const answer of waiting.splice(0)) answer();
    });
    const { code, stdout } = await run('--max-failures 3 --concurrency 8');
    expect([code, called.length]).toEqual([13, 8]);
    expect(stdout).toContain('8 failed, 12 not called of 20 inputs');
    expect(stdout).toContain('stopped by --max-failures 3, when 5 calls in flight failed as well');
  });

  test.each([
    ['the function does not exist', 404, 6],
    ['the token is not accepted', 401, 4],
    ['a gateway has no such host', 421, 13],
    ['the plan does not include it', 402, 14],
  ])('when %s, and keeps all inputs', async (_, status, exit) => {
    const { run, lines, called } = await mapping((response) => sayJson(response, { message: 'no' }, status));
    const { code, stderr } = await run('--concurrency 1');
    expect([code, called.length, lines()]).toEqual([exit, 1, []]);
    expect(stderr).toContain('0 of 20 inputs have a result');
  });

  test('not because one input is not found by the server of the app', async () => {
    const answer: Answer = (response, input, seen) =>
      input.n === 7 ? sayJson(response, { detail: 'no such id' }, 404) : echo(response, input, seen);
    const { run, lines } = await mapping(answer, { details: { runtime: 'custom' } });
    expect((await run()).code).toBe(13);
    expect(lines().filter(({ status }) => status === 'failed')).toMatchObject([
      { index: 7, error: { code: 'app-error', message: 'no such id', statusCode: 404 } },
    ]);
  });
});

test('as many calls are in flight as the replicas of the app can take', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const answer: Answer = async (response, input, seen) => {
    waiting.push(() => echo(response, input, seen));
    // A fifth call would have come by then.
    if (waiting.length === 4) await new Promise(setImmediate);
    most = Math.max(most, waiting.length);
    if (waiting.length >= 4) for (const one of waiting.splice(0)) one();
  };
  const { run, called } = await mapping(answer);
  expect([(await run()).code, called.length, most]).toEqual([0, 20, 4]);
});

test('a call that takes too long is a failure', async () => {
  const { run, lines } = await mapping((response, input, seen) => input.n !== 1 && echo(response, input, seen), {
    inputs: numbers(3),
  });
  expect((await run('--call-timeout 50ms')).code).toBe(13);
  expect(lines().find(({ index }) => index === 1)).toMatchObject({
    status: 'failed',
    error: { code: 'pending', message: 'web/run did not respond within 50 ms' },
  });
});

test('a dry run calls nothing and writes nothing', async () => {
  const { run, cwd, called } = await mapping();
  const outcome = await run('--dry-run');
  expect(outcome).toPrint(/would call web\/run with 20 of 20 inputs, those without/);
  expect([called, readdirSync(cwd)]).toEqual([[], ['in.jsonl']]);
});

test('a dry run says how many inputs have no result yet, or why the command would be refused', async () => {
  const { run, file } = await mapping((response, input, seen) =>
    input.n === 1 ? sayJson(response, { detail: 'no' }, 500) : echo(response, input, seen),
  );
  expect((await run('--max-failures 1 --concurrency 1')).code).toBe(13);
  expect((await run('--dry-run')).stdout).toContain('with 18 of 20 inputs');
  expect((await run('--dry-run --retry-failed')).stdout).toContain('with 19 of 20 inputs');
  expect((await run('--dry-run --json')).json()).toMatchObject({ inputs: 20, succeeded: 1, failed: 1, pending: 18 });
  writeFileSync(file, 'nothing\n', { flag: 'a' });
  const text = readFileSync(file, 'utf8');
  expect(await run('--dry-run')).toExit(7, 'out.jsonl does not have one result per line', 'line 3 is not a result');
  expect(readFileSync(file, 'utf8')).toBe(text);
});
