import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { version } from '../../src/kernel/version.ts';
import { altering, emulatorForEach, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let app: string;
let plan: string;
let env: Record<string, string>;
/** Called before and after each request of gantry reaches the platform. */
let before: (method: string, path: string) => unknown;
let after: (method: string, path: string) => unknown;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  app = newFolder({
    ...smallApp(),
    'cerebrium.toml': `${smallApp()['cerebrium.toml']}[cerebrium.scaling]\ncooldown = 90\n`,
  });
  plan = `${app}-plan.json`;
  before = () => {};
  after = () => {};
  // Uploads go through it as well.
  const alter = async (method: string, path: string, json: unknown) => {
    await after(method, path);
    const { uploadUrl } = (json ?? {}) as { uploadUrl?: string };
    if (!uploadUrl) return undefined;
    return { body: { ...(json as object), uploadUrl: uploadUrl.replace(emulator.url, env.GANTRY_API_URL ?? '') } };
  };
  env = await altering(emulator, alter, async (method, path) => {
    await before(method, path);
    return undefined;
  });
});

afterEach(async () => {
  await rm(plan, { force: true });
});

const run = (words: string[], setting: Setting = {}) => gantry(words, { emulator, cwd: app, env, ...setting });
const makePlan = () => run(['deploy', '--dry-run', '--save-plan', plan]);
const apply = (setting: Setting = {}, ...flags: string[]) => run(['deploy', '--apply-plan', plan, ...flags], setting);

/** The settings of the file. */
const own = { name: 'web', runtime: 'cortex', disableAuth: false, cooldownPeriodSeconds: 90, cliVersion: version };

/** What somebody else does to the app, without a file of ours. */
const others = {
  create: (body: object = {}) => call('POST', '', { ...own, ...body }),
  scale: (body: object) => call('PATCH', `/${emulator.project}-web`, body),
  remove: () => call('DELETE', `/${emulator.project}-web`),
};

async function call(method: string, path: string, body?: object): Promise<{ uploadUrl: string; buildId: string }> {
  const reply = await fetch(`${emulator.url}/v2/projects/${emulator.project}/apps${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok && reply.status !== 404) throw new Error(text);
  return text.startsWith('{') ? JSON.parse(text) : { uploadUrl: '', buildId: '' };
}

/** Builds of the app that got an upload. */
function started(): string[] {
  const builds = emulator.store.getAppBuilds(`${emulator.project}-web`);
  return builds.filter(({ startedAt }) => startedAt !== undefined).map(({ id }) => id);
}

describe('a plan', () => {
  test('is compared again once the build was created, right before the upload', async () => {
    await run(['deploy']);
    await makePlan();
    const deployed = started();
    after = (method, path) => method === 'POST' && path.endsWith('/apps') && others.scale({ maxReplicaCount: 7 });
    const { code, stderr } = await apply();
    expect({ code, started: started() }).toEqual({ code: 7, started: deployed });
    expect(stderr).toContain('not as planned: deployed max_replicas');
    expect(stderr).toMatch(/canceled build \S+/);
  });

  test('does not hold while a build is in progress that it does not know', async () => {
    await run(['deploy']);
    await makePlan();
    const { buildId } = await others.create();
    expect(await apply()).toExit(7, `not as planned: build ${buildId.slice(0, 8)} in progress`);
  });

  test('does not hold after a wait in which another build went live', async () => {
    await run(['deploy']);
    await makePlan();
    const { uploadUrl, buildId } = await others.create();
    const { bytes } = await run(['deploy', '--dry-run', '--output', '-']);
    let waits = 0;
    const meanwhile = async () => {
      if (waits++ > 0) return;
      expect(await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) })).toMatchObject({ status: 200 });
    };
    expect(await apply({ meanwhile }, '--if-busy', 'wait')).toExit(7, 'not as planned: the live build');
    expect(started()[0]).toBe(buildId);
  });

  test('holds although our own create app resets what was scaled by hand', async () => {
    await run(['deploy']);
    await run(['apps', 'scale', 'web', '--cooldown', '5s', '--max-replicas', '7']);
    await makePlan();
    expect(await apply()).toMatchObject({ code: 0 });
  });
});
