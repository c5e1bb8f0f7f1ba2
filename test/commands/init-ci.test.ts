import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { releaseNames, version } from '../../src/kernel/version.ts';
import { ciSystems, pipelineFor } from '../../src/local/ci/index.ts';
import { filesIn, gantry, machine, newFolder, repositoryOf } from '../support/index.ts';

const app = '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n';

const packed = `.gantry/gantry-${version}.tgz`;

const files = {
  github: '.github/workflows/gantry.yml',
  gitlab: '.gitlab-ci.yml',
};

test.each(ciSystems)('init --ci %s writes a pipeline that checks, plans and deploys', async (system) => {
  // What is there stays: npm packs for a second.
  const place = newFolder({ [packed]: 'mine' });
  const { code, stdout } = await gantry(['init', 'my apps/web', '--ci', system], { cwd: place });
  const file = files[system].replace('gantry.yml', 'gantry-my-apps-web.yml');
  expect([code, stdout]).toEqual([0, `my apps/web/cerebrium.toml\nmy apps/web/main.py\n${file}\n`]);
  expect(readFileSync(join(place, packed), 'utf8')).toBe('mine');
  const text = readFileSync(join(place, file), 'utf8');
  const commands = textsIn(load(text));
  const at = "-C 'my apps/web'";
  const plan = `test -z "$GANTRY_TOKEN" || gantry deploy ${at} --dry-run --detailed-exit-code --save-plan gantry-plan.json || [ $? -eq 3 ]`;
  expect(commands).toContain(`npm install --global --ignore-scripts --offline ./${packed}`);
  const app = { folder: '.', branch: 'main', repository: 'shop', verification: [] };
  const published = pipelineFor(system, app, { ...releaseNames, npm: '@ada/gantry' }).text;
  expect(published).toContain(`npm install --global --ignore-scripts @ada/gantry@${version}`);
  expect(published).toContain('gantry check --strict');
  expect(commands).toContain(`gantry check ${at} --strict`);
  expect(commands).toContain(plan);
  const deploy = `gantry deploy ${at} --if-changed --if-busy wait --smoke run --watch 2m --or-rollback`;
  expect(commands).toContain(system === 'gitlab' ? `endpoint=$(${deploy})` : deploy);
  expect(commands).toContain(`gantry apps prune ${at} --expired --confirm ${basename(place)}`);
  const preview = `test -z "$GANTRY_TOKEN" || gantry deploy ${at} --preview --ttl 7d --if-changed --if-busy wait`;
  expect(commands).toContain(preview);
  expect(commands).toContain('default:/.gantry');
  expect(text).toContain('GANTRY_TOKEN');
});

test('above the apps of a repository, init --ci makes no app of it, and names one of them', async () => {
  const place = newFolder({ 'apps/orders/cerebrium.toml': app, 'apps/web/cerebrium.toml': app });
  const refused = await gantry(['init', '--ci', 'github'], { cwd: place });
  expect(refused).toExit(2, 'why there are apps in apps/orders, apps/web\n  fix gantry init apps/orders --ci github\n');
  expect(filesIn(place)).toEqual(['apps/orders/cerebrium.toml', 'apps/web/cerebrium.toml']);
  const { code, stdout } = await gantry(['init', 'apps/orders', '--ci', 'github', '--print'], { cwd: place });
  expect([code, stdout]).toEqual([0, expect.stringContaining('gantry deploy -C apps/orders --if-changed')]);
});

test('init --ci gitlab has jobs and environments of other names for another app', async () => {
  const place = newFolder({ 'apps/orders/cerebrium.toml': app, 'apps/web/cerebrium.toml': app });
  const jobsOf = async (folder: string) => {
    const { stdout } = await gantry(['init', folder, '--ci', 'gitlab', '--print'], { cwd: place });
    const { variables: _, default: __, ...jobs } = load(stdout) as Record<string, GitlabJob>;
    const names = Object.values(jobs).flatMap(({ environment = {}, resource_group }) => [
      environment.name,
      environment.on_stop,
      resource_group,
    ]);
    return { jobs: Object.keys(jobs), names: names.filter(Boolean) };
  };
  const [orders, web] = [await jobsOf('apps/orders'), await jobsOf('apps/web')];
  expect(orders.jobs).toEqual(['check', 'preview', 'end-preview', 'deploy'].map((name) => `${name}-apps-orders`));
  expect(orders.jobs).toContain(orders.names.find((name) => name?.startsWith('end-')));
  const all = [...orders.jobs, ...orders.names];
  expect([...web.jobs, ...web.names].filter((name) => all.includes(name))).toEqual([]);
});

interface GitlabJob {
  environment?: { name?: string; on_stop?: string };
  resource_group?: string;
}

test('init --ci github names each action by its commit', async () => {
  const { stdout } = await gantry(['init', 'web', '--ci', 'github', '--print']);
  const used = stdout.match(/uses: .*/g) ?? [];
  expect(used.filter((line) => !/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d/.test(line))).toEqual([]);
  expect(used.join()).toMatch(/checkout.*setup-node.*upload-artifact/);
});

