import { readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, type Setting, startEmulator, wideTerminal } from '../support/index.ts';

const now = Date.UTC(2026, 10, 23, 12);

const emulator = emulatorForAll({ seed: 1, real: false, now: () => now });
let folder: string;
const config = `# The app.
[cerebrium.deployment]
name = "web"

[cerebrium.scaling] # Careful.
min_replicas = 0
cooldown = 180 # Three minutes.
`;

beforeAll(() => {
  folder = newFolder({ 'cerebrium.toml': config, 'main.py': '' });
});

const run = (words: string[], more: Setting = {}) =>
  gantry(words, {
    emulator,
    clock: { now },
    ...more,
    env: { GANTRY_CONFIG_DIR: join(folder, '.home'), ...more.env },
  });

interface Advice {
  verdict: string;
  reason: string;
  since: string;
  calls: number;
  predictionError: { coldStartsShare: number; p90Share: number; costShare: number; days: number };
  options: { option: string; p90Ms: number; cooldownSeconds: number; centsPerMonth: number; argv: string[] | null }[];
  frontier: { p90Ms: number; centsPerMonth: number }[];
  tried: number;
  assumptions: string[];
  written: unknown;
}
const tune = async (...words: string[]) => (await run(['apps', 'tune', ...words, '--json'])).json() as Advice;

describe('gantry apps tune', () => {
  test('predicts the past first, and says how far it is off', async () => {
    const { predictionError: error, calls, tried, verdict } = await tune('web', '--since', '8d');
    expect(verdict).toBe('advice');
    expect(calls).toBeGreaterThan(2_000);
    expect(tried).toBeGreaterThan(50);
    expect(error.days).toBe(9);
    for (const share of [error.coldStartsShare, error.p90Share, error.costShare])
      expect(Math.abs(share)).toBeLessThan(0.1);
  });

  test('names the command that has cheaper settings where none is better', async () => {
    const { stdout } = await run(['apps', 'tune', 'web'], wideTerminal);
    expect(stdout).toContain('no other settings are better; slower ones are cheaper: gantry cost web\n');
    const cost = (await run(['cost', 'web'], wideTerminal)).stdout.replaceAll(/\s+/g, ' ');
    expect(cost).toMatch(/ cooldown: .* a month; how long callers wait then: gantry apps tune web /);
  });

  test('names the cheapest settings that keep a limit, and the fastest within a budget', async () => {
    const { options, frontier } = await tune('web', '--slo', 'p90<6s', '--budget', '700');
    expect(options.map(({ option }) => option)).toEqual(['now', 'cheapest', 'fastest']);
    const [before, cheapest, fastest] = options;
    expect(before?.p90Ms).toBeGreaterThan(10_000);
    expect(cheapest?.p90Ms).toBeLessThan(6_000);
    expect(fastest?.centsPerMonth).toBeLessThanOrEqual(70_000);
    expect(fastest?.p90Ms).toBeLessThanOrEqual(cheapest?.p90Ms ?? 0);
    expect(cheapest?.argv).toEqual(['gantry', 'apps', 'scale', 'web', '--cooldown', '11m']);
    expect(frontier.every(({ p90Ms }, at) => p90Ms < (frontier[at - 1]?.p90Ms ?? Number.POSITIVE_INFINITY))).toBe(true);
  });

  test('shows a table, the command to apply, a chart, and what it assumes', async () => {
    const { stdout } = await run(['apps', 'tune', 'web', '--slo', 'p90<6s'], wideTerminal);
    expect(stdout).toMatch(
      /^web: [\d,]+ runs in 1\d days, replayed with \d+ settings; checked day by day: cold starts/,
    );
    expect(stdout).toMatch(/^SETTINGS +NOW +CHEAPEST$/m);
    expect(stdout).toMatch(/^within +- +p90 < 6\.0 s$/m);
    expect(stdout).toMatch(
      /^cheapest: 11m cooldown: p90 5\.\d s, \+\$\d+ a month\n {2}gantry apps scale web --cooldown 11m$/m,
    );
    expect(stdout).toMatch(/^wait$/m);
    expect(stdout).toMatch(/Assumed: paid for is a replica from its start until cooldown after its last call/);
  });

  test.each<[string[], string, RegExp]>([
    [['web', '--slo', 'p50<1ms'], 'advice', /^no settings have p50 < 1 ms: the fastest have /],
    [['web', '--budget', '1'], 'advice', /^no settings cost at most \$1\.00 a month: the cheapest cost \$/],
    [['nightly-report', '--since', '3d'], 'not enough runs', /^\d+ runs since 2026-11-20T.*, 200 are needed$/],
  ])('%j: %s', async (words, verdict, reason) => {
    const { json, stderr } = await run(['apps', 'tune', ...words, '--json']);
    const advice = json() as Advice;
    expect(advice).toMatchObject({ verdict, reason: expect.stringMatching(reason) });
    expect(stderr).toContain(advice.reason);
    const shown = (await run(['apps', 'tune', ...words])).stdout.trimEnd().split('\n');
    expect(shown.map((line) => line.split('\t')[0])).toEqual([advice.verdict === 'advice' ? 'now' : '']);
  });

  test('another concurrency is advised only where calls overlapped in a replica', async () => {
    const { assumptions } = await tune('web');
    expect(assumptions.join()).toMatch(
      /replica_concurrency 2: calls that overlapped in a replica ran [\d.]+ times as long/,
    );
  });

  test('only runs since the last change of the scaling count', async () => {
    const env = { GANTRY_CONFIG_DIR: join(folder, '.other') };
    expect((await run(['apps', 'scale', 'transcriber', '--cooldown', '301s'], { env })).code).toBe(0);
    const { json } = await run(['apps', 'tune', 'transcriber', '--json'], { env });
    expect(json()).toMatchObject({ verdict: 'not enough runs', calls: 0 });
  });

  test('gives no advice where the replay misses the bill', async () => {
    const own = await startEmulator({ seed: 1, real: false, now: () => now });
    const web = own.store.apps.get(`${own.project}-web`);
    if (!web) throw new Error('no app');
    const monthOf = async (gpuCount: number) => {
      // The days until now were charged at another price.
      const settings = { ...web.settings, gpuCount: gpuCount * web.settings.gpuCount };
      own.store.apps.set(web.id, { ...web, settings, earlier: [{ until: now, settings: web.settings }] });
      // A change that nobody has on record.
      const env = { GANTRY_CONFIG_DIR: newFolder() };
      const outcome = await run(['apps', 'tune', 'web', '--json', '--budget', '700'], { emulator: own, env });
      return { ...(outcome.json() as Advice), stderr: outcome.stderr };
    };
    const [same, dearer] = [await monthOf(1), await monthOf(3)];
    await own.close();
    expect(dearer).toMatchObject({ verdict: 'not predictable', options: [], frontier: [] });
    expect(dearer.predictionError.costShare).toBeGreaterThan(1);
    expect(dearer.stderr).toMatch(/no advice, not predictable: at the price of now, these runs cost \$\d+/);
    // A month is as dear as the bill says.
    const cost = (await run(['cost', 'web', '--since', same.since.slice(0, 10), '--json'])).json() as {
      apps: { costCents: number }[];
    };
    const days = (now - Date.parse(same.since)) / 86_400_000;
    expect((same.options[0]?.centsPerMonth ?? 0) / ((30 / days) * (cost.apps[0]?.costCents ?? 0))).toBeCloseTo(1, 2);
  });

  test('--html writes a page with what waiting costs', async () => {
    const file = join(folder, 'tune.html');
    expect((await run(['apps', 'tune', 'web', '--html', file])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('"axis":{"title":"cost of a month","unit":"USD"}');
  });

  test.each<[string[], number, RegExp]>([
    [['nope'], 6, /app nope not found/],
    [['web', '--slo', 'p90<6'], 2, /fix for example: gantry apps tune web --slo 'p90<6s'/],
    [['web', '--slo', 'p90'], 2, /expected a percentile and a duration such as 'p90<6s'/],
    [['transcriber', '--write'], 2, /--write needs the folder of transcriber: cerebrium\.toml is that of web/],
  ])('%j exits with %i', async (words, code, said) => {
    const outcome = await run(['apps', 'tune', ...words], { cwd: folder });
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(said)]);
  });
});

