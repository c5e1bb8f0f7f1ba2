import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSyntaxErrors } from '../../src/app/python-syntax.ts';
import { python } from '../emulator/support/running.ts';
import { gantry, machine, newFolder } from '../support/index.ts';

const env = machine();
const version = python ? execFileSync('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']) : '3.11';

async function check(
  code: string | Buffer,
  {
    pythonVersion = String(version).trim(),
    environment = env as NodeJS.ProcessEnv,
    noteVersion = (_: string) => {},
  } = {},
) {
  const folder = newFolder();
  writeFileSync(join(folder, 'main.py'), code);
  const problems = await findSyntaxErrors(
    { path: join(folder, 'main.py'), shownAs: 'main.py', pythonVersion },
    { env: environment, onOtherVersion: noteVersion },
  );
  // Nothing is written, not even bytecode.
  expect(readdirSync(folder)).toEqual(['main.py']);
  return problems;
}

describe.skipIf(!python)('syntax errors (need python3)', () => {
  test.each<[string, string | Buffer]>([
    ['an empty file', ''],
    ['a function', 'def run():\n    return 1\n'],
    ['a byte-order mark', '\ufeffdef run():\n    return "é"\n'],
    ['another encoding', Buffer.from('# -*- coding: latin-1 -*-\nname = "é"\n', 'latin1')],
    ['an escape that Python warns about', 'pattern = "\\d"\n'],
    ['code that must not run', 'raise SystemExit("it ran")\n'],
    ['an import of what is not there', 'import nothing_like_this\n'],
    ['CR as line end', 'a = 1\rb = 2\r'],
  ])('are not found in %s', async (_, code) => {
    expect(await check(code)).toEqual([]);
  });

  test.each<[string, string | Buffer, RegExp, object | undefined]>([
    [
      'an unclosed bracket',
      'x = 1\ndef run(:\n    pass\n',
      /invalid syntax|was never closed/,
      { line: 2, text: 'def run(:' },
    ],
    ['a missing colon', 'def run()\n    pass\n', /expected ':'/, { line: 1, column: 10, text: 'def run()' }],
    ['wrong indentation', 'def run():\nreturn 1\n', /indented block/, { line: 2, column: 1, text: 'return 1' }],
    ['an unfinished file', 'def run():\n\n\n', /indented block/, { line: 1, column: 11, text: 'def run():' }],
    ['print of Python 2', 'print "hello"\n', /parentheses/, { line: 1, column: 1, length: 13 }],
    ['return outside of a function', 'return 1\n', /outside function/, { line: 1, column: 1 }],
    ['characters before it', 'näme, grüße = "é", 1 2\n', /.+/, { line: 1, column: 22 }],
    ['NUL', 'a = "\0"\n', /null bytes/, undefined],
    ['bytes that are not UTF-8', Buffer.from('name = "é"\n', 'latin1'), /utf-8/, undefined],
  ])('are found with their place: %s', async (_, code, why, location) => {
    const [problem, ...others] = await check(code);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      severity: 'error',
      message: 'main.py has a syntax error',
      why: expect.stringMatching(why),
    });
    if (location) expect(problem?.location).toMatchObject({ file: 'main.py', ...location });
  });

  test('are only warnings if the app has a newer Python than this machine', async () => {
    const [problem] = await check('type Pair[T] = tuple[T, T] !\n', { pythonVersion: '9.1' });
    expect(problem).toMatchObject({
      severity: 'warning',
      message: 'main.py may have a syntax error',
      why: expect.stringMatching(/\(Python 3\.\d+ on this machine; the app has 9\.1\)$/),
    });
  });

  test('are those of the Python that the app has, also if this machine has a newer one', async () => {
    const folder = newFolder({ 'python3.9': '#!/bin/sh\nexec python3 "$@"\n' });
    chmodSync(join(folder, 'python3.9'), 0o755);
    for (const path of [`${folder}:${env.PATH}`, env.PATH]) {
      const versions: string[] = [];
      const noteVersion = (version: string) => void versions.push(version);
      const [problem] = await check('match x:\n    case 1: pass\n', {
        pythonVersion: '3.9',
        environment: { PATH: path },
        noteVersion,
      });
      expect(problem).toMatchObject({
        severity: 'error',
        why: 'Pattern matching is only supported in Python 3.10 and greater',
      });
      expect(await check('x = 1\n', { pythonVersion: '3.9', environment: { PATH: path }, noteVersion })).toEqual([]);
      expect(versions).toEqual([String(version).trim()]);
    }
  });

  test('do not depend on modules and settings of the user', async () => {
    const place = newFolder({
      'sys.py': 'raise SystemExit(0)\n',
      'sitecustomize.py': 'raise SystemExit(0)\n',
    });
    const environment = {
      ...env,
      PYTHONPATH: place,
      PYTHONWARNINGS: 'error',
      PYTHONSTARTUP: join(place, 'sys.py'),
    };
    expect(await check('a = "\\d"\nb = (\n', { environment })).toHaveLength(1);
  });

  test.each([
    ['an unclosed bracket', 'def run(:\n    pass\n'],
    ['print of Python 2', 'print "hello"\n'],
    ['an import of nothing', 'import os\nfrom sys import\n'],
    ['tabs and spaces in one block', 'def run():\n        a = 1\n\treturn a\n'],
  ])('are found by gantry check in a module that is imported: %s', async (_, code) => {
    const toml = `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n`;
    const main = 'import other\n\n\ndef run():\n    return other.__name__\n';
    const app = newFolder({ 'cerebrium.toml': toml, 'main.py': main, 'other.py': code });
    const { code: exit, stderr } = await gantry(['check'], { cwd: app, env });
    expect([exit, stderr]).toEqual([10, expect.stringMatching(/^error: other\.py has a syntax error$/m)]);
  });
});

test.each([
  ['there is no Python', undefined],
  ['it fails', '#!/bin/sh\nexit 1\n'],
  ['it says something else', '#!/bin/sh\necho "install me first"\n'],
])('nothing is said if %s', async (_, script) => {
  const folder = newFolder();
  if (script) {
    writeFileSync(join(folder, 'python3'), script);
    chmodSync(join(folder, 'python3'), 0o755);
  }
  expect(await check('def run(:\n', { environment: { PATH: folder } })).toEqual([]);
  expect(await check('def run(:\n', { environment: {} })).toEqual([]);
});