test.each([
  [
    'a function that can be called as it is',
    { 'main.py': 'def predict(n=1):\n    return n\n' },
    '--smoke predict --watch',
  ],
  [
    'a health check',
    {
      'cerebrium.toml': `${app}[cerebrium.runtime.custom]\nentrypoint = "x"\nport = 80\nhealthcheck_endpoint = "/live"\n`,
    },
    '--smoke /live --watch',
  ],
  ['arguments that only its author knows', { 'main.py': 'def run(prompt):\n    return prompt\n' }, 'wait\n'],
  [
    'these, and a replica that is always there',
    {
      'cerebrium.toml': `${app}[cerebrium.scaling]\nmin_replicas = 1\n`,
      'main.py': 'def run(prompt):\n    return prompt\n',
    },
    'wait --watch',
  ],
])('init --ci looks in the app for the call of --smoke: %s', async (_, files, expected) => {
  const place = newFolder({ 'cerebrium.toml': app, 'main.py': '', ...files });
  const { code, stdout } = await gantry(['init', '--ci', 'github', '--print'], { cwd: place });
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`--if-changed --if-busy ${expected.startsWith('--') ? `wait ${expected}` : expected}`),
  ]);
  expect(stdout.includes('add a call of it')).toBe(expected === 'wait\n');
});

test('init --ci in a folder of a repository writes to its root, for its branch, and says what git ignores', async () => {
  const file = '.github/workflows/gantry-apps-web.yml';
  const place = repositoryOf({
    '.gitignore': '*.tgz\n',
    'apps/web/cerebrium.toml': app,
    'apps/web/main.py': 'def run(x): pass\n',
  });
  place.git('branch', '--move', 'release/1');
  const { stdout, stderr } = await gantry(['init', '--ci', 'github'], {
    cwd: join(place.path, 'apps/web'),
    env: machine(),
  });
  expect(stdout).toBe(`../../${file}\n../../${packed}\n`);
  expect(readFileSync(join(place.path, packed)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  const pipeline = load(readFileSync(join(place.path, file), 'utf8'));
  expect(pipeline).toMatchObject({
    name: 'gantry-apps-web',
    concurrency: expect.stringMatching(/^gantry-apps-web-/),
    on: { push: { branches: ['release/1'], paths: ['apps/web/**', file] } },
  });
  expect(textsIn(pipeline)).toContain('gantry check -C apps/web --strict');
  expect(stderr).toContain('add a call of it: --smoke');
  expect(stderr).toContain(`git ignores ${packed}: git add --force ${packed}`);
});

test('init --ci github has a deployment for GitHub, and one comment with the address of the preview', async () => {
  const place = newFolder({ gh: fakeGh });
  const { jobs } = load((await gantry(['init', '--ci', 'github', '--print'], { cwd: place })).stdout) as Workflow;
  expect(jobs.deploy?.environment?.url).toContain('steps.deploy.outputs.endpoint');
  expect([jobs.deploy?.permissions, jobs.preview?.permissions]).toEqual([
    undefined,
    { contents: 'read', 'pull-requests': 'write' },
  ]);
  const { run = '', env = {} } = jobs.preview?.steps.find((step) => step.env?.GH_TOKEN) ?? {};
  const comment = (TEXT: string) => {
    const variables = { ...env, COMMENTS: 'repos/a/b/issues/1/comments', GITHUB_REPOSITORY: 'a/b', TEXT };
    const setting = { cwd: place, env: { ...machine(variables), PATH: `${place}:${machine().PATH}` } };
    execFileSync('bash', ['-e', '-c', `chmod +x gh; ${run}`], setting);
  };
  for (const text of ['first', 'second']) comment(text);
  expect(readFileSync(join(place, 'asked'), 'utf8').split('\n')).toEqual([
    'api --silent repos/a/b/issues/1/comments -f body=<!-- gantry . --> first',
    'api --silent -X PATCH repos/a/b/issues/comments/7 -f body=<!-- gantry . --> second',
    '',
  ]);
});

/** Has the comment 7 once one was made. */
const fakeGh = `#!/bin/sh
case "$*" in *--jq*) test ! -e asked || echo 7;; *) echo "$*" >> asked;; esac
`;

interface Job {
  environment?: { url: string };
  permissions?: object;
  steps: { run?: string; env?: Record<string, string> }[];
}
type Workflow = { jobs: Partial<Record<string, Job>> };

test('init --ci changes nothing the second time, and never another file', async () => {
  const place = newFolder({ '.gitlab-ci.yml': 'mine: {}\n', [packed]: 'mine' });
  const init = (...words: string[]) => gantry(['init', '--ci', ...words], { cwd: place });
  const section = 'Settings > Secrets and variables > Actions';
  const next = `next: set the secret GANTRY_TOKEN and the variable GANTRY_PROJECT in ${section}, and commit ${files.github} and ${packed}`;
  for (const paths of [['cerebrium.toml', 'main.py', files.github], []]) {
    const { json, stderr } = await init('github', '--json');
    const toSet = [{ name: 'GANTRY_TOKEN', kind: 'secret', section }, { name: 'GANTRY_PROJECT' }];
    expect(json()).toMatchObject({ paths, toSet, toCommit: [files.github, packed] });
    expect(stderr.replace(/\s+/g, ' ')).toContain(next);
  }
  expect(await init('gitlab')).toExit(7, 'gantry init . --ci gitlab --print');
  expect(readFileSync(join(place, '.gitlab-ci.yml'), 'utf8')).toBe('mine: {}\n');
  expect((await init('gitlab', '--print')).stdout).toContain('reports:\n      dotenv: gantry-deploy.env');
});

test.each(['a: b', 'a #b', '$(id)'])('init --ci refuses the folder %s', async (folder) => {
  expect((await gantry(['init', folder, '--ci', 'github', '--print'], { cwd: newFolder() })).code).toBe(2);
});

test('init --ci lists the systems that it knows', async () => {
  expect(await gantry(['init', '--ci', 'jenkins'])).toExit(2, 'github, gitlab');
});

/** All texts in a document of YAML. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
