import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { emulatorForEach, fixture, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

describe('the apps in fixtures/apps', () => {
  test.each([
    ['hello', 0, 'hello is live', 0],
    ['server', 0, 'server is live', 0],
    ['dockerfile', 0, 'dockerfile is live', 0],
    ['partner', 0, 'is live', 0],
    ['crashes', 0, 'crashes is live', 0],
    ['fails', 11, 'the command "exit 3" failed', 3],
    ['broken', 10, '7 errors, 8 warnings', 10],
  ])('%s deploys or fails as expected', async (name, exit, said, exitOfPlan) => {
    expect(await gantry(['deploy'], { emulator, cwd: fixture(name) })).toExit(exit, said);
    const again = await gantry(['deploy', '--dry-run', '--detailed-exit-code'], { emulator, cwd: fixture(name) });
    expect(again.code).toBe(exitOfPlan);
  });

  test('partner uploads nothing, and its build has no log', async () => {
    const { json } = await gantry(['deploy', '--json'], { emulator, cwd: fixture('partner') });
    expect(json()).toMatchObject({ files: 0, bytes: 0 });
    const asked = emulator.calls.map(({ endpoint }) => endpoint);
    expect(asked.filter((name) => /^(upload|getBuildLogs|log-socket)$/.test(name ?? ''))).toEqual([]);
  });
});

/** Minimal versions of the files that the config files refer to. */
const standIns = {
  'main.py': 'app = None\n',
  'app/main.py': 'app = None\n',
  Dockerfile: 'FROM debian:bookworm-slim\nCMD ["true"]\n',
  'workflow.json': '{}',
  'workflow_api.json': '{}',
  'helpers.py': '',
  'model.json': '{}',
};

describe('config files of real users', () => {
  const files = readdirSync('fixtures/realworld');
  const broken = files.filter((file) => file.includes('langchain'));

  test.each(files.filter((file) => !broken.includes(file)))('%s deploys without false warnings', async (file) => {
    const text = readFileSync(`fixtures/realworld/${file}`, 'utf8');
    const app = newFolder({ ...standIns, 'cerebrium.toml': text });
    const first = await gantry(['deploy'], { emulator, cwd: app });
    expect(first.code, first.stderr).toBe(0);
    const warnings = first.stderr.split('\n').filter((line) => line.startsWith('warning:'));
    expect(warnings.filter((line) => !/this app is public|gpu_count is ignored/.test(line))).toEqual([]);

    const again = await gantry(['deploy', '--dry-run', '--detailed-exit-code'], { emulator, cwd: app });
    expect(again.stdout).toContain('no change');
    expect(again.code).toBe(0);
  });

  test.each(broken)('%s fails with the invalid line', async (file) => {
    const text = readFileSync(`fixtures/realworld/${file}`, 'utf8');
    const app = newFolder({ ...standIns, 'cerebrium.toml': text });
    expect(await gantry(['deploy'], { emulator, cwd: app })).toExit(10, 'unterminated string', 'cerebrium.toml:22:10');
    expect(emulator.calls).toEqual([]);
  });
});
