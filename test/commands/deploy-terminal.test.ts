import { expect, test } from 'vitest';
import { fixture, smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, jsonLines } from '../support/gantry.ts';
import { expectErrorDocument, expectNoTrace } from '../support/traces.ts';
import { widthOf } from '../support/width.ts';

const emulator = emulatorForEach({ real: false });

test.each(['hello', 'server', 'dockerfile', 'partner', 'fails'])(
  'on a terminal of 80 columns the plan of %s fits, before and after',
  async (name) => {
    const setting = { emulator, cwd: fixture(name), columns: 80, env: { NO_COLOR: '1' } };
    const before = await gantry(['deploy', '--dry-run'], setting);
    await gantry(['deploy', '--name', 'other'], { emulator, cwd: fixture('hello') });
    const after = await gantry(['deploy', '--dry-run', '--name', 'other'], setting);
    for (const { stdout } of [before, after]) {
      expect(stdout).not.toBe('');
      for (const line of stdout.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(80);
    }
  },
);

test.each([
  ['reset-after', 69, 1],
  ['503', 69, 1],
  ['malformed', 69, 1],
  ['429', 0, 2],
  ['503:1', 0, 2],
])('creating a partner’s app never creates it twice: %s', async (fault, exit, requests) => {
  emulator.fail('createPartnerApp', fault);
  const outcome = await gantry(['deploy', '--json'], { emulator, cwd: fixture('partner') });
  expect(outcome).toExit(exit, exit === 0 ? '' : /fix gantry builds list \S+/);
  expect(emulator.calls.filter(({ endpoint }) => endpoint === 'createPartnerApp')).toHaveLength(requests);
  expect(emulator.store.builds.size).toBeLessThanOrEqual(1);
  if (exit === 0) return;
  expectErrorDocument(outcome);
  expectNoTrace(outcome, emulator);
});

test.each([
  ['createApp', '402', 14],
  ['build', 'init_timeout', 12],
  ['upload', '500*', 69],
])('--events with %s=%s ends with a line of type error, exit %i', async (target, fault, exit) => {
  emulator.fail(target as 'upload', fault);
  const { code, stdout } = await gantry(['deploy', '--events'], { emulator, cwd: newFolder(smallApp()) });
  const lines = jsonLines(stdout);
  expect(code).toBe(exit);
  expect(lines.at(-1)).toMatchObject({ type: 'error', error: { exitCode: exit } });
  expect(lines.filter(({ type }) => type === 'error' || type === 'result')).toHaveLength(1);
});
