import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Machine, Stage, staged } from './stage.ts';

test.each([
  ['deploy --dry-run --save-plan main.py', 7, /main\.py exists and is not a deploy plan/],
  ['deploy --detailed-exit-code', 2, /--dry-run/],
  ['deploy --or-rollback', 2, /--watch/],
  ['deploy --dry-run --watch 2m', 2, /--watch/],
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

describe('previews', () => {
  async function cloneOf(stage: Stage, remote: string): Promise<Machine & { git: (...words: string[]) => string }> {
    const machine = await stage.machine();
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', machine.folder, ...words], { stdio: 'pipe', encoding: 'utf8' }).trim();
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
    git('remote', 'add', 'origin', remote);
    return Object.assign(machine, { git });
  }

  test('of work in progress are not deleted as merged', async () => {
    const stage = await Stage.open();
    const machine = await cloneOf(stage, 'git@github.test:org/shop.git');
    machine.git('checkout', '-q', '-b', 'idea');
    await machine.write({ version: 2 });
    expect((await machine.run('deploy --preview')).code).toBe(0);
    // Main goes on: it has all commits of the branch now.
    machine.git('update-ref', 'refs/heads/main', machine.git('commit-tree', '-p', 'main', '-m', 'next', 'main^{tree}'));
    const { stdout } = await machine.run('apps prune --merged --confirm shop --json');
    expect([...stage.platform.world.apps.keys()], stdout).toEqual([expect.stringMatching(/^web-idea-/)]);
  });

  test('have one name however the remote is spelled, and cost nothing when idle', async () => {
    const stage = await Stage.open();
    const spellings = [
      'git@github.com:org/shop.git',
      'https://github.com/Org/Shop',
      'ssh://git@ssh.github.com:443/org/shop.git',
    ];
    for (const remote of spellings) expect((await (await cloneOf(stage, remote)).run('deploy --preview')).code).toBe(0);
    const apps = [...stage.platform.world.apps.values()];
    expect(apps.map(({ settings }) => [settings.minReplicaCount, settings.maxReplicaCount])).toEqual([[0, 1]]);
  });

  test('of two forks have two names, although their branches have one', async () => {
    const stage = await Stage.open();
    for (const [number, head] of ['ada/shop', 'bob/shop'].entries()) {
      const machine = await cloneOf(stage, 'https://github.com/org/shop');
      machine.git('checkout', '-q', '--detach');
      const repos = { head: { repo: { full_name: head } }, base: { repo: { full_name: 'org/shop' } } };
      const event = join(machine.home, '..', 'event.json');
      await writeFile(event, JSON.stringify({ pull_request: { number: number + 7, ...repos } }));
      const env = { GITHUB_HEAD_REF: 'patch-1', GITHUB_REF_NAME: `${number + 7}/merge`, GITHUB_EVENT_PATH: event };
      expect((await machine.run('deploy --preview', { env })).code).toBe(0);
    }
    expect(stage.platform.world.apps.size).toBe(2);
  });
});
