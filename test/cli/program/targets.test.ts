import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { approveTarget } from '../../../src/cli/program/approve-target.ts';
import { createContext } from '../../../src/cli/program/create-context.ts';
import { findLocalTarget } from '../../../src/cli/program/local-target.ts';
import { announce } from '../../../src/kernel/disk/index.ts';
import { GantryError } from '../../../src/kernel/errors.ts';
import { KnownSecrets } from '../../../src/kernel/output/known-secrets.ts';
import type { Io } from '../../../src/kernel/process.ts';
import { rememberFolderTarget } from '../../../src/platform/config/folder-target.ts';
import { storeSettings, useProfile } from '../../../src/platform/config/stored-files.ts';
import type { GlobalFlags } from '../../../src/platform/context.ts';
import { gantry } from '../../support/gantry.ts';

const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const ofEmulator = token({ iss: 'gantry-emulator', sub: 'emulator', project_id: 'p-12345678' });
const production = token({ sub: 'sa-1', project_id: 'p-production' });
const staging = token({ sub: 'sa-2', project_id: 'p-staging' });
const url = 'http://127.0.0.1:4100';
const emulator = {
  GANTRY_API_URL: url,
  GANTRY_INFERENCE_URL: url,
  GANTRY_LOGS_URL: url,
  GANTRY_TOKEN: ofEmulator,
  GANTRY_PROJECT: 'p-12345678',
  GANTRY_EMULATOR_SECRET: 's',
  CEREBRIUM_SERVICE_ACCOUNT_TOKEN: ofEmulator,
  CEREBRIUM_PROJECT_ID: 'p-12345678',
  REST_API_URL: url,
};
type Variables = Record<string, string>;

let home: string;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'targets-'));
  folder = join(home, 'app');
  mkdirSync(folder);
});

interface Line {
  env?: Variables;
  flags?: Partial<GlobalFlags>;
  cwd?: string;
  reads?: boolean;
}

/** What gantry says to a line before it does anything: how it ends, and what it prints. */
async function judge({ env = {}, flags = {}, cwd = folder, reads = false }: Line) {
  const stderr = new PassThrough();
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    cwd,
    env: { GANTRY_CONFIG_DIR: home, ...env },
    now: Date.now,
    elapsed: () => 0,
  } as unknown as Io;
  const given: GlobalFlags = { color: 'never', pager: false, input: true, ...flags };
  const { signal } = new AbortController();
  const command = { local: false, onlyReads: () => reads } as unknown as Command;
  const local = await findLocalTarget(command, given, io);
  const own = local ? { ...io, env: { ...io.env, ...local.variables } } : io;
  const context = createContext(own, given, { signal, interruption: {}, secrets: new KnownSecrets() }, local);
  let exitCode = 0;
  try {
    await approveTarget(command, context, [], ['deploy']);
    context.credentialFor('invocation');
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    exitCode = error.exitCode;
    stderr.write(`${error.message}\n${error.facts.fix}\n`);
  }
  return { exitCode, said: String(stderr.read() ?? '') };
}

const went = (project: string, platform = 'rest.cerebrium.ai', flags = ['-p', project], from = folder) =>
  rememberFolderTarget({ state: join(home, 'state') }, from, {
    app: 'my-app',
    project,
    platform,
    flags,
    address: platform === 'emulator' ? url : `https://${platform}`,
  });

async function profile(name: string, changes: Record<string, string>): Promise<void> {
  const settings = { folders: { config: home, state: join(home, 'state'), cache: home } };
  await storeSettings(settings, name, changes);
  await useProfile(settings, name);
}

const ci = { GANTRY_TOKEN: production };
const without = (...names: (keyof typeof emulator)[]): Variables =>
  Object.fromEntries(Object.entries(emulator).filter(([name]) => !names.some((other) => other === name)));

