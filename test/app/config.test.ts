import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAppConfig, loadAppConfig } from '../../src/app/config.ts';
import { gantryCommand } from '../../src/kernel/command-line.ts';
import { ProjectError } from '../../src/kernel/errors.ts';
import { newFolder } from '../support/files.ts';
import { check, line, lines } from './config-folder.ts';

const realworld = new URL('../../fixtures/realworld/', import.meta.url).pathname;
/** Stand-ins for the sources of the real apps. */
const sources = { 'main.py': '', 'app/main.py': '', Dockerfile: '' };

describe('files that real users deploy', () => {
  const broken = 'integrations_1-langchain-QA.toml';
  /** True alarms; every other file has none. */
  const alarms: Record<string, string[]> = {
    'voice_2-realtime-voice-agent_pipecat-agent.toml': ['warning 17:13 gpu_count is ignored -> gpu_count = 0'],
    [broken]: ['error 22:10 unterminated string -> pytube = "latest" # For audio downloading'],
  };

  /** These say that they are public, or have a broken line. */
  const decided = ['embeddings_1-high-throughput.toml', 'voice_12-realtime-livekit_deepgram.toml', broken];

  test.each(readdirSync(realworld))('%s', async (name) => {
    const { config, problems } = await check(readFileSync(join(realworld, name), 'utf8'), sources);
    expect(lines(problems)).toEqual(alarms[name] ?? []);
    expect(problems.length - lines(problems).length).toBe(decided.includes(name) ? 0 : 1);
    expect(config === undefined).toBe(name.includes('langchain'));
  });

  test('are ten files', () => expect(readdirSync(realworld)).toHaveLength(10));
});

test('a project has the values of the file, under the names of the file', async () => {
  const text = `[cerebrium.deployment]
name = "web"
disable_auth = false
shell_commands = ["", "ls"]
[cerebrium.hardware]
compute = "AMPERE_A10"
gpu_count = 2
memory = 8
[cerebrium.scaling]
min_replicas = 0
[cerebrium.runtime]
container_runtime = "v2"
[cerebrium.runtime.custom]
entrypoint = "uvicorn main:app --log-config 'my log.ini'"
healthcheck_endpoint = "/health"
[cerebrium.dependencies]
pip = { PyYAML = "==6.0", "infinity-emb[all]" = "", "zope.interface" = "~=5.0" }
[cerebrium.dependencies.paths]
apt = "main.py"
[cerebrium.experimental]
checkpointing = true
`;
  const root = newFolder({ 'cerebrium.toml': text, 'main.py': '' });
  const file = join(root, 'cerebrium.toml');
  expect(await loadAppConfig(file)).toEqual({
    warnings: [],
    config: {
      file,
      root,
      text,
      name: 'web',
      runtime: 'custom',
      container_runtime: 'v2',
      deployment: { name: 'web', disable_auth: false, shell_commands: ['ls'] },
      hardware: { compute: ['AMPERE_A10'], gpu_count: 2, memory: 8 },
      scaling: { min_replicas: 0 },
      custom: {
        entrypoint: ['uvicorn', 'main:app', '--log-config', 'my log.ini'],
        healthcheck_endpoint: '/health',
      },
      dependencies: {
        pip: { PyYAML: '==6.0', 'infinity-emb[all]': '', 'zope.interface': '~=5.0' },
        conda: {},
        apt: {},
        paths: { apt: 'main.py' },
      },
      experimental: { checkpointing: true },
    },
  });
});

test('a partner needs no code', async () => {
  const { config } = await check('[cerebrium]\ndeployment.name = "a"\nruntime.rime.model_name = "mist"', {});
  expect(config).toMatchObject({ runtime: 'rime', partner: { model_name: 'mist' } });
  expect(config?.custom).toBeUndefined();
});

test('omits values that the platform would ignore', async () => {
  const { config } = await check(
    '[cerebrium.deployment]\nname = "a"\ninclude = []\nexclude = []\n[cerebrium.hardware]\ncompute = "CPU"\ngpu_count = 1',
  );
  expect(config?.deployment).toEqual({ name: 'a' });
  expect(config?.hardware).toEqual({ compute: ['CPU'] });
});

