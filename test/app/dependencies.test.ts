import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addGeneratedFiles, type DependencyInput, generateDependencyFiles } from '../../src/app/dependencies.ts';
import type { FileEntry } from '../../src/app/files/entry.ts';
import { ProjectError } from '../../src/kernel/errors.ts';
import { newFolder } from '../support/files.ts';

function files(dependencies: Partial<DependencyInput['dependencies']>, deployment = {}, root = '/') {
  const all = { pip: {}, conda: {}, apt: {}, paths: {}, ...dependencies };
  return generateDependencyFiles({ root, deployment, dependencies: all }).map(({ entry }) => entry);
}

function generated(...input: Parameters<typeof files>) {
  return Object.fromEntries(
    files(...input).map(({ path, source }) => [path, 'text' in source ? source.text : source.file]),
  );
}

test.each([
  ['pip', 'a', '', 'a'],
  ['pip', 'a', '*', 'a'],
  ['pip', 'a', 'latest', 'a'],
  ['pip', 'a', ' LATEST ', 'a'],
  ['pip', 'a', '1.0', 'a==1.0'],
  ['pip', 'a', ' 1.0 ', 'a==1.0'],
  ['pip', 'a', '2.1.*', 'a==2.1.*'],
  ['pip', 'a', '==1.0', 'a==1.0'],
  ['pip', 'a', '===1.0', 'a===1.0'],
  ['pip', 'a', '=1.0', 'a==1.0'],
  ['pip', 'a', '~=1.4', 'a~=1.4'],
  ['pip', 'a', '!=1.4', 'a!=1.4'],
  ['pip', 'a', '<2', 'a<2'],
  ['pip', 'a', '>=1.24.0,<2.0.0', 'a>=1.24.0,<2.0.0'],
  ['pip', 'a', '^1.0', 'a>=1.0,<2.0'],
  ['pip', 'a', '^0.2.3', 'a>=0.2.3,<0.3'],
  ['pip', 'a', '^0.0.3', 'a>=0.0.3,<0.0.4'],
  ['pip', 'a', '~1.2.3', 'a>=1.2.3,<1.3'],
  ['pip', 'a', '~1', 'a>=1,<2.0'],
  ['pip', 'a', 'git+https://github.com/x/a.git@v1', 'a @ git+https://github.com/x/a.git@v1'],
  ['pip', 'a', 'https://x.org/a-1.0.whl', 'a @ https://x.org/a-1.0.whl'],
  ['pip', 'a', '@ https://x.org/a-1.0.whl', 'a @ https://x.org/a-1.0.whl'],
  ['pip', 'a', 'file:./a.whl', 'a @ file:./a.whl'],
  ['pip', 'a', 'https://x.org/a.whl ; python_version < "3.9"', 'a @ https://x.org/a.whl ; python_version < "3.9"'],
  ['pip', 'a', '>=1.0; python_version<"3.9"', 'a>=1.0; python_version<"3.9"'],
  ['pip', 'a', '; sys_platform == "linux"', 'a; sys_platform == "linux"'],
  ['pip', 'a[silero, daily]', '==0.0.67', 'a[silero, daily]==0.0.67'],
  ['conda', 'a', 'latest', 'a'],
  ['conda', 'a', '1.2', 'a==1.2'],
  ['conda', 'a', '=1.2', 'a=1.2'],
  ['conda', 'a', '==1.2', 'a==1.2'],
  ['conda', 'a', '>=1,<2', 'a>=1,<2'],
  ['conda', 'a', '1.26=py311_0', 'a=1.26=py311_0'],
  ['conda', 'conda-forge::a', '^1.2', 'conda-forge::a>=1.2,<2.0'],
  ['apt', 'a', 'latest', 'a'],
  ['apt', 'a', '1.2-3', 'a=1.2-3'],
  ['apt', 'a', '=1.2', 'a=1.2'],
  ['apt', 'a', '==1.2', 'a=1.2'],
  ['apt', 'a', '1:2.3~deb12+1', 'a=1:2.3~deb12+1'],
  ['apt', 'a', '/bookworm-backports', 'a/bookworm-backports'],
] as const)('%s: %s at "%s" is written %s', (kind, name, version, line) => {
  expect(Object.values(generated({ [kind]: { [name]: version } }))).toEqual([`${line}\n`]);
});

test.each([
  ['apt', 'a', '>=1.2', 'apt cannot install a at version ">=1.2"'],
  ['apt', 'a', '~=1.2', 'apt cannot install a at version "~=1.2"'],
  ['conda', 'a', 'https://x.org/a', 'conda cannot install a at version "https://x.org/a"'],
  ['pip', '', '1.0', 'a pip package has no name'],
  ['pip', 'a\n-r evil', '1.0', 'the name of pip package "a\\n-r evil" contains a line break or control character'],
  ['pip', 'a', '1.0\nb', 'the version of pip package "a" contains a line break or control character'],
] as const)('%s: %j at %j is an error', (kind, name, version, message) => {
  const error = failureOf(() => generated({ [kind]: { [name]: version } }));
  expect(error).toBeInstanceOf(ProjectError);
  expect((error as ProjectError).problems).toMatchObject([{ severity: 'error', message }]);
});

test('writes a sorted file for each kind, and scripts that stop at the first failure', () => {
  const dependencies = {
    pip: { numpy: 'latest', Flask: '2.0', aiohttp: '' },
    apt: { ffmpeg: 'latest' },
    conda: { cuda: '12' },
  };
  const commands = { pre_build_commands: ['apt update'], shell_commands: ['echo one', '', 'echo two'] };
  expect(generated(dependencies, commands)).toEqual({
    'conda_pkglist.txt': 'cuda==12\n',
    'pkglist.txt': 'ffmpeg\n',
    'requirements.txt': 'Flask==2.0\naiohttp\nnumpy\n',
    'pre_build_commands.sh': '#!/bin/bash\nset -e\n\napt update\n',
    'shell_commands.sh': '#!/bin/bash\nset -e\n\necho one\necho two\n',
  });
  const scripts = files(dependencies, commands).filter((entry) => entry.executable);
  expect(scripts.map(({ path }) => path)).toEqual(['pre_build_commands.sh', 'shell_commands.sh']);
});

test('writes no empty or blank entries', () => {
  expect(generated({}, { shell_commands: [''], pre_build_commands: ['  '] })).toEqual({});
});

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("sends a dependency file unchanged, under the platform's name", () => {
  const root = newFolder();
  writeFileSync(join(root, 'reqs.in'), '-r x\r\n');
  expect(generated({ paths: { pip: 'reqs.in' } }, {}, root)).toEqual({ 'requirements.txt': join(root, 'reqs.in') });
  expect(() => generated({ paths: { apt: 'gone.txt' } }, {}, root)).toThrow('dependency file gone.txt not found');
});

test('a generated file replaces a project file, in order', () => {
  const entry = (path: string, text: string): FileEntry => ({
    path,
    size: text.length,
    executable: false,
    source: { text },
  });
  const merged = addGeneratedFiles(
    [entry('a.py', ''), entry('requirements.txt', 'theirs'), entry('z.py', '')],
    [entry('requirements.txt', 'ours'), entry('pkglist.txt', 'apt')],
  );
  expect(merged.map(({ path, source }) => [path, source])).toEqual([
    ['a.py', { text: '' }],
    ['pkglist.txt', { text: 'apt' }],
    ['requirements.txt', { text: 'ours' }],
    ['z.py', { text: '' }],
  ]);
});
