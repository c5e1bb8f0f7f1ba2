import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { reference } from '../../src/cli/reference.ts';
import { empty } from '../support/account.ts';
import { smallApp } from '../support/app.ts';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { half } from '../support/extent.ts';
import { newFolder } from '../support/files.ts';
import { gantry, keys } from '../support/gantry.ts';
import { deployWeb, record } from '../support/runs.ts';
import { expectErrorDocument } from '../support/traces.ts';

let emulator: Emulator;

/** Something of each kind that can be changed. */
async function prepared(): Promise<Emulator> {
  const emulator = await startEmulator({ real: false });
  await deployWeb(emulator);
  emulator.store.secrets.set(emulator.project, { OLD: 'old', SAME: 'same' });
  for (const path of ['/logs/a.txt', '/logs/b.txt']) emulator.volume().write(path, 'x');
  empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'CI', grants: ['p-1'] }] });
  const earlier = new Set(emulator.store.builds.keys());
  emulator.fail('build', 'slow');
  await gantry(['deploy', '--detach'], { emulator, cwd: newFolder(smallApp()) });
  const [running] = [...emulator.store.builds].filter(([id]) => !earlier.has(id)).map(([, build]) => build);
  if (!running) throw new Error('web was not deployed');
  emulator.store.builds.set('b-2', { ...running, id: 'b-2' });
  record(emulator, { id: 'r-1', createdAt: Date.now(), runtimeMs: 3_600_000 });
  return emulator;
}

beforeAll(async () => {
  emulator = await prepared();
});

afterAll(() => emulator.close());

/** Each command that changes something remote: a command line, what it would do, and a part of its JSON. */
const rows: [line: string, says: string[], json: object | object[]][] = [
  [
    'rm /logs/a.txt',
    ['would remove default:/logs/a.txt'],
    [{ path: 'default:/logs/a.txt', isFolder: false, changed: true }],
  ],
  ['rm -r /logs', ['would remove default:/logs/'], [{ path: 'default:/logs/', isFolder: true, changed: true }]],
  ['apps delete web', ['would delete app web and its builds'], { app: 'web', changed: true }],
  [
    'apps scale web --max-replicas 7',
    ['would change scaling.max_replicas of web from 1 to 7'],
    { app: 'web', changed: true, settings: [{ setting: 'scaling.max_replicas', from: 1, to: 7 }] },
  ],
  [
    'secrets set --from-env-file -',
    ['would add NEW in project p-12345678', 'would replace OLD in project p-12345678'],
    { added: ['NEW'], replaced: ['OLD'], unchanged: ['SAME'], changed: true },
  ],
  ['secrets set OLD --from-env', ['would replace OLD in project p-12345678'], { replaced: ['OLD'], changed: true }],
  ['secrets unset OLD', ['would remove OLD from project p-12345678'], { removed: ['OLD'], changed: true }],
  [
    'service-accounts grant sa-1 p-2',
    ['would set the access of sa-1 to p-1, p-2'],
    { after: ['p-1', 'p-2'], changed: true },
  ],
  ['service-accounts revoke sa-1 p-9', [], { after: ['p-1'], changed: false }],
  ['plan set standard', ['would change the plan of p-12345678 to standard'], { planCode: 'standard' }],
  ['builds cancel web b-2', ['would cancel build b-2 of web'], { build: 'b-2', changed: true }],
  ['runs cancel web r-1', ['would cancel run r-1 of web'], { run: 'r-1', changed: true }],
  ['volumes resize 100GB', ['would grow default-us-east-1 to 100 GB'], { sizeGb: 100 }],
  [
    'users invite ada@example.com --role member',
    ['would invite ada@example.com to p-12345678 as member'],
    { changed: true },
  ],
];