describe('half an environment is refused', () => {
  test.each<[string, Variables]>([
    ['no URL', without('GANTRY_API_URL', 'REST_API_URL')],
    ['an empty URL', { ...emulator, GANTRY_API_URL: '' }],
    ['only the token', { GANTRY_TOKEN: ofEmulator }],
    ['only the token, by its other name', { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: ofEmulator }],
    ['token and project', { GANTRY_TOKEN: ofEmulator, GANTRY_PROJECT: 'p-12345678' }],
    ['the token with the URL of another platform', { ...emulator, GANTRY_API_URL: 'https://rest.example.com' }],
    ['the rest of one, with the token of production', { ...without('GANTRY_API_URL'), GANTRY_TOKEN: production }],
    ['its secret beside the token of production', { ...ci, GANTRY_EMULATOR_SECRET: 's' }],
    ['only the URL for calls', { ...ci, GANTRY_INFERENCE_URL: url }],
    ['only the URL of logs', { ...ci, GANTRY_LOGS_URL: url }],
    ['another platform without its URL for calls', { ...ci, GANTRY_API_URL: 'https://rest.example.com' }],
    ['its URL without that for calls', { GANTRY_API_URL: url, GANTRY_TOKEN: ofEmulator, GANTRY_PROJECT: 'p-12345678' }],
    [
      'the token of one client with the project of the other',
      { ...ci, CEREBRIUM_SERVICE_ACCOUNT_TOKEN: staging, CEREBRIUM_PROJECT_ID: 'p-staging' },
    ],
    [
      'the URL for calls of another host',
      { ...ci, GANTRY_API_URL: 'https://rest.example.com', GANTRY_LOGS_URL: 'https://logs.example.com' },
    ],
    [
      'the platform of the official client, which has no URL for calls',
      { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production, REST_API_URL: 'https://rest.example.com' },
    ],
    ['the official variables, without their URL', without('GANTRY_API_URL', 'GANTRY_TOKEN', 'REST_API_URL')],
  ])('%s', async (_, env) => {
    const { exitCode, said } = await judge({ env });
    expect([exitCode, said]).toEqual([2, expect.stringMatching(/emulator env|GANTRY_INFERENCE_URL|GANTRY_PROJECT/)]);
  });

  test('a call of an app is refused, too', async () => {
    const nowhere = { HTTPS_PROXY: 'http://127.0.0.1:1' };
    for (const env of [{ ...ci, GANTRY_API_URL: 'https://rest.example.com' }, { GANTRY_TOKEN: ofEmulator }]) {
      const { code, stderr } = await gantry(['invoke', 'web'], { env: { ...nowhere, ...env } });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/emulator env|GANTRY_INFERENCE_URL/)]);
    }
  });

  test('a profile that has the token of an emulator needs its address beside it', async () => {
    const { GANTRY_TOKEN: _, CEREBRIUM_SERVICE_ACCOUNT_TOKEN: __, ...address } = emulator;
    writeFileSync(join(home, 'credentials.json'), JSON.stringify({ profiles: { local: { token: ofEmulator } } }), {
      mode: 0o600,
    });
    const { exitCode, said } = await judge({ flags: { profile: 'local' } });
    expect([exitCode, said]).toEqual([2, expect.stringContaining('set the address beside it')]);
    expect((await judge({ env: address, flags: { profile: 'local' } })).exitCode).toBe(0);
  });

  test('also with the login of a profile, if the project of the emulator is left', async () => {
    const env = { GANTRY_EMULATOR_SECRET: 's', CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production };
    expect((await judge({ env })).exitCode).toBe(2);
    expect((await judge({ env, flags: { project: 'p-production' } })).exitCode).toBe(0);
  });
});

