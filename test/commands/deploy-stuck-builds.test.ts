import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newOwnerName } from '../../src/disk/index.ts';
import { getBuildProgress } from '../../src/emulator/model/builds/build-progress.ts';
import { altering } from '../support/altering.ts';
import { smallApp } from '../support/app.ts';
import { emulatorForEach } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting } from '../support/gantry.ts';

let app: string;
let home: string;

const emulator = emulatorForEach({ real: false });

beforeEach(() => {
  app = newFolder(smallApp());
  home = newFolder();
});

const deploy = (flags: string[] = [], setting: Setting = {}) =>
  gantry(['deploy', ...flags], {
    emulator,
    cwd: app,
    ...setting,
    env: { GANTRY_CONFIG_DIR: home, ...setting.env },
  });

/** A build that somebody else creates and does not upload. */
async function create(): Promise<string> {
  const reply = await fetch(`${emulator.url}/v2/projects/${emulator.project}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'web', runtime: 'cortex' }),
  });
  return ((await reply.json()) as { buildId: string }).buildId;
}

const statuses = () =>
  emulator.store.getAppBuilds(`${emulator.project}-web`).map((build) => getBuildProgress(build, Date.now()).status);
const isBuildList = (method: string, path: string) => method === 'GET' && path.endsWith('/builds');

/** A platform whose lists show that a build was created so long ago. */
function aged(build: string, ageMs: number, alter: Parameters<typeof altering>[1] = () => undefined) {
  const createdAt = new Date(Date.now() - ageMs).toISOString();
  return altering(emulator, (method, path, json) => {
    if (!isBuildList(method, path)) return alter(method, path, json);
    return { body: (json as { id: string }[]).map((one) => (one.id === build ? { ...one, createdAt } : one)) };
  });
}

describe('a pending build whose upload URL has expired', () => {
  test.each([
    ['--if-busy', 'wait'],
    ['--if-busy', 'wait', '--if-changed'],
    ['--if-busy', 'fail'],
  ])('is named, and nobody waits for it: %s %s %s', async (...flags) => {
    const build = await create();
    const env = await aged(build, 20 * 60_000);
    const { code, stderr } = await deploy(flags.filter(Boolean), { env });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending'] });
    expect(stderr).toContain(`build ${build.slice(0, 8)} of web cannot start any more: it is pending for 20m`);
    expect(stderr).toContain(`gantry builds cancel web ${build}`);
    expect(stderr.match(/cannot start/g)).toHaveLength(1);
  });

  test('is canceled with --if-busy cancel', async () => {
    const env = await aged(await create(), 20 * 60_000);
    expect(await deploy(['--if-busy', 'cancel'], { env })).toMatchObject({ code: 0 });
    expect(statuses()).toEqual(['success', 'cancelled']);
  });

  test('is waited for as long as it can start, by the clock of the platform', async () => {
    const build = await create();
    const env = await aged(build, 1_000);
    const { code, stderr } = await deploy(['--if-busy', 'wait'], { env, clock: { jumps: () => 3_600_000 } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Waited 1\dm.* for other builds/);
    expect(stderr).toContain(`if nobody uploads it any more: gantry builds cancel web ${build}`);
  });
});

describe('a deploy that was killed before its upload', () => {
  test('is canceled by the next one', async () => {
    const { stderr: said } = await deploy(['--if-busy', 'wait', '--detach']);
    expect(said).toContain('Created build');
    const build = await create();
    // As the dead process wrote it down: pids of 2^22 and more are never given.
    const paths = await readdir(home, { recursive: true });
    const file = join(home, paths.find((path) => path.endsWith('.jsonl')) ?? '');
    const log = await readFile(file, 'utf8');
    const line = log.split('\n').find((text) => text.includes('"created"')) ?? '';
    const dead = line.replace(/"build":"[^"]+"/, `"build":"${build}"`).replace(/"process":"\d+/, '"process":"4194999');
    await writeFile(file, `${log}\n${dead}`);
    const { code, stderr } = await deploy(['--if-busy', 'wait']);
    expect(code).toBe(0);
    expect(stderr).toContain(`build ${build.slice(0, 8)} of web never got its files`);
    expect(statuses()).toEqual(['success', 'cancelled', 'success']);
  });

  describe('and before it knew its build', () => {
    /** What a deploy announces while it asks for a build, as one leaves it that is killed then. */
    async function announced() {
      let text = '';
      const env = await altering(emulator, async (method, path) => {
        if (method !== 'POST' || !path.endsWith('/apps')) return undefined;
        text = await readFile(await announcement(), 'utf8');
        return undefined;
      });
      await deploy([], { env });
      return { env, content: JSON.parse(text) as Record<string, unknown> };
    }
    async function announcement(): Promise<string> {
      const paths = await readdir(home, { recursive: true });
      return join(home, paths.find((path) => /creating.*\.json$/.test(path)) ?? 'none');
    }
    async function leave(content: Record<string, unknown>): Promise<void> {
      const running = newOwnerName();
      const folder = join(home, 'state', 'creating');
      await writeFile(join(folder, `${running.replace(/^\d+/, '4194999')}.json`), JSON.stringify(content), {
        mode: 0o600,
      });
    }

    test.each([
      ['--if-busy', 'wait'],
      ['--if-busy', 'wait', '--if-changed'],
      ['--if-busy', 'fail'],
    ])('is named by the next one, which does not wait for it: %s %s %s', async (...flags) => {
      const { env, content } = await announced();
      await leave({ ...content, sentAt: Date.now() });
      const build = await create();
      await writeFile(join(app, 'main.py'), 'def run():\n    return 2\n');
      const { code, stderr } = await deploy(flags.filter(Boolean), { env });
      expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending', 'success'] });
      expect(stderr).toContain(`build ${build.slice(0, 8)} of web seems to be of a deploy from here that was killed`);
      expect(stderr).toContain(`fix gantry builds cancel web ${build}`);
      expect(stderr).not.toContain('Waited');
    });

    test('is named with another one of a second deploy that was killed', async () => {
      const { env, content } = await announced();
      for (const _ of [1, 2]) await leave({ ...content, sentAt: Date.now() });
      const builds = [await create(), await create()];
      const { code, stderr } = await deploy(['--if-busy', 'fail'], { env });
      expect([code, stderr.match(/seems to be of a deploy from here/g)]).toEqual([
        0,
        builds.map(() => expect.anything()),
      ]);
    });

    test.each<[string, (content: Record<string, unknown>) => Promise<unknown>]>([
      ['of several that may be its own', async (content) => [await leave(content), await create(), await create()]],
      ['of another app', async (content) => [await leave({ ...content, app: 'another' }), await create()]],
      [
        'of a later deploy',
        async (content) => [await leave({ ...content, sentAt: Date.now() - 90_000 }), await create()],
      ],
    ])('makes nobody take a build %s for its own', async (_, set) => {
      const { env, content } = await announced();
      await set({ ...content, sentAt: Date.now() });
      const { stderr } = await deploy(['--if-busy', 'fail'], { env });
      expect(stderr).not.toContain('seems to be');
    });
  });

  test('leaves nothing after Ctrl-C during a wait, not even with --detach', async () => {
    const other = await create();
    const { code, stderr } = await deploy(['--if-busy', 'wait', '--detach'], {
      stop: /Waiting for|Created build/,
    });
    expect(code).toBe(130);
    expect(stderr).not.toContain('continues');
    expect({ other, statuses: statuses() }).toEqual({ other, statuses: ['cancelled', 'pending'] });
  });
});

describe('a lost reply of create app', () => {
  const losing = (times: number, act: () => unknown = () => {}) => {
    let lost = 0;
    return async (method: string, path: string) => {
      if (method !== 'POST' || !path.endsWith('/apps') || lost++ >= times) return undefined;
      await act();
      return { status: 502, body: 'bad gateway' };
    };
  };

  test('cancels nothing, since the build may be somebody else’s: it is named, and a new one is created', async () => {
    const env = await altering(emulator, losing(1));
    const { code, stderr } = await deploy([], { env });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending'] });
    expect(stderr).toMatch(/build \S+ of web may be of this deploy.*fix gantry builds cancel web \S+/s);
  });

  test('leaves a build that the next one does not wait for until its upload URL expires', async () => {
    const { code, stderr } = await deploy(['--if-busy', 'wait', '--timeout', '1m'], {
      env: await altering(emulator, losing(1)),
    });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending'] });
    expect(stderr).toContain('may be of this deploy');
  });

  test('is followed by one more build at most', async () => {
    const { code } = await deploy([], { env: await altering(emulator, losing(2)) });
    expect({ code, statuses: statuses() }).toEqual({ code: 69, statuses: ['pending', 'pending'] });
  });

  test('names all builds that may be its own', async () => {
    const { code, stderr } = await deploy([], { env: await altering(emulator, losing(1, create)) });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending', 'pending'] });
    expect(stderr.match(/may be of this deploy/g)).toHaveLength(2);
  });

  test('names no build that was there before, whatever the clock of this machine says', async () => {
    const env = await aged(await create(), 60_000, losing(1));
    const { code, stderr } = await deploy([], { env, clock: { jumps: () => -3_600_000 } });
    expect({ code, statuses: statuses() }).toEqual({ code: 0, statuses: ['success', 'pending', 'pending'] });
    expect(stderr.match(/may be of this deploy/g)).toHaveLength(1);
  });
});

describe('a list of builds without times', () => {
  test('makes a deploy wait for every build that has started', async () => {
    let looks = 0;
    const env = await altering(emulator, (method, path, json) => {
      if (!isBuildList(method, path)) return undefined;
      const listed = (json as { id: string; status: string }[]).map(({ id, status }) => ({ id, status }));
      const other = { id: 'zzz', status: looks++ < 3 ? 'building' : 'success' };
      return { body: [...listed, other] };
    });
    const { code, stderr } = await deploy(['--if-busy', 'wait'], { env });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Waited .* for other builds of web/);
  });
});
