import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCheckedOut } from '../../../src/deploys/git/index.ts';
import { machine, repositoryOf } from '../../support/index.ts';

type Repository = ReturnType<typeof repositoryOf>;
type Case = [what: string, arrange: (repository: Repository) => unknown, dirty: boolean | undefined, at?: string];

test.each<Case>([
  ['nothing has changed', () => {}, false],
  ['a file has changed', ({ path }) => writeFileSync(join(path, 'app/main.py'), 'b'), true],
  ['a file is staged', ({ git }) => git('mv', 'app/main.py', 'app/new.py'), true],
  ['a file is gone', ({ path }) => rmSync(join(path, 'app/main.py')), true],
  ['a file was never added', ({ path }) => writeFileSync(join(path, 'new.py'), ''), false],
  ['another folder has changed', ({ path }) => writeFileSync(join(path, 'README.md'), 'b'), false, 'app'],
  ['a folder below has changed', ({ path }) => writeFileSync(join(path, 'app/main.py'), 'b'), true, 'app'],
  ['no branch is checked out', ({ git }) => git('checkout', '--quiet', '--detach'), false],
  ['there is no commit', ({ git }) => git('update-ref', '-d', 'HEAD'), undefined],
  ['there is no repository', ({ path }) => rmSync(join(path, '.git'), { recursive: true }), undefined],
])('if %s, the commit is told with what differs from it', async (_, arrange, dirty, at = '.') => {
  const repository = repositoryOf({ 'app/main.py': 'a', 'README.md': 'a' });
  const commit = repository.git('rev-parse', 'HEAD');
  await arrange(repository);
  expect(await checkedOut(join(repository.path, at))).toEqual(dirty === undefined ? undefined : { commit, dirty });
});

test.each(['.', 'app'])('files are compared in %s, too', async (at) => {
  const repository = repositoryOf({ 'app/main.py': 'a' });
  const files = [at === '.' ? 'app/main.py' : 'main.py'];
  const read = () => readCheckedOut(contextIn(join(repository.path, at)), files);
  expect((await read())?.dirty).toBe(false);
  writeFileSync(join(repository.path, 'app/main.py'), 'b');
  expect((await read())?.dirty).toBe(true);
});

test('a repository may be elsewhere', async () => {
  const repository = repositoryOf({ 'main.py': 'a' });
  const elsewhere = join(repository.path, '../elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  const env = { GIT_DIR: join(repository.path, '.git'), GIT_WORK_TREE: elsewhere };
  expect(await checkedOut(elsewhere, env)).toEqual({ commit: repository.git('rev-parse', 'HEAD'), dirty: true });
});

function checkedOut(cwd: string, env: Record<string, string> = {}) {
  return readCheckedOut(contextIn(cwd, env));
}

function contextIn(cwd: string, env: Record<string, string> = {}) {
  return { cwd, env: machine(env), signal: AbortSignal.timeout(60_000) };
}
