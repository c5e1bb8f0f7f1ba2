import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createPage } from '../../../src/kernel/output/page.ts';
import { createProgress, withEventLines } from '../../../src/kernel/output/progress.ts';

test('off a terminal a step is printed every ten seconds, and when it ends', () => {
  const { progress, said, clock } = voice();
  const step = progress.step('Uploading');
  for (let second = 1; second <= 25; second++) {
    clock.now = second * 1_000;
    step.update({ bytes: second * 1_048_576, of: 50 * 1_048_576 });
  }
  step.done('Uploaded 50 MiB');
  expect(said()).toEqual([
    'Uploading 20 % of 50.0 MiB, 1.0 MiB/s, 40 s left',
    'Uploading 40 % of 50.0 MiB, 1.0 MiB/s, 30 s left',
    '✓ Uploaded 50 MiB',
  ]);
});

test('off a terminal a step that says nothing new is printed once', () => {
  const { progress, said, clock } = voice();
  const step = progress.step('Waiting for others');
  for (let second = 1; second <= 60; second++) {
    clock.now = second * 1_000;
    step.update({ text: second < 40 ? 'build b-1' : 'build b-2' });
  }
  step.clear();
  expect(said()).toEqual(['Waiting for others: build b-1', 'Waiting for others: build b-2']);
});

test('off a terminal the title of a step does not follow its own log lines', () => {
  vi.useFakeTimers();
  const { progress, said } = voice();
  const step = progress.step('Building web');
  progress.log('Received 2 files');
  vi.advanceTimersByTime(5_000);
  step.clear();
  progress.step('Waiting').update({ text: 'for others' });
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  expect(said()).toEqual(['  Received 2 files', 'Waiting']);
});

test('a terminal without a size gets lines only', () => {
  const page = createPage({ isTTY: true, columns: 0 } as never, {}, 'never', 0);
  expect(page).toMatchObject({ terminal: true, animated: false, columns: 80 });
});

test.each([
  ['has a color on a terminal', {}, true],
  ['has none with NO_COLOR', { NO_COLOR: '1' }, false],
])('the spinner %s', async (_, env, isColored) => {
  const { progress, text } = voice({ terminal: true, env });
  const step = progress.step('Copying');
  await expect.poll(text).toContain('Copying');
  step.clear();
  expect(/\u001b\[\d+m/.test(text())).toBe(isColored);
});

test('a spinner whose text stays the same shows for how long', async () => {
  const { progress, text, clock } = voice({ terminal: true });
  const step = progress.step('Copying');
  clock.now = 12_000;
  await expect.poll(text).toContain('Copying (12 s)');
  step.update({ text: '1 file' });
  const before = text().length;
  await expect.poll(() => text().slice(before)).toContain('1 file');
  expect(text().slice(before)).not.toContain('12 s');
  step.clear();
});

test('an unknown size has no percentage, and text is shown as it is', () => {
  const { progress, said, clock } = voice();
  const step = progress.step('Reading');
  clock.now = 10_000;
  step.update({ bytes: 10_240 });
  clock.now = 20_000;
  step.update({ text: 'almost' });
  step.fail();
  expect(said()).toEqual(['Reading 10.0 KiB, 1.0 KiB/s', 'Reading: almost', '✗ Reading']);
});

test('--quiet keeps warnings only', () => {
  const { progress, said } = voice({ quiet: true });
  progress.note('a note');
  progress.log('a line');
  progress.step('A step').done();
  progress.warn('mind this');
  expect(said()).toEqual(['warning: mind this']);
});

test('a log line is sanitized and redacted', () => {
  const { progress, said } = voice({ env: { GITHUB_ACTIONS: 'true' } });
  progress.log('\u001b]0;x\u0007::error::no Bearer abc');
  expect(said()).toEqual(['  : :error::no Bearer [hidden]']);
});

test('log lines that come at once are written at once, the first of them without delay', async () => {
  const written: string[] = [];
  const stderr = new Writable({
    write: (chunk, _, done) => done(void written.push(`${chunk}`)),
    writev: (chunks, done) => done(void written.push(chunks.map(({ chunk }) => chunk).join(''))),
  });
  const page = createPage(stderr as never, {}, 'never', 0);
  const { log, note } = createProgress({ stderr, page, quiet: false, annotations: undefined, elapsed: () => 0 });
  for (const round of [1, 2]) {
    log(`first ${round}`);
    expect(written.splice(0)).toEqual([`  first ${round}\n`]);
    for (let line = 0; line < 3; line++) log(`${line}`);
    note('in its place');
    log('last');
    await Promise.resolve();
    expect(written.splice(0)).toEqual(['  0\n  1\n  2\nin its place\n  last\n']);
  }
});

test("a program's stderr is not wrapped, and --quiet keeps it", () => {
  const { progress, said } = voice({ quiet: true });
  const line = '  File "/a/rather/long/path/of/a/program/main.py", line 8, in a_function_with_a_long_name_as_well';
  progress.relay(line);
  expect(said()).toEqual([line]);
});

test('a problem is also an annotation in GitHub Actions', () => {
  const place = { file: 'f', line: 1, column: 1, length: 1, text: 'x' };
  const { progress, said } = voice({ annotations: true });
  progress.warn({ severity: 'warning', message: 'odd', location: place });
  expect(said().at(-1)).toBe('::warning file=f,line=1,col=1::odd');
});

test('events are printed only with --events', () => {
  const events: unknown[] = [];
  const { progress } = voice();
  progress.event('status', {});
  withEventLines(progress, (event) => events.push(event)).event('created', { build: 'b' });
  expect(events).toEqual([{ type: 'created', build: 'b' }]);
});

interface Voice {
  quiet?: boolean;
  annotations?: boolean;
  terminal?: boolean;
  env?: Record<string, string>;
}

function voice({ quiet = false, annotations = false, terminal = false, env = {} }: Voice = {}) {
  let text = '';
  const clock = { now: 0 };
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const moves = { clearLine: () => true, cursorTo: () => true, moveCursor: () => true };
  const stderr = Object.assign(stream, terminal && { isTTY: true, columns: 80, ...moves }) as never;
  const page = createPage(stderr, { LANG: 'C.UTF-8', TERM: 'xterm', ...env }, terminal ? 'auto' : 'never', 0);
  const roots = annotations ? { cwd: '/', workspace: '/' } : undefined;
  const progress = createProgress({ stderr, page, quiet, annotations: roots, elapsed: () => clock.now });
  return { progress, clock, text: () => text, said: () => text.split('\n').filter(Boolean) };
}