describe('a folder whose app went to one target', () => {
  const elsewhere: [string, Line, string?][] = [
    ['another token', { env: { GANTRY_TOKEN: staging } }],
    ['another project in a variable', { env: { ...ci, GANTRY_PROJECT: 'p-staging' } }],
    ['another project by its official name', { env: { ...ci, CEREBRIUM_PROJECT_ID: 'p-staging' } }],
    ['the official client', { env: { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: staging, CEREBRIUM_PROJECT_ID: 'p-staging' } }],
    ['an emulator', { env: emulator }],
    [
      'another platform',
      { env: { ...ci, GANTRY_API_URL: 'https://rest.example.com', GANTRY_INFERENCE_URL: 'https://api.example.com' } },
    ],
    ['another token and --region', { env: { GANTRY_TOKEN: staging }, flags: { region: 'us-east-1' } }],
  ];

  test.each(elsewhere)('needs a yes for %s, and says what to type', async (_, line) => {
    await went('p-production');
    const { exitCode, said } = await judge(line);
    expect(exitCode).toBe(7);
    expect(said).toMatch(/^project p-\S+ \(.+\)\n/);
    expect(said).toMatch(
      /type gantry deploy --yes; for p-production \(rest\.cerebrium\.ai\), type gantry deploy -p p-production/,
    );
    const agreed = await judge({ ...line, flags: { ...line.flags, yes: true } });
    expect([agreed.exitCode, agreed.said]).toEqual([0, expect.stringMatching(/^project .*\n$/)]);
  });

  test.each(elsewhere)('notes it where a line only reads: %s', async (_, line) => {
    await went('p-production');
    const { exitCode, said } = await judge({ ...line, reads: true });
    expect([exitCode, said]).toEqual([
      0,
      expect.stringMatching(
        /^project .*; the last deploy from this folder went to p-production \(rest\.cerebrium\.ai\)\n$/,
      ),
    ]);
  });

  test.each<[string, Line]>([
    ['--project', { env: ci, flags: { project: 'p-staging' } }],
    ['--project and CI', { env: { ...ci, CI: 'true', GANTRY_PROJECT: 'p-other' }, flags: { project: 'p-staging' } }],
    ['the same target', { env: ci }],
    ['the same target in a variable', { env: { GANTRY_TOKEN: staging, GANTRY_PROJECT: 'p-production' } }],
    ['the same target through a symbolic link', { env: ci, cwd: 'link' }],
    ['a dry run', { env: { GANTRY_TOKEN: staging }, flags: { dryRun: true } }],
    ['another folder', { env: { GANTRY_TOKEN: staging }, cwd: 'worktree' }],
    ['a folder above', { env: { GANTRY_TOKEN: staging }, cwd: '.' }],
  ])('asks nothing for %s', async (_, { cwd, ...line }) => {
    await went('p-production');
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(home, 'worktree'));
    symlinkSync(folder, join(home, 'link'));
    const { exitCode, said } = await judge({ ...line, cwd: cwd === undefined ? folder : join(home, cwd) });
    expect([exitCode, said]).toEqual([0, expect.stringMatching(/^project p-\S+ \(rest\.cerebrium\.ai\)\n$/)]);
  });

  test('through a symbolic link it is the same folder', async () => {
    await went('p-production');
    symlinkSync(folder, join(home, 'link'));
    expect((await judge({ env: { GANTRY_TOKEN: staging }, cwd: join(home, 'link') })).exitCode).toBe(7);
  });

  test('needs a yes for another profile, unless it is typed', async () => {
    await went('p-production', 'rest.cerebrium.ai', ['--profile', 'live', '-p', 'p-production']);
    await profile('work', { project: 'p-staging' });
    const { exitCode, said } = await judge({ env: ci });
    expect([exitCode, said]).toEqual([7, expect.stringContaining('gantry deploy --profile live -p p-production')]);
    expect((await judge({ env: ci, flags: { profile: 'work' } })).exitCode).toBe(0);
  });

  test('an emulator of any port is the same platform', async () => {
    await went('p-12345678', 'emulator', []);
    const other = 'http://localhost:4107';
    const env = { ...emulator, GANTRY_API_URL: other, GANTRY_INFERENCE_URL: other, GANTRY_LOGS_URL: other };
    expect((await judge({ env })).exitCode).toBe(0);
    expect((await judge({ env: ci })).exitCode).toBe(7);
  });
});

