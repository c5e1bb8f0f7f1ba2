import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach, gantry, keys, newFolder, type Setting, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  const app = newFolder(smallApp('[cerebrium.scaling]\nmin_replicas = 1\nmax_replicas = 4\n'));
  await gantry(['deploy'], { emulator, cwd: app });
});

const web = () => emulator.store.apps.get(`${emulator.project}-web`);
const calls = (endpoint: string) => emulator.calls.filter((call) => call.endpoint === endpoint).length;

describe('apps scale', () => {
  test('changes the given settings and shows their old values', async () => {
    const words = ['apps', 'scale', 'web', '--max-replicas', '6', '--cooldown', '2m', '--json'];
    const { code, json, stderr } = await gantry(words, { emulator });
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      app: 'web',
      changed: true,
      resetByNextDeploy: true,
      settings: [
        { setting: 'scaling.max_replicas', from: 4, to: 6 },
        { setting: 'scaling.cooldown', from: 10, to: 120 },
      ],
    });
    const { minCentsPerHour, maxCentsPerHour } = json() as Record<string, number>;
    expect((maxCentsPerHour ?? 0) / (minCentsPerHour ?? 0)).toBeCloseTo(6, 1);
    expect(web()?.settings).toMatchObject({ minReplicaCount: 1, maxReplicaCount: 6, cooldownPeriodSeconds: 120 });
    expect(stderr).toContain('the next deploy resets these settings to those of cerebrium.toml');
  });

  test('sends nothing if nothing would change', async () => {
    expect(await gantry(['apps', 'scale', 'web', '--min-replicas', '1'], { emulator })).toExit(0, 'nothing to change');
    expect(calls('scaleApp')).toBe(0);
  });

  test.each([
    [['--min-replicas', '5'], 'fix gantry apps scale web --min-replicas 5 --max-replicas 5\n'],
    [['--min-replicas', '5', '--max-replicas', '2'], 'fix gantry apps scale web --min-replicas 2 --max-replicas 5\n'],
    [['--max-replicas', '0'], 'expected a whole number from 1 up'],
    [['--min-replicas', '-1'], 'expected a whole number from 0 up'],
    [[], 'nothing to change'],
  ])('with %j is refused before any request', async (flags, said) => {
    expect(await gantry(['apps', 'scale', 'web', ...flags], { emulator })).toExit(2, said);
    expect(calls('scaleApp')).toBe(0);
  });
});

describe('apps delete', () => {
  test.each(['web', 'p-12345678-web'])('of %s with --confirm deletes it', async (name) => {
    expect(await gantry(['apps', 'delete', name, '--confirm', 'web'], { emulator })).toPrint('deleted web\n');
    expect(web()).toBeUndefined();
  });

  test.each<[string, Setting]>([
    ['stderr is a file', { stdin: keys('web\r') }],
    ...['CI', 'GANTRY_NO_INPUT', 'AI_AGENT', 'CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI'].map(
      (name): [string, Setting] => [`${name} is set`, { columns: 80, stdin: keys('web\r'), env: { [name]: '1' } }],
    ),
  ])('asks nothing on a terminal if %s', async (what, setting) => {
    const { code, stderr } = await gantry(['apps', 'delete', 'web'], { emulator, ...setting });
    expect([code, stderr.includes('Type web')]).toEqual([9, false]);
    expect(stderr).toContain('confirmation required');
    if (setting.env) expect(stderr.replace(/\s+/g, ' ')).toContain(`nobody is asked while ${what}`);
    expect(web()).toBeDefined();
  });

  test.each(['CURSOR_TRACE_ID', 'REPL_ID'])('asks where a person types in an editor that sets %s', async (name) => {
    const setting = {
      columns: 80,
      stdin: keys('web\r'),
      env: { [name]: '1', AI_AGENT: '0', GANTRY_NO_INPUT: 'false' },
    };
    expect((await gantry(['apps', 'delete', 'web'], { emulator, ...setting })).code).toBe(0);
  });

  test.each([
    ['another name is typed', ['apps', 'delete', 'web'], { columns: 80, stdin: keys('wob\r') }, 130],
    ['--confirm names another', ['apps', 'delete', 'web', '--confirm', 'wob'], {}, 2],
    ['only --yes is given without a terminal', ['apps', 'delete', 'web', '--yes'], {}, 9],
    ['the app does not exist', ['apps', 'delete', 'nope', '--confirm', 'nope'], {}, 6],
  ])('deletes nothing when %s', async (_, words, setting, exit) => {
    expect((await gantry(words, { emulator, ...setting })).code).toBe(exit);
    expect(web()).toBeDefined();
    expect(calls('deleteApp')).toBe(0);
  });
});
