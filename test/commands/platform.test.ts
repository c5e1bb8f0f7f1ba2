import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { half } from '../support/extent.ts';
import { newFolder } from '../support/files.ts';
import { gantry as run, type Setting } from '../support/gantry.ts';
import { homeless } from '../support/homeless.ts';
import { record } from '../support/runs.ts';
import { expectErrorDocument, expectNoTrace } from '../support/traces.ts';
import { widthOf } from '../support/width.ts';

/** What every command that talks to the platform has in common. Each line: the command, and a field of its answer. */
const commands = [
  ['apps list', 'name'],
  ['apps get web', 'status'],
  ['builds list web', 'id'],
  ['builds get web', 'status'],
  ['builds get web --files', 'zipFiles'],
  ['runs list web', 'statusCode'],
  ['runs get web r-1', 'status'],
  ['runs chart web', 'aggregatedData'],
  ['metrics web --startup', 'data'],
  ['apps containers web', 'containerState'],
  ['api-keys list', 'apiKey'],
  ['users list', 'email'],
  ['service-accounts list', 'grants'],
  ['plan payment-methods', 'methods'],
  ['ls', 'name'],
  ['volumes usage', 'bytes'],
  ['volumes list', 'name'],
  ['plan invoices', 'amountDue'],
  ['cost', 'summary'],
  ['cost web', 'apps'],
  ['secrets list', 'name'],
  ['secrets list --app web', 'name'],
] as const;

const aboutAnApp = commands.map(([line]) => line).filter((line) => line.includes(' web'));

// All clocks stand still, so that the same question has the same answer.
const opened = Date.now();
const gantry = (words: string[], setting: Setting = {}) => run(words, { clock: { now: opened }, ...setting });
const emulator = emulatorForAll({ real: false, now: () => opened });

beforeAll(async () => {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp('[cerebrium.dependencies.pip]\nnumpy = "latest"\n')) });
  emulator.volume().write('/models/a.bin', 'weights');
  record(emulator, { id: 'r-1', createdAt: opened - 1_000, coldstartMs: 500 });
  for (const owner of [emulator.project, `${emulator.project}-web`]) {
    emulator.store.secrets.set(owner, { HF_TOKEN: 'hf_example' });
  }
});

beforeEach(() => {
  emulator.calls.length = 0;
});

