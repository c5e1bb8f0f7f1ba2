import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { worstExit } from '../../src/deploys/send/index.ts';
import { exitCodes } from '../../src/kernel/errors.ts';
import { emulatorForEach, gantry, keys, newFolder, type Setting } from '../support/index.ts';

let repository: string;
const emulator = emulatorForEach({ real: false });

const app = (name: string, more = '') => ({
  [`apps/${name}/cerebrium.toml`]: `[cerebrium.deployment]\nname = "${name}"\ndisable_auth = false\n${more}`,
  [`apps/${name}/main.py`]: 'def run():\n    return 1\n',
});
const failing = 'shell_commands = ["exit 3"]\n';

beforeEach(async () => {
  repository = newFolder({
    ...app('api'),
    ...app('web'),
    ...app('work', failing),
    ...app('more'),
    ...app('last'),
    'apps/lib/a.py': '',
    'x.txt': '',
  });
});

const deploy = (words: string[], setting: Partial<Setting> = {}) =>
  gantry(['deploy', ...words], { emulator, cwd: repository, ...setting });
const folders = ['apps/api', 'apps/lib', 'apps/web', 'apps/work'];
const edit = (file: string, text: string) => writeFile(join(repository, 'apps', file), text);
const created = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;
const fixWork = () => edit('work/cerebrium.toml', app('work')['apps/work/cerebrium.toml'] ?? '');

test('of several apps, the unchanged is left, the failure leaves the others alone, and one line goes on', async () => {
  expect((await deploy(['-C', 'apps/web'])).code).toBe(0);
  const { code, stdout, stderr } = await deploy([...folders, '--if-changed']);
  expect(code).toBe(11);
  expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
    ...[['api', 'live'], ['web', 'unchanged'], ['work', 'build-failed'], ['']],
  ]);
  expect(stdout).toContain(`\t${emulator.url}/v4/${emulator.project}/api\n`);
  expect(stderr).toContain('apps/lib is not an app: it has no cerebrium.toml');
  expect(stderr).toMatch(/^web: web is unchanged since build/m);
  expect(stderr.match(/project p-12345678/g)).toHaveLength(1);
  expect(stderr).not.toMatch(/^web: dashboard:/m);
  expect(stderr).toMatch(/^work: error: /m);
  const [, line = ''] = /^to deploy the failed ones once they are fixed: gantry deploy (.*)$/m.exec(stderr) ?? [];
  expect(line).toBe('apps/work --if-changed');
  await fixWork();
  const before = created();
  const again = await deploy(line.split(' '));
  expect([again.code, again.stdout.split('\t').slice(0, 2), created() - before]).toEqual([0, ['work', 'live'], 1]);
});

test('what fails is marked under GitHub Actions, and lines keep their indentation', async () => {
  await edit('web/cerebrium.toml', '[cerebrium.deployment]\nname = "web"\nmistake = 1\n');
  await edit('api/cerebrium.toml', '[cerebrium.deployment]\nname = "api"\ndisable_auth = 5\n');
  const { stdout, stderr } = await deploy(['apps/web', 'apps/work', 'apps/api'], { env: { GITHUB_ACTIONS: 'true' } });
  expect(stdout).toMatch(/^apps\/api\tinvalid\t/m);
  expect(stderr).toMatch(/^::error file=apps\/api\/cerebrium\.toml,line=3,col=\d+::/m);
  expect(stderr).toMatch(/^::error file=apps\/work\/cerebrium\.toml,line=4,col=18::build .+ failed/m);
  expect(stderr).toMatch(/^web: {3}in {2}cerebrium\.toml:3:1$/m);
});

test('as JSON it is one document, with an error as that of one app, whose commands work from here', async () => {
  const { code, json } = await deploy([...folders, '--json']);
  expect(code).toBe(11);
  const { apps, changed, next } = json() as { apps: object[]; changed: boolean; next: { argv: string[] }[] };
  expect([changed, next[0]?.argv]).toEqual([true, ['gantry', 'deploy', 'apps/work', '--if-changed']]);
  expect(apps).toMatchObject([
    { folder: 'apps/api', app: 'api', exitCode: 0, deployment: { app: 'api', changed: true } },
    { folder: 'apps/web', app: 'web', exitCode: 0, deployment: { app: 'web' } },
    { folder: 'apps/work', app: 'work', exitCode: 11, error: { code: 'build-failed', details: { app: 'work' } } },
  ]);
  expect(JSON.stringify(apps[2])).toContain('-C apps/work');
  const elsewhere = await gantry(['-C', repository, 'deploy', 'apps/work', '--json'], { emulator });
  expect(elsewhere.stdout).toContain(`-C ${join(repository, 'apps/work')}`);
});

test('on a terminal of 80 columns, what it says to type next fits', async () => {
  const { stderr, stdout } = await deploy(['apps/web'], { columns: 80, env: { NO_COLOR: '1' } });
  expect(stderr).toMatch(/^web: to call it: gantry invoke web -C apps\/web$/m);
  expect(stdout).toMatch(/^web +live +[0-9a-f]{8} +http/m);
});