test('reports all problems at once, in the order of the file', async () => {
  const { problems, config } = await check(
    `[cerebrium.scaling]
cooldown = 5000
min_replicas = "1"
max_replicas = "2"
[cerebrium.deployment]
name = ""
nam = "x"
python_version = 3.10
`,
    {},
  );
  expect(config).toBeUndefined();
  expect(problems.map((problem) => line(problem).split(' ', 2).join(' '))).toEqual([
    ...['warning 2:12', 'error 3:16', 'error 4:16', 'error 6:8', 'warning 7:1', 'error 8:18'],
    'error main.py',
    'warning this',
  ]);
});

test('limits the problems of a file with ten thousand mistakes to a few hundred', async () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `k${index} = 1`).join('\n');
  const { problems } = await check(`[cerebrium.deployment]\n${keys}`);
  expect(problems.length).toBeLessThan(600);
  expect(problems.map(line)).toContain('warning 9502 more problems are not shown');
  expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
});

describe('loading', () => {
  test('throws one error as itself', async () => {
    const root = newFolder({
      'a.toml': '[cerebrium.deployment]\nname = ""\ndisable_auth = true\nexclude = []',
      'main.py': '',
      '.local': '',
    });
    const failure = await loadAppConfig(join(root, 'a.toml'), { shownAs: 'a.toml' }).catch((error) => error);
    expect(failure).toBeInstanceOf(ProjectError);
    expect(failure.message).toBe('the app name is empty');
    expect(failure.facts).toMatchObject({
      fix: expect.stringMatching(/^name = "/),
      location: { file: 'a.toml', line: 2 },
    });
    expect(failure.problems.map(line)).toHaveLength(2);
  });

  test('throws several errors as a count', async () => {
    const root = newFolder({ 'a.toml': '[cerebrium.deployment]\nname = ""' });
    await expect(loadAppConfig(join(root, 'a.toml'), { shownAs: 'a.toml' })).rejects.toThrow('a.toml has 2 errors');
  });

  test('shows a path from the working directory', async () => {
    const [problem] = (await checkAppConfig('no/such/cerebrium.toml')).problems;
    expect(problem).toMatchObject({ message: 'no/such/cerebrium.toml not found', fix: gantryCommand`init` });
  });
});

describe('an invalid config file', () => {
  test.each([
    ['is missing', {}, 'error f not found'],
    ['is a folder', { 'f/x': '' }, 'error f is a folder -> f/cerebrium.toml'],
    ['is too large', { f: '#'.repeat(1024 * 1024 + 1) }, 'error f is too large'],
    [
      'is not text',
      { f: Buffer.from('name = 1\nx = "\xff"', 'latin1') },
      'error 2:6 f is not valid UTF-8 -> save the file as UTF-8',
    ],
    [
      'is UTF-16',
      { f: Buffer.from('\ufeffname = 1', 'utf16le') },
      'error f is not valid UTF-8 -> save the file as UTF-8',
    ],
  ])('%s', async (_, files: Record<string, string | Uint8Array>, problem) => {
    const root = newFolder(files);
    const { problems } = await checkAppConfig(join(root, 'f'), { shownAs: 'f' });
    expect(problems.map(line)).toEqual([problem]);
  });

  test('has no [cerebrium]', async () => {
    const told = async (text: string) => (await check(text)).problems.map(line);
    const nothing = '[cerebrium] not found in this file -> [cerebrium.deployment]\nname = "my-app"';
    expect(await told('')).toEqual([`error 1:1 ${nothing}`]);
    expect(await told('[tool]')).toEqual([`error 1:1 ${nothing}`, 'warning 1:1 tool is ignored']);
    expect(await told('[cerebrum.deployment]\nname = "a"')).toEqual([
      'error 1:1 cerebrum is ignored: did you mean cerebrium?',
    ]);
    expect(await told('cerebrium = 1')).toEqual([
      'error 1:13 cerebrium must be a section, got a number -> [cerebrium.deployment]',
    ]);
    expect(await told('[deployment]\nname = "a"\n[runtime.custom]\nport = 1')).toEqual([
      'error 1:1 [deployment] is ignored: did you mean [cerebrium.deployment]? -> [cerebrium.deployment]',
      'error 3:1 [runtime.custom] is ignored: did you mean [cerebrium.runtime.custom]? -> [cerebrium.runtime.custom]',
    ]);
  });
});