describe.each(half(commands))('gantry %s', (line, field) => {
  const words = line.split(' ');

  test('prints its result on stdout', async () => {
    const outcome = await gantry(words, { emulator });
    expect(outcome.stdout).not.toBe('');
    expect(outcome.code).toBe(0);
    expectNoTrace(outcome, emulator);
  });

  test('prints one JSON document, with --json before or after the command', async () => {
    const after = await gantry([...words, '--json'], { emulator });
    const before = await gantry(['--json', ...words], { emulator });
    expect(one(after.json())).toHaveProperty(field);
    expect(before.json()).toEqual(after.json());
  });

  test(`prints only the selected field with --json=${field}`, async () => {
    const { json } = await gantry([...words, `--json=${field}`], { emulator });
    expect(Object.keys(one(json()) as object)).toEqual([field]);
  });

  test('exits with 2 and lists the valid fields if one is wrong', async () => {
    const outcome = await gantry([...words, '--json=nonsense'], { emulator });
    expect(outcome).toExit(2, 'unknown JSON field "nonsense"', new RegExp(`available fields: .*\\b${field}\\b`));
    expectErrorDocument(outcome);
  });

  test('fits a terminal of 80 columns', async () => {
    const { stdout } = await gantry(words, { emulator, columns: 80, env: { NO_COLOR: '1' } });
    expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
  });

  test('has no colors in a pipe or with NO_COLOR', async () => {
    for (const setting of [{}, { columns: 80, env: { NO_COLOR: '1' } }]) {
      expect((await gantry(words, { emulator, ...setting })).stdout).not.toContain('\u001b');
    }
  });

  test('works without a usable home folder, and leaves no files behind', async () => {
    const place = homeless();
    for (const env of place.environments) {
      const outcome = await gantry(words, { emulator, cwd: place.cwd, env });
      expect(outcome.code, outcome.stderr).toBe(0);
    }
    expect(await place.left()).toEqual([]);
  });

  test('without a token exits with 4 before any request, and says how to get one', async () => {
    const outcome = await gantry([...words, '--json'], { emulator, env: { GANTRY_TOKEN: '' } });
    expect(outcome).toExit(4, /error: not logged in\n.*\n {2}fix gantry login, or set GANTRY_TOKEN/);
    expectErrorDocument(outcome);
    expect(emulator.calls).toEqual([]);
  });

  test('with an expired token exits with 4 before any request', async () => {
    const token = emulator.issueToken({ exp: 1_700_000_000 });
    const outcome = await gantry(words, { emulator, env: { GANTRY_TOKEN: token } });
    expect(outcome).toExit(4, 'the token expired on 2023-11-14T22:13:20.000Z', 'environment (GANTRY_TOKEN)');
    expect(emulator.calls).toEqual([]);
  });

  test('with a rejected token exits with 4', async () => {
    expect(await gantry(words, { emulator, env: { GANTRY_TOKEN: 'not-a-token' } })).toExit(4, /request req-\d+/);
  });

  test('with a token for another project exits with 5', async () => {
    const token = emulator.issueToken({ project_id: 'p-other' });
    expect((await gantry(words, { emulator, env: { GANTRY_TOKEN: token } })).code).toBe(5);
  });

  test('in a project that does not exist exits with 6', async () => {
    expect(await gantry([...words, '--project', 'p-nowhere'], { emulator })).toExit(6, 'project p-nowhere not found');
  });

  test('exits with 69 if the connection is refused, and shows each retry', async () => {
    const env = { GANTRY_API_URL: 'http://127.0.0.1:1' };
    const outcome = await gantry([...words, '--json'], { emulator, env });
    expect(outcome).toExit(69, 'cannot connect to 127.0.0.1:1: connection refused', '(5 of 5)', 'fix gantry doctor');
    expectErrorDocument(outcome);
  });
});

test.each(aboutAnApp)('gantry %s of an app that does not exist exits with 6 and names it', async (line) => {
  const words = line.replace('web', 'nobody').split(' ');
  const outcome = await gantry([...words, '--json'], { emulator });
  expect(outcome).toExit(6, 'nobody');
  expectErrorDocument(outcome);
});

test.each(aboutAnApp)('gantry %s also accepts the full id of the app', async (line) => {
  const words = line.replace('web', `${emulator.project}-web`).split(' ');
  expect((await gantry(words, { emulator })).code).toBe(0);
});

test.each([
  ['apps list -p p-nowhere', 'gantry projects list'],
  ...[
    ...['apps get nobody', 'apps scale nobody --min-replicas 1', 'apps delete nobody --confirm nobody', 'logs nobody'],
    ...['builds list nobody', 'runs chart nobody'],
  ].map((line) => [line, 'gantry apps list']),
  ...[
    'builds get web b-none',
    'builds get web b-none --files',
    'logs web --build b-none',
    'logs web --build b-none -f',
  ].map((line) => [line, 'gantry builds list web']),
  ...['runs get web r-none', 'runs cancel web r-none', 'logs web --run r-none', 'logs web --run r-none -f'].map(
    (line) => [line, 'gantry runs list web'],
  ),
] as [string, string][])('gantry %s does not exist and suggests %s', async (line, fix) => {
  const { code, stderr } = await gantry(line.split(' '), { emulator });
  expect(stderr).toMatch(/not found/);
  expect(stderr).toContain(`\n  fix ${fix}\n`);
  expect(stderr).not.toMatch(/goes on|continues|warning/);
  expect(code).toBe(6);
});

/** An answer, or the first of a list of them. */
function one(answer: unknown): unknown {
  return Array.isArray(answer) ? answer[0] : answer;
}

test('each wrong JSON field has the nearest one, and the fix has only what exists', async () => {
  const { stderr } = await gantry(['apps', 'get', 'web', '--json=id,maxReplicas,staus,nonsense'], { emulator });
  expect(stderr).toContain('unknown JSON fields "maxReplicas" (maxReplicaCount?), "staus" (status?), "nonsense"\n');
  expect(stderr).toContain('fix for example: gantry apps get web --json=id,maxReplicaCount,status\n');
});
