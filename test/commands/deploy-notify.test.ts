import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { KnownSecrets } from '../../src/kernel/output/known-secrets.ts';
import { announceEnd } from '../../src/local/notify/index.ts';
import { runNotifyCommand } from '../../src/local/notify/notify-command.ts';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';
import { machine } from '../support/machine.ts';

let app: string;
let told: string;

const emulator = emulatorForEach({ real: false });

beforeEach(() => {
  app = newFolder(smallApp());
  told = newFolder();
});

const deploy = (flags: string[], setting: Setting = {}) =>
  gantry(['deploy', ...flags], {
    emulator,
    cwd: app,
    ...setting,
    env: machine(setting.env),
  });
const write = () => `cat > ${join(told, 'document.json')}`;
const document = async () => JSON.parse(await readFile(join(told, 'document.json'), 'utf8'));

test('a command of the user gets the result, and prints nothing into it', async () => {
  const { code, stdout } = await deploy(['--notify-command', `echo noise; ${write()} && true`]);
  expect([code, stdout]).toEqual([0, `${emulator.url}/v4/${emulator.project}/web\n`]);
  expect(await document()).toMatchObject({ app: 'web', status: 'succeeded', changed: true });
});

test('it gets the error of a deploy that fails, without secrets', async () => {
  emulator.fail('build', 'build_failure');
  const { code } = await deploy(['--notify-command', write()]);
  expect(code).toBe(11);
  expect(await document()).toMatchObject({ error: { code: 'build-failed', exitCode: 11, details: { app: 'web' } } });
  expect(JSON.stringify(await document())).not.toContain(emulator.token);
});

test('its failure is a warning', async () => {
  const { code, stderr } = await deploy(['--notify-command', 'echo no such channel >&2; exit 3']);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: --notify-command failed: no such channel');
});

test('it ends in time, with all that it has started', async () => {
  const warnings: unknown[] = [];
  const context = {
    cwd: app,
    env: machine(),
    progress: { warn: (text: unknown) => warnings.push(text) },
  };
  await runNotifyCommand(context as never, 'sleep 60 | sleep 60', {}, 50);
  expect(warnings).toEqual([expect.stringContaining('it did not end within 50 ms')]);
});

test('it gets what --timeout has left, and a moment in any case', async () => {
  const warnings: unknown[] = [];
  const context = {
    cwd: app,
    env: machine(),
    elapsed: () => 10_000,
    end: { at: 9_000 },
    progress: { warn: (text: unknown) => warnings.push(text), bell: () => {} },
    secrets: new KnownSecrets(),
  };
  await announceEnd(
    context as never,
    'sleep 60',
    (result) => result,
    async () => ({}),
  );
  expect(warnings).toEqual([expect.stringContaining('it did not end within 2.0 s')]);
});

test.each([
  ['on a terminal after long work', {}, [], 1],
  ['not with -q', {}, ['-q'], 0],
  ['not in CI', { CI: 'true' }, [], 0],
])('a terminal rings: %s', async (_, env, flags, rings) => {
  let isLate = false;
  // The build takes a minute by the clock of this machine.
  const clock = { now: Date.now() };
  const seen = (_: string, stderr: string) => {
    if (stderr.includes('Uploaded') || flags.length > 0) {
      if (!isLate) clock.now += 60_000;
      isLate = true;
    }
  };
  const { stderr } = await deploy(flags, { columns: 80, clock, env, seen });
  expect(stderr.split('\u0007').length - 1).toBe(rings);
});

test('no terminal rings after short work, and none elsewhere', async () => {
  expect((await deploy([], { columns: 80 })).stderr).not.toContain('\u0007');
  expect((await deploy([])).stderr).not.toContain('\u0007');
});