describe('a folder whose app went to an emulator that variables led to', () => {
  const stored = (token: string, profile = 'default') =>
    writeFileSync(join(home, 'credentials.json'), JSON.stringify({ profiles: { [profile]: { token } } }), {
      mode: 0o600,
    });
  const here = 'project p-12345678 (emulator on port 4100)\n';
  const notTheLogin = `${here}the last deploy from this folder went there; gantry config profiles use default --here uses your login instead\n`;
  let running: ReturnType<typeof announce>;

  beforeEach(async () => {
    const emulators = { command: 'emulator start', port: 4100, url, project: 'p-12345678', folder: home, apps: [] };
    const started = { pid: process.pid, startedAt: new Date().toISOString(), environment: emulator };
    running = announce(join(home, 'state', 'emulators'), { ...emulators, ...started });
    await went('p-12345678', 'emulator', []);
  });

  afterEach(() => running.withdraw());

  test.each<[string, Line]>([
    ['in the next shell', {}],
    ['after the variables were unset', { env: { GANTRY_TOKEN: '', GANTRY_API_URL: '' } }],
    ['by -C', { cwd: '.', flags: { cwd: 'app' } }],
    ['in the same shell', { env: emulator }],
  ])('is led there %s', async (_, { cwd = 'app', ...line }) => {
    expect(await judge({ ...line, cwd: join(home, cwd) })).toEqual({ exitCode: 0, said: here });
    stored(production);
    const said = line.env?.GANTRY_TOKEN ? here : notTheLogin;
    expect(await judge({ ...line, cwd: join(home, cwd) })).toEqual({ exitCode: 0, said });
  });

  test('says where it reads, since there is a login for elsewhere', async () => {
    expect((await judge({ reads: true })).said).toBe('');
    stored(production);
    expect((await judge({ reads: true })).said).toBe(notTheLogin);
    expect((await judge({ reads: true, env: emulator })).said).toBe('');
    expect((await judge({ reads: true, flags: { project: 'p-production' } })).said).toBe('');
    await went('p-production', undefined, undefined);
    expect((await judge({ reads: true })).said).toBe('');
  });

  test('is told how to go on once it is gone', async () => {
    running.withdraw();
    expect(await judge({ reads: true })).toMatchObject({
      exitCode: 69,
      said: expect.stringMatching(/^no emulator of yours runs at .*:4100, .*\n.*gantry emulator env --port 4100;/m),
    });
    stored(production);
    const { exitCode, said } = await judge({});
    expect([exitCode, said]).toEqual([7, expect.stringMatching(/^project p-production \(rest.*\n.*port 4100\), not /)]);
    expect(await judge({ reads: true })).toMatchObject({ exitCode: 0, said: expect.stringContaining('port 4100)') });
  });

  test.each<[string, Line, string]>([
    ['a pipeline with a token', { env: ci }, 'gantry emulator env --port 4100'],
    ['a pipeline with a token and a login', { env: { CI: 'true', ...ci } }, 'gantry emulator env --port 4100'],
    [
      'the official client',
      { env: { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production } },
      'p-production (rest.cerebrium.ai)',
    ],
    ['GANTRY_PROFILE', { env: { GANTRY_PROFILE: 'default' } }, 'p-production (rest.cerebrium.ai)'],
  ])('needs a yes for %s', async (_, line, words) => {
    stored(production);
    const { exitCode, said } = await judge(line);
    expect([exitCode, said]).toEqual([7, expect.stringContaining(words)]);
  });

  test('goes to a profile that it is bound to afterwards', async () => {
    stored(production);
    await profile('default', { project: 'p-staging' });
    const env = { GANTRY_CONFIG_DIR: home };
    expect((await gantry(['config', 'profiles', 'use', 'default', '--here'], { env, cwd: folder })).code).toBe(0);
    expect(await judge({})).toEqual({ exitCode: 0, said: 'project p-staging (rest.cerebrium.ai)\n' });
  });

  test.each(['a worktree of the repository', 'the folder under a new name', 'a folder of an app with the same name'])(
    'is another one than %s',
    async (name) => {
      const other = join(home, name);
      mkdirSync(other);
      expect((await judge({ cwd: other })).exitCode).toBe(4);
      stored(production);
      expect(await judge({ cwd: other })).toEqual({ exitCode: 0, said: 'project p-production (rest.cerebrium.ai)\n' });
      await went('p-production', undefined, undefined, other);
      expect((await judge({})).said).toBe(notTheLogin);
      expect((await judge({ cwd: other, env: emulator })).exitCode).toBe(7);
    },
  );

  test('is not led away by -p under GANTRY_PROFILE: the line and its profile are named', async () => {
    stored(staging, 'work');
    await profile('work', { project: 'p-work' });
    const env = { GANTRY_PROFILE: 'work' };
    expect(await judge({ env, flags: { project: 'p-x' } })).toEqual({
      exitCode: 0,
      said: 'project p-x (rest.cerebrium.ai)\n',
    });
    expect((await judge({ env })).exitCode).toBe(7);
  });

  test('is told whose token has expired', async () => {
    const expired = token({ sub: 'sa-1', project_id: 'p-production', exp: 1 });
    for (const address of [
      {},
      { GANTRY_API_URL: 'https://rest.example.com', GANTRY_INFERENCE_URL: 'https://x.example.com' },
    ]) {
      const { exitCode, said } = await judge({ env: { GANTRY_TOKEN: expired, ...address }, flags: { yes: true } });
      expect([exitCode, said]).toEqual([4, expect.stringMatching(/expired/)]);
    }
  });
});