describe('gantry apps tune --write', () => {
  const file = () => join(folder, 'cerebrium.toml');
  const write = (...more: string[]) => run(['apps', 'tune', '--slo', 'p90<6s', '--write', ...more], { cwd: folder });

  test('puts the settings into cerebrium.toml, and keeps its comments', async () => {
    const { code, stderr, json } = await write('--json');
    expect([code, (json() as Advice).written]).toEqual([
      0,
      expect.arrayContaining([{ setting: 'scaling.cooldown', to: 660 }]),
    ]);
    expect(stderr).toContain('wrote scaling.cooldown = 660 to cerebrium.toml\n');
    const text = await readFile(file(), 'utf8');
    expect(text).toBe(config.replace('cooldown = 180 #', 'cooldown = 660 #'));
    expect((await write()).stderr).toContain('nothing to write: the settings are the same');
    // What only the file has is set as well.
    await writeFile(file(), config.replace('min_replicas = 0', 'min_replicas = 1'));
    expect((await write()).stderr).toContain(
      'wrote scaling.min_replicas = 0, scaling.cooldown = 660 to cerebrium.toml',
    );
    await writeFile(file(), config);
  });

  test('puts them where a link leads', async () => {
    await rename(file(), join(folder, 'shared.toml'));
    await symlink('shared.toml', file());
    expect((await write()).code).toBe(0);
    expect([await readlink(file()), await readFile(file(), 'utf8')]).toEqual([
      'shared.toml',
      expect.stringContaining('660'),
    ]);
    await rm(file());
    await writeFile(file(), config);
  });

  test('--dry-run shows what it would write', async () => {
    expect(await write('--dry-run')).toPrint(/set scaling\.cooldown = 660 in cerebrium\.toml/);
    expect(await readFile(file(), 'utf8')).toBe(config);
  });

  test('a file that it cannot edit stays as it is', async () => {
    const odd = config.replace(
      '[cerebrium.scaling] # Careful.\nmin_replicas = 0\ncooldown = 180 # Three minutes.',
      '[cerebrium]\nscaling.min_replicas = 0',
    );
    await writeFile(file(), odd);
    expect(await write()).toExit(1, /cannot change cerebrium\.toml[\s\S]*fix scaling\.cooldown = 660/);
    expect(await readFile(file(), 'utf8')).toBe(odd);
    await writeFile(file(), config);
  });
});
