import { describe, expect, test } from 'vitest';
import { type CommandLine, gantryCommand } from '../../../src/kernel/command-line.ts';
import { FailedError, type Problem, ProjectError, UnavailableError } from '../../../src/kernel/errors.ts';
import { failureJson, failureText, problemText, workflowAnnotation } from '../../../src/kernel/output/failure.ts';
import { createPage } from '../../../src/kernel/output/page.ts';
import { toGantryError } from '../../../src/kernel/output/system-error.ts';
import { widthOf } from '../../support/width.ts';

const page = (columns = 80) => createPage({ isTTY: true, columns } as never, { NO_COLOR: '1' }, 'auto', 0);

describe('the caret', () => {
  test.each([
    ['plain', 'name = "My App"', 8, 8, 'name = "My App"', '       ^^^^^^^^'],
    ['after a tab', '\tname = 1', 9, 1, '  name = 1', '         ^'],
    ['below a tab', 'a\tb', 2, 1, 'a  b', ' ^^'],
    ['after wide characters', '名 = "漢字"', 5, 4, '名 = "漢字"', '     ^^^^^^'],
    ['after an emoji', '# 🙂 x', 6, 1, '# 🙂 x', '     ^'],
    ['at the end of the line', 'abc', 4, 0, 'abc', '   ^'],
    ['in an empty line', '', 1, 0, '', '^'],
  ])('%s is below the marked text', (_, text, column, length, line, caret) => {
    const place = { file: 'cerebrium.toml', line: 7, column, length, text };
    const lines = problemText({ severity: 'error', message: 'm', location: place }, page()).split('\n');
    expect(lines).toEqual([
      'error: m',
      `  in  cerebrium.toml:7:${column}`,
      `      7 | ${line}`.trimEnd().padEnd(10),
      `        | ${caret}`,
    ]);
  });

  test('stays within the terminal for a long line', () => {
    const text = `${'a'.repeat(300)}WRONG${'b'.repeat(300)}`;
    const place = { file: 'f', line: 1, column: 301, length: 5, text };
    const lines = problemText({ severity: 'error', message: 'm', location: place }, page(60)).split('\n');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60);
    const [, , shown = '', caret = ''] = lines;
    expect(shown.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('WRONG');
  });
});

test('an error has message, reason, fix and request id', () => {
  const error = new UnavailableError('down', { why: 'two\nlines', fix: 'try again', requestId: 'r-1' });
  expect(failureText(error, page(), false)).toBe('error: down\n  why two\n      lines\n  fix try again\n  request r-1');
  const ofCall = new UnavailableError('down', { requestId: 'r-1', details: { run: 'r-1' } });
  expect(failureText(ofCall, page(), false)).toBe('error: down\n  run r-1');
});

test('a suggested command stays on one line of a narrow terminal, and prose is wrapped', () => {
  const command = gantryCommand`logs my-app --build 53ad5fd9-9b3f-4a11-8f79-a81e12420cf4`;
  const narrow = { ...page(), columns: 40 };
  const lines = (fix: string | CommandLine) => failureText(new FailedError('m', { fix }), narrow, false).split('\n');
  expect(lines(command)).toEqual(['error: m', `  fix ${command}`]);
  expect(lines(`run it again: ${command}`).length).toBeGreaterThan(2);
});

test('shows an error of the file system without its code', () => {
  const why = "ENOENT: no such file or directory, open '/tmp/x.part'";
  expect(failureText(new FailedError('m', { why }), page(), false)).toBe('error: m\n  why no such file or directory');
  expect(failureJson(new FailedError('m', { why }))).toMatchObject({ error: { why: 'no such file or directory' } });
});

test('counts several problems', () => {
  const problems: Problem[] = [
    { severity: 'error', message: 'a' },
    { severity: 'error', message: 'b' },
    { severity: 'warning', message: 'c' },
  ];
  expect(failureText(new ProjectError('x', problems), page(), false)).toBe(
    'error: a\nerror: b\nwarning: c\n2 errors, 1 warning',
  );
});

test('an unexpected error is reported as a bug, with its stack only with --debug', () => {
  const error = toGantryError(new TypeError('x is not a function', { cause: new Error('deeper') }));
  expect(failureText(error, page(), false)).toMatch(
    /^error: unexpected error: x is not a function\n {2}why this is a bug in gantry/,
  );
  expect(failureText(error, page(), false)).not.toContain('.test.ts');
  expect(failureText(error, page(), true)).toMatch(/failure\.test\.ts[\s\S]*caused by Error: deeper/);
});

describe('JSON', () => {
  test('has every known field', () => {
    const fix = gantryCommand`runs get ${'a b'} ${['r-1', 'r-2']}`;
    const details = { a: 1 };
    const facts = { why: 'w', fix, status: 503, requestId: 'r', retryable: true, retryAfterMs: 1, details };
    expect(failureJson(new UnavailableError('m', facts))).toEqual({
      error: {
        code: 'unavailable',
        message: 'm',
        why: 'w',
        fix: "gantry runs get 'a b' r-1 r-2",
        next: ['gantry', 'runs', 'get', 'a b', 'r-1', 'r-2'],
        exitCode: 69,
        statusCode: 503,
        requestId: 'r',
        retryable: true,
        retryAfterMs: 1,
        details,
      },
    });
  });

  test.each([
    ['of any kind', new FailedError('m'), 'failed', 1, false],
    ['without a reply', new UnavailableError('m'), 'unavailable', 69, true],
    ['of gantry', toGantryError('thrown text'), 'bug', 70, false],
  ])('of an error %s says whether it is retryable', (_, error, code, exitCode, retryable) => {
    expect(failureJson(error)).toMatchObject({ error: { code, exitCode, retryable } });
  });

  test('has no next command if the fix is prose', () => {
    const json = JSON.parse(JSON.stringify(failureJson(new FailedError('m', { fix: 'free some space' }))));
    expect(json.error).toEqual({ code: 'failed', message: 'm', fix: 'free some space', exitCode: 1, retryable: false });
  });
});

test('hides secrets, in text and JSON', () => {
  const link = 'https://s3/x?X-Amz-Signature=secret';
  const error = new FailedError(`PUT ${link}`, { why: link, fix: `curl ${link}` });
  expect(failureText(error, page(), true) + JSON.stringify(failureJson(error))).not.toContain('secret');
});

test('an annotation is one line for any message', () => {
  const place = { file: 'f', line: 1, column: 2, length: 1, text: '' };
  const problem = { severity: 'error', message: '100%\r\nsure', location: place, fix: 'x' } as const;
  expect(workflowAnnotation(problem, { cwd: '/a', workspace: '/a' })).toBe(
    '::error file=f,line=1,col=2::100%25%0D%0Asure. Fix: x',
  );
  const question = { severity: 'error', message: 'sure?', fix: 'x' } as const;
  expect(workflowAnnotation(question, { cwd: '/a', workspace: '/a' })).toBe('::error::sure? Fix: x');
});

test.each([
  ['bad', '/w/bad', 'bad/cerebrium.toml'],
  ['the workspace', '/w', 'cerebrium.toml'],
  ['elsewhere', '/other', 'cerebrium.toml'],
])('the path of an annotation begins at the workspace: %s', (_, cwd, file) => {
  const location = { file: 'cerebrium.toml', line: 1, column: 1, length: 1, text: '' };
  const text = workflowAnnotation({ severity: 'error', message: 'x', location }, { cwd, workspace: '/w' });
  expect(text).toBe(`::error file=${file},line=1,col=1::x`);
});
