import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { writeFileAtomicSync } from '../../src/kernel/disk/index.ts';
import { sayJson } from '../support/app-server.ts';
import { gantry } from '../support/gantry.ts';
import { type Answer, echo, mapping, numbers, sorted, upTo } from '../support/mapping.ts';

describe('--retry-failed keeps each failure until its new result is there', () => {
  /** Every fourth of 20 inputs has failed; then the app answers like this. */
  async function failing(then: Answer) {
    let now: Answer = (response, input, seen) =>
      input.n % 4 === 0 ? sayJson(response, { detail: 'broken' }, 500) : echo(response, input, seen);
    const mapped = await mapping((response, input, seen) => now(response, input, seen));
    await mapped.run();
    now = then;
    mapped.called.length = 0;
    const failed = () => sorted(mapped.lines().flatMap(({ index, status }) => (status === 'failed' ? [index] : [])));
    return { ...mapped, failed };
  }

  test('when the token is refused', async () => {
    const { run, failed, indexes } = await failing((response) => sayJson(response, {}, 401));
    const { code, stderr } = await run('--retry-failed');
    expect(code).toBe(4);
    expect(stderr).toContain('20 of 20 inputs have a result in out.jsonl; 5 failures of them are called again');
    expect(stderr).toContain('20 of 20 inputs have a result in out.jsonl; 5 failures of them were not called again');
    expect([sorted(indexes()), failed()]).toEqual([upTo(20), [0, 4, 8, 12, 16]]);
  });

  test('when it stops after some', async () => {
    const { run, failed, indexes, called } = await failing((response, input, seen) =>
      input.n === 8 ? sayJson(response, { detail: 'still' }, 500) : echo(response, input, seen),
    );
    const outcome = await run('--retry-failed --concurrency 1 --max-failures 1 --json');
    expect(outcome.json()).toMatchObject({ succeeded: 17, failed: 3, pending: 0, calls: 3 });
    const { failures } = outcome.json() as { failures: { inputs: number }[] };
    expect(failures.reduce((sum, { inputs }) => sum + inputs, 0)).toBe(3);
    expect([sorted(indexes()), failed(), called]).toEqual([upTo(20), [8, 12, 16], [0, 4, 8]]);
    // A failure is a result.
    await run();
    expect(called).toEqual([0, 4, 8]);
  });
});