test.each(rows)(
  '%s --dry-run says what would change, as text and JSON, and sends nothing',
  async (line, says, json) => {
    const setting = { emulator, env: { OLD: 'new' }, stdin: 'NEW=1\nOLD=2\nSAME=same\n' };
    emulator.calls.length = 0;
    const asText = await gantry([...line.split(' '), '--dry-run'], setting);
    const asJson = await gantry([...line.split(' '), '--dry-run', '--json'], setting);
    expect([asText.code, asJson.code]).toEqual([0, 0]);
    if (says.length > 0) expect(asText.stdout).toBe(says.map((text) => `${text}\n`).join(''));
    const marked = Array.isArray(json) ? json.map((entry) => ({ ...entry, dryRun: true })) : { ...json, dryRun: true };
    expect(asJson.json()).toMatchObject(marked);
    expect(emulator.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

const asking: [line: string, question: string, yes?: string][] = [
  ['rm /logs/a.txt', 'Remove default:/logs/a.txt'],
  ['rm -r /logs', 'removes 1 folder', '/logs'],
  ['apps delete web', 'Type web', 'web'],
  ['secrets set OLD --from-env', 'Replace OLD in project p-12345678?'],
  ['secrets unset OLD', 'Remove OLD from project p-12345678?'],
  ['service-accounts revoke sa-1 p-1', 'sa-1'],
  ['service-accounts set-grants sa-1 p-3', 'sa-1'],
  ['plan set hobby', 'hobby'],
  ['builds cancel web b-2', 'b-2', 'yes'],
  ['runs cancel web r-1', 'r-1'],
  ['volumes resize 100GB', 'cannot be reduced later'],
];

test.each(half(asking))('%s asks first, and needs an answer', async (line, question, yes = 'y') => {
  const emulator = await prepared();
  onTestFinished(() => emulator.close());
  empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'CI', grants: ['p-1', 'p-2'] }] });
  const changes = () => emulator.calls.filter(({ method }) => method !== 'GET').length;
  const before = changes();
  const setting = { emulator, env: { OLD: 'new' } };
  const alone = await gantry([...line.split(' '), '--json'], setting);
  expect([alone.code, alone.stderr]).toEqual([9, expect.stringMatching(/fix pass --(yes|confirm)/)]);
  expectErrorDocument(alone);
  const unknown = { emulator, env: { OLD: 'new', GANTRY_TOKEN: '' } };
  expect((await gantry([...line.split(' '), '--yes'], unknown)).code).toBe(4);
  for (const answer of ['n', '']) {
    const { code, stderr } = await gantry(line.split(' '), { ...setting, columns: 120, stdin: keys(`${answer}\r`) });
    expect([code, stderr]).toEqual([130, expect.stringContaining(question)]);
  }
  expect(changes()).toBe(before);
  expect((await gantry(line.split(' '), { ...setting, columns: 120, stdin: keys(`${yes}\r`) })).code).toBe(0);
  expect(changes()).toBeGreaterThan(before);
});

test('config profiles remove --dry-run keeps the profile', async () => {
  const env = { GANTRY_CONFIG_DIR: newFolder({ 'config.json': '{"profiles":{"spare":{}}}' }) };
  const { stdout } = await gantry(['config', 'profiles', 'remove', 'spare', '--dry-run'], { env });
  expect(stdout).toBe('would remove profile spare\n');
  expect((await gantry(['config', 'profiles'], { env })).stdout).toContain('spare');
});

test.each(['apps delete web', 'plan set hobby'])('the command that follows %s --dry-run asks', async (line) => {
  const emulator = await startEmulator({ seed: 1 });
  const { json } = await gantry([...line.split(' '), '--dry-run', '--json'], { emulator });
  const [next] = (json() as { next: { argv: string[] }[] }).next;
  expect(next?.argv).toEqual(['gantry', ...line.split(' '), '--json']);
  expect((await gantry(next?.argv.slice(1) ?? [], { emulator })).code).toBe(9);
  await emulator.close();
});

test('every command that destroys something on the platform has --dry-run', async () => {
  const exempt = ['logout', 'api', 'mcp serve', 'config set', 'config unset', 'emulator stop'];
  const lacking = (await reference()).commands
    .filter(({ effect, flags }) => effect === 'destroys' && !flags.some((flag) => flag.flags === '--dry-run'))
    .map(({ command }) => command);
  expect(lacking.sort()).toEqual(exempt.sort());
});
