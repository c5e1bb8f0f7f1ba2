import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, keys, newFolder, type Setting, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

describe('under GitHub Actions', () => {
  async function deployIn(
    app: string,
    more: Record<string, string> = {},
    words: string[] = [],
    setting: Partial<Setting> = {},
  ) {
    const [output, summary] = [join(app, '.output'), join(app, '.summary')];
    await Promise.all([writeFile(output, ''), writeFile(summary, '')]);
    const env = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, ...more };
    const outcome = await gantry(['deploy', ...words], { emulator, cwd: app, env, ...setting });
    const [outputs, summaryText] = await Promise.all([readFile(output, 'utf8'), readFile(summary, 'utf8')]);
    return { ...outcome, outputs, summary: summaryText };
  }

  test('writes outputs and a summary', async () => {
    const { outputs, summary } = await deployIn(newFolder(smallApp()));
    const names = outputs
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(['app', 'build-id', 'status', 'build-status', 'endpoint', 'dashboard-url']);
    expect(outputs).toContain(`endpoint=${emulator.url}/v4/${emulator.project}/web\n`);
    expect(summary).toContain('### Deploy of web');
  });

  test('annotates with paths from the root of the workspace', async () => {
    const root = newFolder({
      'bad/cerebrium.toml': '[cerebrium.deployment]\nname = 5\n',
      'bad/main.py': '',
    });
    const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: root };
    const bad = join(root, 'bad');
    for (const [words, cwd] of [
      [['check', '-C', 'bad'], root],
      [['check'], bad],
      [['deploy', '--cwd', bad], root],
      [['check', 'bad/cerebrium.toml'], root],
    ] as const) {
      const { stderr } = await gantry([...words], { emulator, cwd, env });
      expect(stderr).toMatch(/^::error file=bad\/cerebrium\.toml,line=2,col=\d+::/m);
    }
  });

  test('says in summary and annotation why a build failed, with the end of its log and the link', async () => {
    emulator.fail('build', 'build_failure');
    const { summary, outputs, stderr, code } = await deployIn(newFolder(smallApp()));
    expect(code).toBe(11);
    expect(summary).toMatch(/\| error \| build \S+ of web failed \(build_failure\) \|/);
    expect(summary).toMatch(/\| reason \| .+ \|/);
    expect(summary).toMatch(/\| dashboard \| http.+ \|/);
    expect(summary).toMatch(/End of the log:\n\n {4}\S/);
    expect(outputs).toMatch(/build-id=\S+\nstatus=build_failure\n[\s\S]*dashboard-url=http.+\n/);
    expect(stderr).toMatch(/^::error::build \S+ of web failed/m);
  });

  test('marks the line to change, and says how, of a build whose cause is known', async () => {
    const config = '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\nshell_commands = ["exit 3"]\n';
    const { summary, stderr } = await deployIn(newFolder({ ...smallApp(), 'cerebrium.toml': config }));
    const cause = 'a command of the build failed, exit code 3';
    const line = new RegExp(
      `^::error file=cerebrium\\.toml,line=4,col=18::build .+ failed .+: ${cause}.+\\. Fix: run it`,
      'm',
    );
    expect(stderr).toMatch(line);
    expect(summary).toMatch(new RegExp(`\\| reason \\| ${cause}.+\n\\| fix \\| run it`));
  });

  test('annotates that nothing was sent, and why', async () => {
    const app = newFolder(smallApp());
    await deployIn(app);
    await gantry(['apps', 'scale', 'web', '--max-replicas', '7'], { emulator });
    const { stderr, code, summary, outputs } = await deployIn(app, {}, ['--fail-on-drift']);
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^::error::the deployed settings of web differ/m)]);
    expect(summary).toMatch(/### Deploy of web\n[\s\S]*\| error \| the deployed settings of web differ.*\n\| fix \| /);
    expect(outputs).toContain('app=web\nbuild-id=\nstatus=failed\n');
  });

  const config = '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n';

  test.each([
    ['its files', 'web', { 'requirements.txt': '', 'cerebrium.toml': `${config}include = ["*.txt"]\n` }],
    ['its settings', 'web', { 'cerebrium.toml': `${config}include = 5\n` }],
    ['its config file', '', { 'cerebrium.toml': 'name = = 5' }],
  ])('tells that an app was refused for %s', async (_, name, files) => {
    const { code, summary, outputs } = await deployIn(newFolder({ ...smallApp(), ...files }));
    expect([code, outputs]).toEqual([10, expect.stringContaining(`app=${name}\nbuild-id=\nstatus=failed\n`)]);
    expect(summary).toMatch(new RegExp(`^### Deploy of ${name}\n[\\s\\S]*\\| error \\| .+`));
  });

  test('neutralizes workflow commands in the log', async () => {
    emulator.fail('build', 'hostile-log');
    const { stderr } = await deployIn(newFolder(smallApp()));
    expect(stderr).toContain('not from us');
    expect(stderr).not.toMatch(/^\s*::/m);
  });

  /** What the platform does not do, although it says so; and what becomes of the build. */
  const noCancel = (method: string, path: string) =>
    method === 'DELETE' && path.includes('/builds/') ? { body: 'Build cancelled' } : undefined;

  test.each<[string, { words: string[]; at: RegExp; slow?: true; noCancel?: true }, string, string, RegExp]>([
    [
      'while it is watched',
      { words: ['--smoke', 'run={"name":"Ada"}', '--watch', '10s'], at: /answered/ },
      'interrupted',
      'succeeded',
      /serves build/,
    ],
    ['while it is built', { words: [], at: /Uploaded/, slow: true }, 'canceled', 'canceled', /canceling build/],
    [
      'in vain',
      { words: [], at: /Uploaded/, slow: true, noCancel: true },
      'interrupted',
      '(building|pending)',
      /may not be canceled/,
    ],
  ])('tells what is known of a build that was interrupted %s', async (_, { words, at, ...of }, status, built, said) => {
    const app = newFolder(smallApp());
    if (of.slow) emulator.fail('build', 'slow');
    const env = of.noCancel ? await altering(emulator, () => undefined, noCancel) : {};
    const stop = { stop: { at, signal: 'SIGTERM' as const } };
    const { code, outputs, summary, stderr, json } = await deployIn(app, env, [...words, '--json'], stop);
    expect(code).toBe(143);
    expect(outputs).toMatch(new RegExp(`build-id=\\S+\nstatus=${status}\nbuild-status=${built}\n`));
    expect(summary).toMatch(new RegExp(`\\| status \\| ${status} \\|\n\\| error \\| interrupted`));
    const build = /build-id=(\S+)/.exec(outputs)?.[1];
    const { details } = (json() as { error: { details: object } }).error;
    expect(details).toMatchObject({ app: 'web', build, status: expect.stringMatching(built) });
    expect(stderr).toMatch(said);
  });

  test.each<[string, string, RegExp]>([
    ['a rejected upload', 'upload=403*', /build-id=\S+\nstatus=canceled\n/],
    ['a lost reply', 'createApp=reset-after*', /build-id=\S*\nstatus=unknown\n/],
  ])('tells what is known of a build after %s', async (_, fault, outputs) => {
    const [target = '', mode = ''] = fault.split('=');
    emulator.fail(target as never, mode);
    const outcome = await deployIn(newFolder(smallApp()));
    expect(outcome.code).not.toBe(0);
    expect(outcome.outputs).toMatch(outputs);
  });

  test('can be turned off', async () => {
    const { outputs, summary } = await deployIn(newFolder(smallApp()), { GANTRY_CI_OUTPUT: '0' });
    expect(outputs + summary).toBe('');
  });
});