describe('a pipeline on a fresh machine', () => {
  const environments: [string, Variables][] = [
    ['a token', ci],
    ['a token and a project', { ...ci, GANTRY_PROJECT: 'p-production' }],
    ['an opaque token', { GANTRY_TOKEN: 'opaque', GANTRY_PROJECT: 'p-production' }],
    ['an empty URL', { ...ci, GANTRY_API_URL: '', GANTRY_INFERENCE_URL: '' }],
    ['the official client', { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production }],
    [
      'the official client and a project',
      { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production, CEREBRIUM_PROJECT_ID: 'p-production' },
    ],
    ['our token, the official project', { ...ci, CEREBRIUM_PROJECT_ID: 'p-production' }],
    ['both tokens', { ...ci, CEREBRIUM_SERVICE_ACCOUNT_TOKEN: production, CEREBRIUM_PROJECT_ID: 'p-production' }],
    [
      'both tokens, two projects',
      {
        ...ci,
        GANTRY_PROJECT: 'p-production',
        CEREBRIUM_SERVICE_ACCOUNT_TOKEN: staging,
        CEREBRIUM_PROJECT_ID: 'p-staging',
      },
    ],
    ['an emulator', emulator],
    [
      'an emulator, started by hand',
      without('GANTRY_EMULATOR_SECRET', 'CEREBRIUM_PROJECT_ID', 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN'),
    ],
    ['the URL of the platform', { ...ci, GANTRY_API_URL: 'https://rest.cerebrium.ai/' }],
    [
      'another platform',
      { ...ci, GANTRY_API_URL: 'https://rest.example.com', GANTRY_INFERENCE_URL: 'https://api.example.com' },
    ],
    ['a variable of another program', { ...ci, REST_API_URL: 'http://localhost:3000' }],
  ];
  const flags: Partial<GlobalFlags>[] = [
    {},
    { yes: true },
    { input: false },
    { project: 'p-staging' },
    { project: 'p-staging', yes: true },
    { region: 'us-east-1' },
    { quiet: true },
    { dryRun: true },
  ];
  const systems: Variables[] = [{ CI: 'true' }, { CI: '1', GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main' }];

  test('is asked nothing new, with any flags', async () => {
    let lines = 0;
    for (const [name, env] of environments) {
      for (const given of flags) {
        for (const system of systems) {
          lines += 1;
          const { exitCode, said } = await judge({ env: { ...env, ...system }, flags: given });
          expect([name, exitCode]).toEqual([name, 0]);
          expect(said).toMatch(given.quiet ? /^$/ : /^project p-\S+ \([^()]+\)\n$/);
        }
      }
    }
    expect(lines).toBeGreaterThanOrEqual(200);
  });

  test.each(systems)('that sets GANTRY_PROJECT for a step is asked nothing, and told: %o', async (system) => {
    await went('p-staging');
    const { exitCode, said } = await judge({ env: { ...ci, ...system, GANTRY_PROJECT: 'p-production' } });
    expect([exitCode, said]).toEqual([0, expect.stringMatching(/p-production .*the last deploy .* went to p-staging/)]);
  });

  test('that deploys to staging and then to production by flags is asked nothing', async () => {
    for (const project of ['p-staging', 'p-production', 'p-staging']) {
      expect((await judge({ env: ci, flags: { project } })).exitCode).toBe(0);
      await went(project);
    }
  });
});
