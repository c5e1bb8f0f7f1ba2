import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

let app: string;

const emulator = emulatorForAll();

beforeAll(async () => {
  const files = smallApp();
  app = newFolder({ ...files, 'main.py': 'def predict(name):\n    return {"v": 1 / 0}\n' });
  expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBe(0);
});

const run = (line: string) => gantry(line.split(' '), { emulator, cwd: app });

describe('who has one app, with one function', () => {
  test('learns where the function stands in a call', async () => {
    const { code, stderr } = await run('invoke predict');
    expect([code, stderr]).toEqual([6, expect.stringMatching(/^ {2}fix gantry invoke \. predict$/m)]);
    expect(stderr).toContain('why predict is a function of the app in this folder');
    expect((await run('invoke nope')).stderr).toMatch(/^ {2}fix gantry apps list$/m);
  });

  test('gets the call of the function that there is', async () => {
    expect(await run('invoke . name=Ada')).toExit(6, /^ {2}fix gantry invoke web predict name=Ada$/m);
  });

  test('is told to deploy a function that is only in the folder', async () => {
    const source = 'def predict(name):\n    return name\n\ndef later():\n    return 1\n';
    writeFileSync(join(app, 'main.py'), source);
    expect((await run('invoke . later')).stderr).toMatch(/^ {2}fix gantry deploy$/m);
  });

  test('sees only lines of the program in the traceback of a run', async () => {
    writeFileSync(join(app, 'job.py'), 'def main():\n    return 1 / 0\n');
    const { stdout, stderr } = await run('run job.py');
    expect(stdout + stderr).toContain('ZeroDivisionError');
    expect(stdout + stderr).not.toContain('__gantry');
  });
});

test('who has no account is told to type what works without one, if there is an app', async () => {
  const nextIn = async (files: Record<string, string>, line: string) => {
    const folder = newFolder(files);
    const env = { HOME: folder, XDG_CONFIG_HOME: '', GANTRY_CONFIG_DIR: folder };
    const { json } = await gantry(line.split(' '), { cwd: folder, env });
    return (json() as { error: { code: string; next?: string[] } }).error;
  };
  for (const line of ['deploy --json', 'status --json', 'whoami --verify --json'])
    expect(await nextIn(smallApp(), line)).toMatchObject({
      code: 'auth',
      next: ['gantry', ...line.split(' '), '--local'],
    });
  const none = await nextIn({}, 'whoami --verify --json');
  expect([none.code, none.next]).toEqual(['auth', ['gantry', 'help', 'environment', '--json']]);
  // Where nobody can log in, that is said again.
  expect((await nextIn({}, 'login --json')).next).toEqual(none.next);
});