describe('a CI system with a terminal', () => {
  test.each<[value: string, code: number, asks: boolean]>([
    ['true', 0, false],
    ['1', 0, false],
    ['false', 130, true],
  ])('with CI=%s', async (value, code, asks) => {
    const outcome = await gantry(['deploy'], {
      emulator,
      cwd: newFolder(smallApp()),
      columns: 80,
      stdin: keys('n\r'),
      env: { CI: value },
    });
    expect([outcome.code, outcome.stderr.includes('Deploy?')]).toEqual([code, asks]);
  });
});

describe('a registry login', () => {
  const auth = (user: string) => Buffer.from(`${user}:secret`).toString('base64');
  const docker = JSON.stringify({ auths: { 'ghcr.io': { auth: auth('me') }, 'quay.io': { auth: auth('you') } } });

  const config = '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n';

  test.each<[string, Record<string, string>, registry: string | undefined, user: string]>([
    [
      'the base image',
      { ...smallApp(), 'cerebrium.toml': `${config}docker_base_image_url = "ghcr.io/me/base:1"\n` },
      'ghcr.io',
      'me',
    ],
    [
      'the base images of a Dockerfile',
      {
        'cerebrium.toml': `${config}[cerebrium.runtime.custom]\nport = 80\ndockerfile_path = "Dockerfile"\n`,
        Dockerfile: 'FROM quay.io/you/base AS base\nFROM base\n',
      },
      'quay.io',
      'you',
    ],
    ['a public image', smallApp(), undefined, 'me'],
  ])('is sent only for the registry of %s, with a note', async (_, files, registry, user) => {
    const cwd = newFolder({ ...files, '.docker/config.json': docker });
    const { stderr } = await gantry(['deploy'], { emulator, cwd, env: { DOCKER_CONFIG: join(cwd, '.docker') } });
    const { body } = emulator.calls.find(({ endpoint }) => endpoint === 'createApp') ?? {};
    const { dockerAuth } = body as Record<string, string>;
    const sent = registry && { auths: { [registry]: { auth: auth(user) } } };
    expect(dockerAuth && JSON.parse(dockerAuth)).toEqual(sent);
    expect(/sending the login for (\w+\.io)/.exec(stderr)?.[1]).toBe(registry);
    expect(stderr).not.toContain(auth(user));
  });
});

test('on a terminal shows the plan, and Enter means yes', async () => {
  const app = newFolder(smallApp());
  const outcome = await gantry(['deploy'], { emulator, cwd: app, columns: 80, stdin: keys('\r') });
  expect(outcome).toExit(0, 'a new app', 'runs on CPU');
});
