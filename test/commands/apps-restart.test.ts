import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { drawnCases, half } from '../support/extent.ts';
import { altering, emulatorForEach, gantry, inFrontOf, newFolder, type Setting, smallApp } from '../support/index.ts';

const home = newFolder();
/** Rotations of a secret under load. */
const rotations = drawnCases(1);

describe.runIf(python)('an app that answers with its secret', () => {
  const emulator = emulatorForEach();
  const code =
    'import os, time\n\ndef run(until: str = "/"):\n    time.sleep(0.05)\n    while not os.path.exists(until):\n        time.sleep(0.02)\n    return os.environ["KEY"]\n';
  const run = (line: string, KEY = '', more: Setting = {}) => {
    const env = { GANTRY_CONFIG_DIR: home, KEY };
    return gantry(line.split(' '), { emulator, cwd: home, meanwhile: () => setTimeout(20), env, ...more });
  };

  /** Ends when there is this file. */
  async function call(until = '/') {
    const response = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.token}` },
      body: JSON.stringify({ until }),
    });
    const { result: value } = (await response.json()) as { result: string };
    return { endedAt: performance.now(), value };
  }

  test(`gives the new value in each answer once a restart has succeeded, ${rotations} times`, async () => {
    const scaling = '[cerebrium.scaling]\nmin_replicas = 1\nmax_replicas = 4\n';
    await run('secrets set KEY --from-env', 'value-0');
    await run('deploy', '', { cwd: newFolder({ ...smallApp(scaling), 'main.py': code }) });
    let isOver = false;
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    const caller = async () => {
      while (!isOver) answers.push(await call());
    };
    const load = [caller(), caller(), caller()];
    try {
      for (let turn = 1; turn <= rotations; turn++) {
        const [before, value] = [`value-${turn - 1}`, `value-${turn}`];
        await run('secrets set KEY --from-env --yes', value);
        // A replica that starts meanwhile has the new one.
        expect([before, value]).toContain((await call()).value);
        // One that is in progress keeps its replica until nothing else is waited for.
        const file = join(home, `turn-${turn}`);
        const long = call(file);
        const seen = (_: string, said: string) => {
          if (said.includes('Waiting until no replica of web from before is left')) writeFileSync(file, '');
        };
        const { code: exit, stderr } = await run('apps restart web --yes', '', { seen });
        const endedAt = performance.now();
        expect(exit, stderr).toBe(0);
        expect([before, value]).toContain((await long).value);
        const sent = answers.length;
        while (answers.length < sent + 6) await setTimeout(10);
        const since = [await long, ...answers].filter((answer) => answer.endedAt >= endedAt);
        expect(new Set(since.map((answer) => answer.value))).toEqual(new Set([value]));
      }
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    // An idle replica of before ends without a call.
    await call();
    await run('secrets set KEY --from-env --yes', 'new');
    expect(await run('apps restart web --yes')).toMatchObject({ code: 0 });
    expect((await call()).value).toBe('new');
  }, 900_000);
});

describe('without load', () => {
  const emulator = emulatorForEach({ real: false });
  const files = smallApp('[cerebrium.scaling]\nmin_replicas = 2\nmax_replicas = 3\n');
  const run = (line: string, { env, ...more }: Setting = {}) =>
    gantry(line.split(' '), { emulator, env: { GANTRY_CONFIG_DIR: home, KEY: 'x', ...env }, ...more });

  test('a restart deploys the files that serve once more, and is no other version afterwards', async () => {
    const at = { cwd: newFolder(files) };
    const first = (await run('deploy --json=build', at)).json() as { build: string };
    const { json, stderr } = await run('apps restart --yes --json', at);
    expect(json()).toMatchObject({ replaced: first.build, restored: first.build, proof: 'record', changed: true });
    expect(stderr).toContain('restart of web: ');
    const again = await run('deploy --if-changed --json', at);
    expect(again.json()).toMatchObject({ changed: false, build: (json() as { build: string }).build });
    expect(await run('rollback --yes', at)).toMatchObject({ code: 6 });
    expect(await run('apps restart', at)).toMatchObject({ code: 9 });
  });

  test.each([
    ['apps restart web', 8, { error: { details: { app: 'web', replicas: ['c-old'] } } }],
    ['rollback web', 0, { changed: true }],
  ])('a restart alone is not over while an old replica ends its calls: %s', async (line, exit, said) => {
    let build = '';
    const env = await altering(emulator, (_, path) => {
      const old = { containerId: 'c-old', containerState: 'RUNNING', isTerminating: true, buildId: build };
      return path.endsWith('/containers') ? { body: [old] } : undefined;
    });
    await run('deploy', { cwd: newFolder({ ...files, 'data.txt': 'one' }), env });
    build = ((await run('deploy --json=build', { cwd: newFolder(files), env })).json() as { build: string }).build;
    const { code, json } = await run(`${line} --yes --timeout 1m --json`, { env });
    expect([code, json()]).toMatchObject([exit, said]);
  });

  test.each([
    ['--app web ', 2, 2],
    ['', 1, 5],
  ])('secrets set %ssays what keeps the old value', async (scope, stale, requests) => {
    const app = newFolder(files);
    await run('deploy', { cwd: app });
    const sent = emulator.calls.length;
    const { json, stderr } = await run(`secrets set KEY ${scope}--from-env --json`);
    const [which, ...others] = (json() as { stale: string[] }).stale;
    expect(others).toHaveLength(stale - 1);
    // Nobody is there to be asked.
    expect(json()).toMatchObject({ next: [{ argv: ['gantry', 'apps', 'restart', 'web', '--yes'] }] });
    expect(stderr).toMatch(new RegExp(`keep the old secrets: ${which}.*\n.*gantry apps restart web`));
    // To read twice, to write, to read twice.
    expect(emulator.calls.length - sent).toBe(5 + requests);
    const repeated = await run(`secrets set KEY ${scope}--from-env --json`);
    expect([repeated.json(), repeated.stderr]).toEqual([
      expect.objectContaining({ changed: false, stale: [which, ...others], next: (json() as { next: unknown }).next }),
      expect.stringContaining('keep the old secrets'),
    ]);
    const none = await altering(emulator, (_, path) => (path.endsWith('/containers') ? { body: [] } : undefined));
    const again = await run(`secrets set OTHER ${scope}--from-env --json`, { env: { OTHER: 'x', ...none } });
    expect([again.json(), again.stderr]).toEqual([
      expect.objectContaining({ stale: [] }),
      expect.not.stringContaining('old secrets'),
    ]);
    const replicas = async () => (await run('status web --json=replicas,next')).json();
    const next = [{ argv: ['gantry', 'apps', 'restart', 'web', '--yes'] }];
    expect(await replicas()).toMatchObject({ replicas: { running: 2, oldSecrets: 2 }, next });
    await run('apps restart web --yes', { cwd: app });
    expect(await replicas()).toMatchObject({ replicas: { oldSecrets: 0 } });
    const { json: restarted } = await run(`secrets set KEY ${scope}--from-env --json`);
    expect(restarted()).toMatchObject({ changed: false, stale: [] });
  });

  test('secrets set of a project names the apps to restart, but none that has its own value or no archive', async () => {
    const names = ['a1', 'a2', 'a3', 'a4', 'own', 'far'];
    const toml = (name: string) => String(files['cerebrium.toml']).replace('"web"', `"${name}"`);
    for (const name of names) {
      const env = name === 'far' ? { GANTRY_CONFIG_DIR: newFolder() } : {};
      await run(`deploy --yes`, { cwd: newFolder({ ...files, 'cerebrium.toml': toml(name) }), env });
    }
    await run('secrets set KEY --app own --from-env');
    const { json, stderr } = await run('secrets set KEY --from-env --json', { env: { KEY: 'y' } });
    expect(json()).toMatchObject({ stale: ['a1', 'a2', 'a3', 'a4', 'far'], restartable: ['a1', 'a2', 'a3', 'a4'] });
    const line = 'to start replicas without the old: gantry apps restart';
    expect(stderr).toContain(`${line} a1\n${line} a2\n${line} a3\nand 1 more\n`);
    expect(stderr).not.toMatch(/restart (a4|own|far)/);
  });

  test('secrets of an app that has nothing but jobs make none of them stale', async () => {
    const cwd = newFolder({ 'job.py': 'print(1)\n' });
    expect((await run('run --name jobs job.py', { cwd })).code).toBe(0);
    const running = JSON.stringify([{ containerId: 'jobs-run-1', containerState: 'Running', buildId: '' }]);
    const env = await inFrontOf(emulator, ({ route }) => (/containers$/.test(route) ? { body: running } : undefined));
    const { json } = await run('secrets set KEY --app jobs --from-env --json', { env: { ...env, KEY: 'new' } });
    expect(json()).toMatchObject({ changed: true, stale: [], restartable: [] });
    expect(json()).not.toHaveProperty('next');
  });

  test.each(half(['--app web ', '']))('a secret that was set later (%s) is a difference of a deploy', async (scope) => {
    const app = newFolder(files);
    const deploy = async () => (await run('deploy --if-changed', { cwd: app })).stderr;
    const build = /live, build (\w+)/.exec(await deploy())?.[1];
    await run(`secrets set KEY ${scope}--from-env`);
    const dry = await run('deploy --dry-run --detailed-exit-code', { cwd: app });
    expect([dry.code, dry.stdout]).toEqual([3, expect.stringContaining('a deploy would change the app')]);
    expect(dry.stderr).toContain(`secret KEY was set after build ${build}: a deploy would change that`);
    const { changed, because } = (await run('deploy --dry-run --json', { cwd: app })).json() as Record<string, unknown>;
    expect([changed, because]).toEqual([true, `secret KEY was set after build ${build}`]);
    expect(await deploy()).toContain(`secret KEY was set after build ${build}: deploying`);
    await run(`secrets set KEY ${scope}--from-env`);
    expect(await deploy()).toContain('nothing to deploy');
    await run(`secrets unset KEY ${scope}--yes`);
    await run('apps restart web --yes');
    expect(await deploy()).toContain('nothing to deploy');
    // Another machine sets one.
    const elsewhere = { GANTRY_CONFIG_DIR: newFolder() };
    await run(`secrets set KEY ${scope}--from-env`, { env: { ...elsewhere, KEY: 'value-1' } });
    expect(await deploy()).toMatch(/secrets were changed after build \w+: deploying/);
    expect(await deploy()).toContain('nothing to deploy');
    await run(`secrets set KEY ${scope}--from-env --yes`, { env: { ...elsewhere, KEY: 'value-2' } });
    await run('apps restart web --yes');
    expect(await deploy()).toContain('nothing to deploy');
  });
});
