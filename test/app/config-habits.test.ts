import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAppConfig } from '../../src/app/config.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import { gantry, newFolder } from '../support/index.ts';
import { applyFix } from './apply-fix.ts';
import { check, line } from './config-folder.ts';
import { habits } from './habits.ts';

describe('a config file in the habits of real users has no problems', () => {
  test('there are forty and more', () => expect(habits.length).toBeGreaterThan(40));

  test.each(habits)('$title', async ({ toml, files = { 'main.py': 'def app(): ...\n' } }) => {
    const outcome = await gantry(['check', '--json'], { cwd: newFolder({ ...files, 'cerebrium.toml': toml }) });
    expect(outcome.code, outcome.stderr).toBe(0);
    expect((outcome.json() as { problems: Problem[] }).problems.map(line)).toEqual([]);
  });
});

/** Stand-ins for the sources of the real apps. */
const sources = { 'main.py': '', 'app/main.py': '', Dockerfile: '' };
const realworld = new URL('../../fixtures/realworld/', import.meta.url).pathname;

const pipHeader = '[cerebrium.dependencies.pip]';

/** One change each of a good file, as people make them. */
const mistakes: [good: string, bad: string][] = [
  ['compute = "AMPERE_A10"', 'compute = "GPU"'],
  ['compute = "AMPERE_A10"', 'compute = "A100"'],
  ['compute = "AMPERE_A10"', 'compute = "cpu"'],
  ['cpu = 2', 'cpu = 5'],
  ['cpu = 2', 'cpus = 2'],
  ['cpu = ', 'CPU = '],
  ['memory = ', 'memory_gb = '],
  ['memory = 8.0', 'memory = "8"'],
  ['region = "us-east-1"', 'region = "us-east1"'],
  ['region = "us-east-1"', 'region = "eu-west-3"'],
  ['max_replicas = 2', 'max_replica = 2'],
  ['max_replicas = 2', 'max_replicas = "2"'],
  ['max_replicas = 2', 'max_replicas = 2\nmax_replica_count = "3"'],
  ['cooldown = 30', 'cooldown = 9000\nevaluation_interval = 30'],
  ['gpu_count = 1', 'gpu_count = 0'],
  ['gpu_count = 1', 'gpu = "A10"'],
  ['python_version = "3.11"', 'python_version = 3.11'],
  ['python_version = "3.12"', 'python_version = "3.14"'],
  ['exclude = [".*"]', 'exclude = []'],
  ['exclude = [".*"]', 'exclude = ".*"'],
  ['[cerebrium.hardware]', '[cerebrium.hardwear]'],
  ['[cerebrium.scaling]', '[scaling]'],
  ['[cerebrium.dependencies.pip]', '[cerebrium.pip.dependancies]'],
  ['[cerebrium.deployment]\nname', '[cerebrium]\nname'],
  ['[cerebrium.deployment]', '[cerebrium.build]\nuse_uv = true\n[cerebrium.deployment]'],
  ['[cerebrium.deployment]', '[cerebrium.env]\nPASSWORD = "hunter2"\n[cerebrium.deployment]'],
  ['port = 5000', 'port = 8000'],
  ['scaling_metric = "concurrency_utilization"', 'scaling_metric = "cpu"'],
  ['disable_auth = true', 'enable_auth = false'],
  ...['true', '1.26', '"./pkg"'].map((value): [string, string] => [pipHeader, `${pipHeader}\nframe = ${value}`]),
];

describe('a fix never makes a file worse', () => {
  // One file lacks a quote: nothing can be applied to text that is no TOML.
  const files = readdirSync(realworld).map((name) => ({
    name,
    text: readFileSync(join(realworld, name), 'utf8').replace('"latest # For', '"latest" # For'),
  }));
  const changed = files.flatMap(({ name, text }) =>
    mistakes
      .filter(([good]) => text.includes(good))
      .map(([good, bad]) => ({ title: `${name}: ${bad}`, text: text.replace(good, bad) })),
  );

  test('is tried on every mistake', () => {
    for (const [good, bad] of mistakes)
      expect(
        files.some(({ text }) => text.includes(good)),
        bad,
      ).toBe(true);
  });

  test.each([...files.map(({ name, text }) => ({ title: name, text })), ...changed])('$title', async ({ text }) => {
    const { problems } = await check(text, sources);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    for (const problem of problems) {
      for (const fixed of applyFix(text, problem)) await expectBetter(text, problem, problems, fixed);
    }
  });

  async function expectBetter(text: string, problem: Problem, before: readonly Problem[], fixed: string) {
    const root = newFolder({ ...sources, 'cerebrium.toml': fixed });
    const { problems: after } = await checkAppConfig(join(root, 'cerebrium.toml'), { shownAs: 'cerebrium.toml' });
    const told = `${line(problem)}\n${diff(text, fixed)}\n${after.map(line).join('\n')}`;
    const errors = (problems: readonly Problem[]) => problems.filter(({ severity }) => severity === 'error').length;
    expect(errors(after), told).toBeLessThanOrEqual(errors(before));
    expect(after.length, told).toBeLessThanOrEqual(before.length);
    expect(
      after.map(({ message }) => message),
      told,
    ).not.toContain(problem.message);
  }

  const diff = (before: string, after: string) =>
    after
      .split('\n')
      .filter((each) => !before.split('\n').includes(each))
      .join('\n');
});
