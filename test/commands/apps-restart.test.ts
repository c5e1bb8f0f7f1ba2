import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { altering } from '../support/altering.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';

/** Rotations of a secret under load: 3 on each run of the suite. */
const rotations = Number(process.env.FUZZ_CASES ?? 3);

describe.runIf(python)('an app that answers with its secret', () => {
  const emulator = emulatorForEach();
  const code = 'import os, time\n\ndef run(hold: float = 0.05):\n    time.sleep(hold)\n    return os.environ["KEY"]\n';
  const home = newFolder();

  function run(line: string, env: Record<string, string> = {}, more: Setting = {}) {
    const meanwhile = () => setTimeout(20);
    return gantry(line.split(' '), { emulator, meanwhile, env: { GANTRY_CONFIG_DIR: home, ...env }, ...more });
  }

  async function call(hold = 0.05) {
    const at = performance.now();
    const response = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.token}` },
      body: JSON.stringify({ hold }),
    });
    const { result: value } = (await response.json()) as { result: string };
    return { at, endedAt: performance.now(), value };
  }

  test(`gives the new value in each answer once a restart has succeeded, ${rotations} times`, async () => {
    const scaling = '[cerebrium.scaling]\nmin_replicas = 1\nmax_replicas = 4\n';
    await using app = await folderOf({ ...smallApp(scaling), 'main.py': code });
    await run('secrets set KEY --from-env', { KEY: 'value-0' });
    expect((await run('deploy', {}, { cwd: app.path })).code).toBe(0);
    let isOver = false;
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    const caller = async () => {
      while (!isOver) answers.push(await call());
    };
    const load = [caller(), caller(), caller()];
    try {
      for (let turn = 1; turn <= rotations; turn++) {
        const [before, value] = [`value-${turn - 1}`, `value-${turn}`];
        expect((await run('secrets set KEY --from-env --yes', { KEY: value })).code).toBe(0);
        expect((await call()).value).toBe(before);
        // One that is in progress keeps its replica for longer than the build takes.
        const long = call(turn % 10 === 1 ? 9 : 0.5);
        const { code: exit, stderr } = await run('apps restart web --yes');
        const endedAt = performance.now();
        expect(exit, stderr).toBe(0);
        expect(await long).toMatchObject({ value: before });
        const sent = answers.length;
        while (answers.length < sent + 6) await setTimeout(10);
        const since = [await long, ...answers].filter((answer) => answer.endedAt >= endedAt);
        expect(new Set(since.map((answer) => answer.value))).toEqual(new Set([value]));
      }
    } finally {
      isOver = true;
      await Promise.all(load);
    }
  }, 900_000);
});

describe('a restart', () => {
  const emulator = emulatorForEach({ real: false });
  const home = newFolder();
  let front: Record<string, string> = {};
  const run = (line: string, setting: Setting = {}) =>
    gantry(line.split(' '), { emulator, ...setting, env: { ...front, GANTRY_CONFIG_DIR: home, ...setting.env } });

  test('deploys the files that serve once more, and is no other version afterwards', async () => {
    await using app = await folderOf(smallApp());
    const at = { cwd: app.path };
    const first = (await run('deploy --json=build', at)).json() as { build: string };
    const dry = await run('apps restart --dry-run --json', at);
    expect(dry.json()).toMatchObject({ replaced: first.build, restored: first.build, build: null, proof: 'record' });
    const { json, stderr } = await run('apps restart --yes --json', at);
    expect(json()).toMatchObject({
      changed: true,
      source: 'archive',
      archive: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(stderr).toContain('restart of web: ');
    const again = await run('deploy --if-changed --json', at);
    expect(again.json()).toMatchObject({ changed: false, build: (json() as { build: string }).build });
    expect(await run('rollback --yes', at)).toMatchObject({ code: 6 });
    const asked = await run('apps restart', at);
    expect([asked.code, asked.stderr]).toEqual([9, expect.stringContaining('--yes')]);
  });

  test('names the way without an archive, before it sends anything', async () => {
    await using app = await folderOf(smallApp());
    await run('deploy', { cwd: app.path, env: { GANTRY_KEEP_ARCHIVES: 'off' } });
    const { code, stderr } = await run('apps restart web --yes', { env: { GANTRY_CONFIG_DIR: newFolder() } });
    expect([code, stderr]).toEqual([6, expect.stringContaining('gantry apps restart web --from-git REV')]);
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'createApp')).toHaveLength(1);
  });

  test.each(['named by the list', 'not named'])(
    'is not over while a replica of a build before is left, %s',
    async (how) => {
      let build = '';
      front = await altering(emulator, (_, path) => {
        const own = how === 'not named' ? {} : { buildId: build };
        const old = { containerId: 'c-old', containerState: 'RUNNING', isTerminating: true, ...own };
        return path.endsWith('/containers') ? { body: [old] } : undefined;
      });
      await using app = await folderOf(smallApp());
      build = ((await run('deploy --json=build', { cwd: app.path })).json() as { build: string }).build;
      const { code, json } = await run('apps restart web --yes --timeout 1m --json');
      expect([code, json()]).toMatchObject([8, { error: { details: { app: 'web', replicas: ['c-old'] } } }]);
      front = {};
    },
  );
});

describe('a change of secrets', () => {
  const emulator = emulatorForEach({ real: false });
  const home = newFolder();
  const run = (line: string, setting: Setting = {}) =>
    gantry(line.split(' '), { emulator, ...setting, env: { GANTRY_CONFIG_DIR: home, KEY: 'x', ...setting.env } });
  const app = { ...smallApp('[cerebrium.scaling]\nmin_replicas = 2\nmax_replicas = 3\n') };

  test.each([
    ['secrets set KEY --app web --from-env', 2],
    ['secrets set KEY --from-env', 1],
  ])('%s says what keeps the old value, by one request more', async (line, stale) => {
    await using folder = await folderOf(app);
    const before = await run(`${line} --json`, { cwd: folder.path }).then(() => emulator.calls.length);
    await run('deploy', { cwd: folder.path });
    const [deployed, flags] = [emulator.calls.length, { env: { KEY: 'other' } }];
    const { code, json, stderr } = await run(`${line} --yes --json`, flags);
    expect(code).toBe(0);
    const [which] = (json() as { stale: string[] }).stale;
    expect((json() as { stale: string[] }).stale).toHaveLength(stale);
    expect(stderr).toMatch(new RegExp(`keep the old secrets: ${which}.*\n.*gantry apps restart web`));
    // To read, to read again, to write, to read twice.
    expect(emulator.calls.length - deployed).toBe(6);
    expect(before).toBeLessThanOrEqual(6);
    expect(
      (await run(`${line.replace(' set', ' unset').replace(' --from-env', '')} --yes --json`)).json(),
    ).toMatchObject({ removed: ['KEY'], stale: [which, ...Array(stale - 1).fill(expect.anything())] });
  });

  test.each(['--app web ', ''])('is a difference of a deploy (%s), until one was sent', async (scope) => {
    await using folder = await folderOf(app);
    const at = { cwd: folder.path };
    const build = ((await run('deploy --json=build', at)).json() as { build: string }).build;
    await run(`secrets set KEY ${scope}--from-env`);
    const first = await run('deploy --if-changed', at);
    expect(first.stderr).toContain(`secret KEY was set after build ${build.slice(0, 8)}: deploying`);
    expect((await run('deploy --if-changed', at)).stderr).toContain('nothing to deploy');
    await run(`secrets set KEY ${scope}--from-env`);
    expect((await run('deploy --if-changed', at)).stderr).toContain('nothing to deploy');
    await run(`secrets unset KEY ${scope}--yes`);
    expect((await run('apps restart web --yes', at)).code).toBe(0);
    expect((await run('deploy --if-changed', at)).stderr).toContain('nothing to deploy');
    expect((await run('history web')).stdout).not.toContain('=x');
  });
});
