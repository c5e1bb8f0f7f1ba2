import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Stage, staged } from './stage.ts';

test.each([
  ['deploy --dry-run --save-plan main.py', 7, /main\.py exists and is not a deploy plan/],
  ['deploy --detailed-exit-code', 2, /--dry-run/],
  ['deploy --or-rollback', 2, /--watch/],
  ['deploy --dry-run --watch 2m', 2, /--watch/],
  ['deploy --detach --watch 2m', 2, /--watch/],
  ['deploy --dry-run --if-busy cancel', 2, /--if-busy/],
])('outputs and flags: %s is refused, and nothing is deployed or written', async (line, expected, named) => {
  const { stage, machine } = await staged();
  const { code, stderr } = await machine.run(line);
  expect([code, stderr]).toEqual([expected, expect.stringMatching(named)]);
  expect(stage.platform.world.builds.size).toBe(0);
});

test('a dry run compares, with --if-changed or without', async () => {
  const { machine } = await staged();
  const dryRuns = async () => {
    const lines = ['', '--if-changed '].map((flag) => `deploy ${flag}--dry-run --detailed-exit-code --json`);
    const [{ code, json }, same] = [await machine.run(lines[0] ?? ''), await machine.run(lines[1] ?? '')];
    const { next: _, ...plan } = json() as { next?: object };
    expect([same.code, same.json()]).toEqual([code, expect.objectContaining(plan)]);
    return [code, same.json()];
  };
  const line = { argv: ['gantry', 'deploy', '--if-changed'] };
  expect(await dryRuns()).toEqual([3, expect.objectContaining({ next: [expect.objectContaining(line)] })]);
  expect((await machine.run('deploy')).code).toBe(0);
  expect(await dryRuns()).toEqual([0, expect.not.objectContaining({ next: expect.anything() })]);
});

// Names of previews: git/repository.test.ts and test/commands/previews.test.ts.
test('a preview of work in progress is not deleted as merged', async () => {
  const stage = await Stage.open();
  const machine = await stage.machine();
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', machine.folder, ...words], { stdio: 'pipe', encoding: 'utf8' }).trim();
  machine.commit();
  git('remote', 'add', 'origin', 'git@github.test:org/shop.git');
  git('checkout', '-q', '-b', 'idea');
  await machine.write({ version: 2 });
  expect((await machine.run('deploy --preview')).code).toBe(0);
  // Main goes on: it has all commits of the branch now.
  git('update-ref', 'refs/heads/main', git('commit-tree', '-p', 'main', '-m', 'next', 'main^{tree}'));
  const { stdout } = await machine.run('apps prune --merged --confirm shop --json');
  expect([...stage.platform.world.apps.keys()], stdout).toEqual([expect.stringMatching(/^web-idea-/)]);
});
