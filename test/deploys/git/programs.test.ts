import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  currentBranch,
  currentCommit,
  findMerged,
  readCheckedOut,
  readRefs,
  readRepository,
  withRevision,
} from '../../../src/deploys/git/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { half } from '../../support/extent.ts';
import { machine, repositoryOf } from '../../support/index.ts';

type Repository = ReturnType<typeof repositoryOf>;

/** Shell: leaves a trace, and passes the content of a file on. */
const trace = (repository: Repository) => `touch '${join(repository.path, 'ran')}'; cat`;

function program(repository: Repository, path: string): string {
  const file = join(repository.path, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${trace(repository)} </dev/null\n`, { mode: 0o755 });
  return file;
}

function filters(repository: Repository, name: string, kinds: readonly string[]): void {
  writeFileSync(join(repository.path, '.gitattributes'), `*.py filter=${name}\n`);
  const lines = kinds.map((kind) => `  ${kind} = "${trace(repository)}"\n`).join('');
  appendFileSync(join(repository.path, '.git/config'), `[filter "${name}"]\n${lines}  required = true\n`);
}

/** A partial clone: it fetches what it lacks when that is needed. */
function lacksObjects(repository: Repository): void {
  const { git, path } = repository;
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.promisor', 'true');
  const objects = join(path, '.git/objects');
  const blob = git('rev-parse', 'HEAD:app/main.py');
  rmSync(join(objects, blob.slice(0, 2), blob.slice(2)));
}

test.skipIf(process.platform === 'win32').each(
  half(
    Object.entries<(repository: Repository) => unknown>({
      'core.fsmonitor': (all) => all.git('config', 'core.fsmonitor', program(all, '.git/monitor')),
      'a hook': (all) => program(all, '.git/hooks/post-index-change'),
      'a hook elsewhere': (all) => {
        program(all, 'hooks/post-index-change');
        all.git('config', 'core.hooksPath', join(all.path, 'hooks'));
      },
      'a filter': (all) => filters(all, 'own', ['clean', 'smudge']),
      'a filter that stays': (all) => filters(all, 'own', ['process']),
      'a filter with a strange name': (all) => filters(all, 'a=b', ['clean', 'smudge']),
      'a filter of a worktree': (all) => {
        filters(all, 'own', []);
        all.git('config', 'extensions.worktreeConfig', 'true');
        all.git('config', '--worktree', 'filter.own.clean', trace(all));
      },
      'a filter of an included file': (all) => {
        filters(all, 'own', []);
        all.git('config', 'include.path', 'more');
        all.git('config', '--file', join(all.path, '.git/more'), 'filter.own.clean', trace(all));
      },
      'a remote': (all) => {
        lacksObjects(all);
        all.git('config', 'remote.origin.url', all.path);
        all.git('config', 'remote.origin.uploadpack', program(all, '.git/pack'));
      },
      'core.sshCommand': (all) => {
        lacksObjects(all);
        all.git('config', 'remote.origin.url', 'ssh://example.test/shop.git');
        all.git('config', 'core.sshCommand', program(all, '.git/ssh'));
      },
      'a bare repository in a folder': (all) => {
        const folder = join(all.path, 'app');
        for (const name of readdirSync(join(all.path, '.git'))) {
          cpSync(join(all.path, '.git', name), join(folder, name), { recursive: true });
        }
        all.git('config', '--file', join(folder, 'config'), 'core.worktree', '.');
        all.git('config', '--file', join(folder, 'config'), 'core.bare', 'false');
        all.git('config', '--file', join(folder, 'config'), 'core.fsmonitor', program(all, '.git/monitor'));
      },
      'a submodule': (all) => {
        all.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', all.path, 'app/sub');
        all.git('commit', '--quiet', '--message', 'second');
        const config = join(all.path, '.git/modules/app/sub/config');
        all.git('config', '--file', config, 'filter.own.clean', trace(all));
        writeFileSync(join(all.path, '.git/modules/app/sub/info/attributes'), '*.py filter=own\n');
        writeFileSync(join(all.path, 'app/sub/app/main.py'), 'b');
      },
    }),
  ),
)('a repository starts no program by its own settings: %s', async (_, arrange) => {
  const repository = repositoryOf({ 'app/main.py': 'a' });
  arrange(repository);
  rmSync(join(repository.path, 'ran'), { force: true });
  // Git has to read a file whose size or time is another one.
  writeFileSync(join(repository.path, 'app/main.py'), 'c');
  const context = contextIn(join(repository.path, 'app'));
  await readCheckedOut(context, ['main.py']);
  await readRepository(context);
  const refs = await readRefs(context);
  await currentBranch(context, refs);
  const commit = await currentCommit(context, refs);
  await findMerged(context, [commit ?? ''], 'refs/heads/main');
  await withRevision(context, { revision: 'HEAD', whole: false }, async () => {}).catch(() => {});
  expect(existsSync(join(repository.path, 'ran'))).toBe(false);
});

test.skipIf(process.platform === 'win32')('filters of the user are in force', async () => {
  const repository = repositoryOf({ 'app/main.py': 'a' });
  writeFileSync(join(repository.path, '.gitattributes'), '*.py filter=own\n');
  repository.git('config', 'filter.own.clean', 'false');
  writeFileSync(join(repository.path, 'gitconfig'), `[filter "own"]\n  clean = "${trace(repository)}"\n`);
  writeFileSync(join(repository.path, 'app/main.py'), 'c');
  await readCheckedOut(contextIn(repository.path, { GIT_CONFIG_GLOBAL: join(repository.path, 'gitconfig') }), []);
  expect(existsSync(join(repository.path, 'ran'))).toBe(true);
});

function contextIn(cwd: string, env: Record<string, string> = {}): Context {
  const progress = { warn: () => {} };
  const signal = new AbortController().signal;
  return {
    cwd,
    env: machine(env),
    signal,
    progress,
  } as unknown as Context;
}