test('a plan of all is applied to all, from the folder above as well', async () => {
  await fixWork();
  const from = { cwd: join(repository, 'apps') };
  const words = ['api', 'web', 'work'];
  const made = await deploy([...words, '--dry-run', '--save-plan', 'plans', '--detailed-exit-code'], from);
  expect([made.code, created()]).toEqual([3, 0]);
  const [, line = ''] = /^to apply the plan: gantry deploy (.*)$/m.exec(made.stderr) ?? [];
  expect(line).toBe('api web work --apply-plan plans');
  await edit('api/main.py', 'def run():\n    return 2\n');
  const applied = await deploy(line.split(' '), from);
  expect([applied.code, created()]).toEqual([7, 2]);
  expect(applied.stderr).toContain('api: error: not as planned: main.py');
});

test('after a dry run of all, only what would change is to be deployed', async () => {
  await deploy(['apps/api', 'apps/web']);
  await edit('api/main.py', 'def run():\n    return 2\n');
  const { stderr } = await deploy(['apps/api', 'apps/web', '--dry-run']);
  expect(stderr).toMatch(/^to deploy it: gantry deploy apps\/api$/m);
});

test('plans that are not there are asked for once, with the line that makes them', async () => {
  const { code, stderr } = await deploy(['apps/api', 'apps/web', '--apply-plan', 'plans', '--keep-scaling']);
  const fix = 'gantry deploy apps/api apps/web --keep-scaling --dry-run --save-plan plans';
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(/^project .*\nerror: no plans in plans: .*\n {2}fix .*\n$/),
  ]);
  expect(stderr).toContain(fix);
  const web = join(repository, 'apps/web');
  const ofOne = await deploy(['--apply-plan', 'no/such/plan.json'], { cwd: web });
  expect(ofOne).toExit(6, `fix see what is there: ls ${web}\n`);
});

test('on a terminal, all plans are shown and one question is asked; no is no for all', async () => {
  const words = ['apps/api', 'apps/web'];
  const no = await deploy(words, { stdin: keys('n\r'), columns: 100 });
  expect([no.code, created()]).toEqual([130, 0]);
  expect(no.stderr.match(/Deploy 2 apps\?/g)).not.toBeNull();
  const yes = await deploy(words, { stdin: keys('\r'), columns: 100 });
  expect([yes.code, created()]).toEqual([0, 2]);
});

test('Ctrl-C ends all: what was created is canceled, what waits does not begin', async () => {
  const words = ['api', 'web', 'work', 'more', 'last'].map((name) => `apps/${name}`);
  const { code, stderr } = await deploy(words, { stop: /Created build.*Created build/s });
  expect([code, created() < words.length]).toEqual([130, true]);
  expect(stderr).toMatch(/^stopping 5 deploys$/m);
  // One may just be being created.
  const canceling = /^(api|web|work|more): canceling (build \S+ of \1|the build of \1 that is being created)/gm;
  expect(stderr.match(canceling)?.length).toBeGreaterThanOrEqual(created());
  expect(emulator.calls.filter(({ endpoint }) => endpoint === 'cancelBuild')).toHaveLength(created());
});

test.each([
  [['web'], 'unexpected argument "web"', /fix gantry deploy \(with --name web/],
  [['x.txt'], 'unexpected argument "x.txt"', /fix/],
  [['apps/web', 'lib'], 'unexpected argument "lib"', /fix correct the name$/m],
  [['apps/wbe'], 'unexpected argument "apps/wbe"', /fix correct the name$/m],
  [['srvices/*'], 'unexpected argument "srvices/*"', /fix correct the name$/m],
  [['apps'], 'no folder has a cerebrium.toml', /fix gantry deploy apps\/\w+ apps\/\w+ apps\/\w+$/m],
  [['apps/lib'], 'no folder has a cerebrium.toml', /fix gantry init apps\/lib$/m],
  [
    ['apps/web', '--name', 'x'],
    '--name, --output and --events are for one app',
    /fix gantry deploy -C apps\/web --name x$/m,
  ],
])('deploy %j is refused with exit code 2', async (words, message, fix) => {
  const { code, stderr } = await deploy(words);
  expect([code, created()]).toEqual([2, 0]);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(fix);
});

test('a field that the result of several apps has not is refused before anything is sent', async () => {
  const refused = await deploy([...folders, '--json=app,status']);
  expect(refused).toExit(2, 'why available fields: apps, changed, next, warnings\n');
  expect(created()).toBe(0);
});

test('two folders with one app are refused, the same folder twice is one', async () => {
  await edit('api/cerebrium.toml', app('web')['apps/web/cerebrium.toml'] ?? '');
  // Without the folder of web, the files of api would replace it.
  expect(await deploy(['apps/api', 'apps/web'])).toExit(
    2,
    'two folders have the app web\n  fix correct the name in apps/api/cerebrium.toml or apps/web/cerebrium.toml\n',
  );
  expect((await deploy(['apps/web', './apps/web/'])).stdout.match(/^web\t/gm)).toHaveLength(1);
  const here = await deploy(['.', '--if-changed'], { cwd: join(repository, 'apps/web') });
  expect(here.stdout).toMatch(/^web\tunchanged\t/);
});

test('every exit code has its place in the order of the worst', () => {
  for (const [name, { code }] of Object.entries(exitCodes)) expect(worstExit([0, code, 0])).toBe(name);
  expect(worstExit([11, 8, 7])).toBe('build-failed');
});