describe('a results file that was edited', () => {
  const edits: [how: string, edit: (text: string) => string | Buffer][] = Object.entries({
    'has no line break at its end': (text) => text.trimEnd(),
    'has blank lines': (text) => `\n${text.replace('\n', '\n \n')}\n\n`,
    'was saved on Windows': (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`,
    'was turned around on Windows': (text) => `\ufeff${text.trimEnd().split('\n').reverse().join('\r\n')}\r\n`,
    'was saved on Windows without a line break at its end': (text) =>
      `\ufeff${text.replaceAll('\n', '\r\n').trimEnd()}`,
  });
  test.each(edits)('and %s keeps all results', async (_, edit) => {
    const { run, file, called } = await mapping();
    await run();
    writeFileSync(file, edit(readFileSync(file, 'utf8')));
    called.length = 0;
    const { code, stderr } = await run();
    expect([code, called, stderr]).toEqual([0, [], expect.not.stringContaining('removed')]);
    await run('--ordered');
    const ordered = readFileSync(file, 'utf8')
      .replace('\ufeff', '')
      .split('\n')
      .filter((line) => line.trim() !== '');
    expect(ordered.map((line) => JSON.parse(line).index)).toEqual(upTo(20));
    expect([(await run()).code, called]).toEqual([0, []]);
  });

  test('so that its last line is cut loses only this one, and it is said', async () => {
    const { run, file, called, indexes } = await mapping();
    await run();
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -10));
    called.length = 0;
    const { stderr } = await run();
    expect(stderr).toContain('the last line of out.jsonl was not complete and was removed');
    expect([called.length, sorted(indexes())]).toEqual([1, upTo(20)]);
  });

  test.each([
    ['two results in one line', (text: string) => text.replace('}\n{', '}{'), 'line 1 is not a result'],
    ['a damaged result', (text: string) => text.replace('"result":{', '"result":{{'), 'line 1 is not a result'],
    ['one input more', (text: string) => text.replace('"index":19', '"index":20'), 'is not a result'],
    ['an input twice', (text: string) => `${text}${text.split('\n')[0]}\n`, 'of an earlier line'],
  ])('to have %s is refused, and stays as it is', async (_, edit, why) => {
    const { run, file, called } = await mapping();
    await run();
    const edited = edit(readFileSync(file, 'utf8'));
    writeFileSync(file, edited);
    called.length = 0;
    const { code, stderr } = await run();
    expect([code, stderr, called]).toEqual([7, expect.stringContaining(why), []]);
    expect(readFileSync(file, 'utf8')).toBe(edited);
  });

  test('to be empty may get results of anything', async () => {
    const { run, file, cwd, env, indexes } = await mapping();
    await run();
    writeFileSync(file, '');
    writeFileSync(join(cwd, 'in.jsonl'), numbers(3));
    expect([(await run()).code, sorted(indexes())]).toEqual([0, upTo(3)]);
    writeFileSync(file, '');
    const other = await gantry('map web predict in.jsonl -o out.jsonl'.split(' '), { cwd, env });
    expect([other.code, sorted(indexes())]).toEqual([0, upTo(3)]);
  });

  test('to be empty does not hide the calls that were in flight', async () => {
    const { run, file } = await mapping();
    await run();
    writeFileSync(file, '');
    appendFileSync(`${file}.gantry-map`, '{"inFlight":2}\n');
    expect((await run()).stderr).toContain('at most 2 calls of these were made without a result in out.jsonl');
  });

  test('is not said to be without a record if that is damaged', async () => {
    const { run, file } = await mapping();
    await run();
    writeFileSync(`${file}.gantry-map`, '{');
    expect(await run()).toExit(7, 'out.jsonl.gantry-map', 'is missing or damaged');
  });
});

describe('results that somebody else changes while they are written', () => {
  const changes: [what: string, change: (file: string) => void, why: string][] = [
    ['removed', (file) => rmSync(file), 'it was removed, renamed or replaced'],
    ['renamed', (file) => renameSync(file, `${file}.1`), 'it was removed, renamed or replaced'],
    ['cut', (file) => writeFileSync(file, ''), 'bytes instead of'],
    ['replaced', (file) => writeFileAtomicSync(file, readFileSync(file)), 'it was removed, renamed'],
    ['extended', (file) => appendFileSync(file, '{"index":19}\n'), 'bytes instead of'],
  ];
  test.each(changes)('(%s) are no success', async (_, change, why) => {
    const answer: Answer = (response, input, seen) => {
      if (input.n === 10) change(mapped.file);
      return echo(response, input, seen);
    };
    const mapped = await mapping(answer);
    const { code, stdout, stderr } = await mapped.run('--concurrency 1');
    expect([code, stdout, stderr]).toEqual([7, '', expect.stringContaining('another program has changed it')]);
    expect(stderr).toContain(why);
  });

  test('end the command within a second, which says nothing of what is there', async () => {
    const now = performance.now.bind(performance);
    let leapt = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + leapt);
    const answer: Answer = (response, input, seen) => {
      if (input.n === 10) {
        rmSync(mapped.file);
        leapt = 2_000;
      }
      return echo(response, input, seen);
    };
    const mapped = await mapping(answer);
    const { code, stderr } = await mapped.run('--concurrency 1');
    clock.mockRestore();
    expect([code, mapped.called.length]).toEqual([7, 11]);
    expect(stderr).not.toContain('have a result in');
  });

  test('while failures are called again, either', async () => {
    let isBroken = true;
    const answer: Answer = (response, input, seen) => {
      if (isBroken && input.n < 2) return sayJson(response, { detail: 'broken' }, 500);
      if (!isBroken) writeFileSync(mapped.file, '');
      return echo(response, input, seen);
    };
    const mapped = await mapping(answer);
    await mapped.run();
    isBroken = false;
    expect(await mapped.run('--retry-failed')).toExit(7, 'bytes instead of');
  });

  test('are called again, and it is said', async () => {
    const answer: Answer = (response, input, seen) => {
      if (input.n === 19 && isFirst) rmSync(mapped.file);
      isFirst &&= input.n !== 19;
      return echo(response, input, seen);
    };
    let isFirst = true;
    const mapped = await mapping(answer);
    await mapped.run('--concurrency 1');
    expect(await mapped.run()).toExit(0, 'at most 20 calls of these were made without a result');
  });
});

test('inputs that change while they are called have a fix that works', async () => {
  const answer: Answer = (response, input, seen) => {
    if (input.n === 5) writeFileSync(join(mapped.cwd, 'in.jsonl'), numbers(7));
    return echo(response, input, seen);
  };
  const mapped = await mapping(answer);
  expect(await mapped.run('--concurrency 1')).toExit(7, 'restore it and run the same command again');
  writeFileSync(join(mapped.cwd, 'in.jsonl'), numbers(20));
  expect([(await mapped.run()).code, mapped.called.length]).toEqual([0, 20]);
});

test('what an error says is kept without tokens and signatures', async () => {
  const link = 'https://storage.test/x?X-Amz-Signature=deadbeefdeadbeef';
  const message = `the token was token-of-a-test at ${link}`;
  const { run, file, lines } = await mapping((response) => sayJson(response, { message }, 500), { inputs: numbers(1) });
  await run();
  expect(lines()[0]?.error?.message).toContain('[hidden]');
  expect(readFileSync(file, 'utf8')).not.toMatch(/token-of-a-test|deadbeef/);
});

test('on a full disk all lines are whole, and calls without a line are made again', async () => {
  const { run, file, lines, indexes } = await mapping();
  const handle = await open(file, 'a');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  rmSync(file);
  const original = prototype.appendFile;
  let writes = 0;
  const full = vi.spyOn(prototype, 'appendFile').mockImplementation(async function (this: FileHandle, text) {
    if (++writes < 3) return original.call(this, text);
    await this.write(String(text).slice(0, 10));
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  const { code, stderr } = await run('--concurrency 1');
  full.mockRestore();
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot write out.jsonl: the disk is full')]);
  expect(stderr).toContain('; 1 call without a result will be made again');
  expect(sorted(indexes())).toEqual([0, 1]);
  const again = await run();
  expect(again.stderr).toContain('at most 1 call of these was made without a result in out.jsonl, and is made again');
  expect([again.code, sorted(indexes()), lines().length]).toEqual([0, upTo(20), 20]);
});

test.each([
  ['-', 'the results are a file, not stdout'],
  ['fifo', 'fifo is not a regular file'],
  ['/dev/null', '/dev/null is not a regular file'],
])('results cannot go to %s', async (name, message) => {
  const { cwd, env, called } = await mapping();
  execFileSync('mkfifo', [join(cwd, 'fifo')]);
  const { code, stderr } = await gantry(['map', 'web', 'in.jsonl', '-o', name], { cwd, env });
  expect([code, stderr, called]).toEqual([2, expect.stringContaining(message), []]);
  expect(existsSync(join(cwd, `${name}.gantry-map`))).toBe(false);
});

test('the command that continues makes calls as this one does', async () => {
  const { run } = await mapping((response) => sayJson(response, { detail: 'broken' }, 500));
  const flags = '--concurrency 1 --ordered --max-failures 2 --call-timeout 1s500ms --no-auth';
  const { next } = (await run(`${flags} --json`)).json() as { next: { argv: string[] }[] };
  const all = flags.split(' ').sort();
  const flagsOf = ({ argv }: { argv: string[] }) => argv.slice(argv.indexOf('out.jsonl') + 1).sort();
  expect(next.map(flagsOf)).toEqual([all, [...all, '--retry-failed'].sort()]);
  const again = (await run(`${flags} --retry-failed --json`)).json() as typeof next & { next: typeof next };
  expect(again.next.at(-1)?.argv.slice(0, 3)).toEqual(['gantry', 'logs', 'web']);
});

test('a call may take some time', async () => {
  const { run, called } = await mapping();
  expect([(await run('--call-timeout 0s')).code, called]).toEqual([2, []]);
});
