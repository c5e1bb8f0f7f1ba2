import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

let app: string;
let plan: string;

const config = `${smallApp()['cerebrium.toml']}[cerebrium.hardware]\ncpu = 2\nmemory = 4\n`;
const files = {
  'cerebrium.toml': config,
  'main.py': 'def run(): return 1\n',
  'lib/a.py': 'y = 2\n'.repeat(40),
  'start.sh': '#!/bin/sh\n',
};

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  app = newFolder(files);
  plan = join(app, '..', `${app.split('/').at(-1)}-plan.json`);
});

afterEach(async () => {
  await rm(plan, { force: true });
});

const deploy = (...flags: string[]) => gantry(['deploy', ...flags], { emulator, cwd: app });
const makePlan = (...flags: string[]) => deploy('--dry-run', '--save-plan', plan, ...flags);
const creations = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;

describe('a plan in a file', () => {
  test('is applied once', async () => {
    const made = await makePlan();
    expect([made.code, creations()]).toEqual([0, 0]);
    expect(made.stderr).toContain(`wrote the plan to ${plan}`);
    expect(made.stderr).toMatch(/^to apply the plan: gantry deploy --apply-plan \S+\n$/m);
    expect((await deploy('--apply-plan', plan)).code).toBe(0);
    const { code, stderr } = await deploy('--apply-plan', plan);
    expect([code, creations()]).toEqual([7, 1]);
    expect(stderr).toMatch(/not as planned: .*web is deployed now/);
  });

  test.each([
    [[], 0, { changed: false }],
    [['--keep-scaling'], 0, { changed: false }],
    [['--log-level', 'DEBUG'], 7, { error: { message: expect.stringContaining('not as planned: setting logLevel') } }],
  ])('of a new app holds while the app serves that it describes, with %j', async (flags, exit, result) => {
    await makePlan();
    const again = ['--apply-plan', plan, '--if-changed'];
    expect((await deploy(...again)).code).toBe(0);
    const { code, json } = await deploy(...again, ...flags, '--json');
    expect([code, creations()]).toEqual([exit, 1]);
    expect(json()).toMatchObject(result);
  });

  test('is applied to a deployed app, with the same flags', async () => {
    await deploy();
    const made = await makePlan('--name', 'web', '--log-level', 'DEBUG');
    expect(made.stderr).toContain('to apply the plan: gantry deploy --name web --log-level DEBUG --apply-plan');
    const { code, json } = await deploy('--apply-plan', plan, '--json');
    expect(code).toBe(7);
    const flags = ['--name', 'web', '--log-level', 'DEBUG'];
    const next = ['gantry', 'deploy', '--dry-run', '--save-plan', plan, ...flags, '--json'];
    expect(json()).toMatchObject({ error: { details: { moved: ['setting logLevel'] }, next } });
    expect((await gantry(next.slice(1), { emulator, cwd: app })).code).toBe(0);
    expect((await deploy('--apply-plan', plan, '--log-level', 'DEBUG')).code).toBe(0);
  });

  test('that is stale is made anew with all flags that decided what is sent', async () => {
    await deploy();
    const flags = ['--region', 'us-east-1', '--use-gitignore', '--keep-scaling'];
    await makePlan(...flags);
    await writeFile(join(app, 'main.py'), 'x = 2\n');
    const { code, json } = await deploy('--apply-plan', plan, '--json');
    expect(code).toBe(7);
    const { next } = (json() as { error: { next: string[] } }).error;
    expect(next).toEqual(expect.arrayContaining(['--region', 'us-east-1', '--use-gitignore', '--keep-scaling']));
    const again = await gantry(next.slice(1), { emulator, cwd: app });
    expect(again.json()).toMatchObject({ keep: { region: 'us-east-1' } });
  });

  test('from elsewhere proposes nothing but a dry run', async () => {
    await makePlan();
    const made = JSON.parse(await readFile(plan, 'utf8'));
    await writeFile(plan, JSON.stringify({ ...made, app: 'other', flags: ['--', '.'] }));
    const { code, json } = await deploy('--apply-plan', plan, '--json');
    const { next } = (json() as { error: { next: string[] } }).error;
    expect([code, next.slice(0, 5)]).toEqual([7, ['gantry', 'deploy', '--dry-run', '--save-plan', plan]]);
    await gantry(next.slice(1), { emulator, cwd: app });
    expect(creations()).toBe(0);
  });

  test('holds no setting in plain text', async () => {
    await writeFile(
      join(app, 'cerebrium.toml'),
      `${config}[cerebrium.runtime.custom]\nport = 1\nentrypoint = ["run", "--key=s3cr3t"]\n`,
    );
    await makePlan();
    expect(await readFile(plan, 'utf8')).not.toContain('s3cr3t');
  });

  test.each([
    ['', 10, 'is not a deploy plan'],
    ['{"gantryPlan": 1}', 10, 'is not a deploy plan'],
    [undefined, 6, 'not found\n  why looked for '],
  ])('with the content %j is refused with exit code %i', async (content, exit, message) => {
    if (content !== undefined) await writeFile(plan, content);
    const { code, stderr } = await deploy('--apply-plan', plan);
    expect([code, creations()]).toEqual([exit, 0]);
    expect(stderr).toContain(message);
  });

  test('is never sent with the app, whatever its name', async () => {
    expect((await deploy('--dry-run', '--save-plan', 'lib/reviewed.json')).stderr).not.toContain('warning');
    await writeFile(join(app, 'data.json'), '{"plan": 1}');
    await writeFile(join(app, 'out.jsonl.gantry-map'), '{}');
    const { selection } = (await deploy('--dry-run', '--files', '--json')).json() as { selection: { path: string }[] };
    const found = selection.filter(({ path }) => /json$|map$/.test(path));
    expect(found).toMatchObject([
      { path: 'data.json', sent: true },
      { path: 'lib/reviewed.json', sent: false, reason: 'output' },
      { path: 'out.jsonl.gantry-map', sent: false, reason: 'output' },
    ]);
    const other = await deploy('--dry-run', '--save-plan', 'lib/reviewed');
    expect(other.stderr).toContain('lib/reviewed is in the folder of the app web: the next deploy sends it');
  });
});
