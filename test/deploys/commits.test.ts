import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Draw } from '../chaos/draw.js';
import type { Quirks } from '../support/app-platform/types.ts';
import { drawnCases, half } from '../support/extent.ts';
import { Clone, servedFiles } from './clone.ts';
import { Stage } from './stage.ts';

describe('an older commit', () => {
  test('does not replace a newer one that somebody else has deployed, without --older', async () => {
    const { upstream, older, stage } = await newerServes();
    const [head, newer] = [older.id('HEAD'), upstream.id('main')];
    const isNamed = expect.stringContaining(`commit ${head.slice(0, 8)} is older than ${newer.slice(0, 8)}`);
    for (const line of ['deploy', 'deploy --if-changed --if-busy wait']) {
      const { code, stderr } = await older.run(line);
      expect([code, stderr]).toEqual([7, isNamed]);
      expect(stderr).toContain(`gantry ${line} --older`);
    }
    const dry = await older.run('deploy --dry-run');
    expect([dry.code, dry.stderr]).toEqual([0, isNamed]);
    for (const more of ['', ' --save-plan plan.json']) {
      const { json } = await older.run(`deploy --dry-run${more} --json`);
      expect(json()).toMatchObject({ older: true, next: [{ argv: expect.arrayContaining(['--older']) }] });
    }
    expect([servedFiles(stage), stage.platform.world.builds.size]).toEqual([upstream.files(newer), 1]);
    expect((await older.run('deploy --older')).code).toBe(0);
    expect(servedFiles(stage)).toBe(upstream.files(head));
  });

  test('is looked for again before the upload, and its build is canceled', async () => {
    const { upstream, older, stage } = await newerServes('deploy --older');
    let isFirst = true;
    stage.platform.after = async ({ point }) => {
      if (point !== 'create-app' || !isFirst) return;
      isFirst = false;
      expect((await upstream.run('deploy')).code).toBe(0);
    };
    expect(await older.run('deploy')).toExit(7, 'is older than');
    expect([...stage.platform.world.builds.values()].filter(({ canceledAt }) => canceledAt)).toHaveLength(1);
    expect(servedFiles(stage)).toBe(upstream.files('main'));
  });
});

test('a shallow clone that does not have the commit that serves warns that an older one would not be noticed', async () => {
  const stage = await Stage.open();
  const upstream = await Clone.of(stage);
  await upstream.commit({ version: 2 });
  await upstream.run('deploy');
  for (const [depth, at, times] of [
    [1, 'HEAD', 0],
    [1, 'HEAD~1', 1],
    [2, 'HEAD', 0],
  ] as const) {
    const clone = await upstream.clone({ depth, at: upstream.id(at) });
    if (depth > 1) await clone.commit({ version: 3 });
    const { code, stderr } = await clone.run('deploy');
    expect([depth, at, code, stderr.split('git fetch --unshallow').length - 1]).toEqual([depth, at, 0, times]);
  }
});

test.each([
  ['is no more', 0, true, 1],
  ['is only in no branch', 0, false, 0],
  ['is no more, and its files are those of another', 1, true, 0],
])('of a clone in which the commit that serves %s: files of version %i, warnings', async (_, more, isPruned, times) => {
  const stage = await Stage.open();
  const clone = await Clone.of(stage);
  await clone.commit({ version: 2 });
  const lost = clone.id('HEAD');
  expect((await clone.run('deploy')).code).toBe(0);
  clone.git('reset', '--quiet', '--hard', 'HEAD~1');
  if (more) {
    await clone.commit('');
    await clone.commit({ version: 2 });
  }
  clone.git('reflog', 'expire', '--expire=now', '--all');
  if (isPruned) clone.git('gc', '--quiet', '--prune=now');
  // The files are compared.
  expect((await clone.run('status --serves HEAD')).code).toBe(more ? 0 : 7);
  const { code, stderr } = await clone.run('deploy');
  expect([code, stderr.split(`this clone has no commit ${lost.slice(0, 8)}`).length - 1]).toEqual([0, times]);
});

test('the commit that serves is named wherever a build is', async () => {
  const stage = await Stage.open();
  const clone = await Clone.of(stage);
  const short = clone.id('HEAD').slice(0, 8);
  const isNamed = expect.stringMatching(new RegExp(`"commit": ?"${clone.id('HEAD')}",\\s*"dirty": ?false`));
  const deployed = await clone.run('deploy --json');
  expect(deployed.stdout).toEqual(isNamed);
  expect(deployed.stderr).toMatch(new RegExp(`web is live, build \\S+, commit ${short}`));
  for (const line of ['status', 'builds list web', 'builds get web', 'history web', 'apps get web']) {
    expect((await clone.run(line)).stdout, line).toContain(short);
    expect((await clone.run(`${line} --json`)).stdout, line).toEqual(isNamed);
  }
  expect(await clone.run('status wbe --serves HEAD')).toExit(6, 'app wbe not found');
});

test('a machine that has sent nothing names it, too, whatever it asks first', async () => {
  const stage = await Stage.open();
  const upstream = await Clone.of(stage);
  await upstream.run('deploy');
  const commit = upstream.id('HEAD');
  const isNamed = new RegExp(`"commit": ?"${commit}",\\s*"dirty": ?false,\\s*"evidence": ?"CRC-32"`);
  for (const line of ['builds list web', 'builds get web', 'apps get web', 'status web', 'deploy --if-changed']) {
    const other = await upstream.clone();
    expect((await other.run(`${line} --json`)).stdout, line).toMatch(isNamed);
    if (!/^(status|deploy)/.test(line)) continue;
    expect((await other.run('history web')).stdout).toContain(`${commit.slice(0, 8)} by its files`);
  }
});

test('a build that was promoted is that of its commit, for a machine that has sent nothing, too', async () => {
  const stage = await Stage.open();
  const upstream = await Clone.of(stage);
  await upstream.run('deploy');
  await upstream.commit({ version: 2 });
  await upstream.run('deploy --name web-staging --new');
  expect((await upstream.run('promote web-staging web --yes')).code).toBe(0);
  const other = await upstream.clone();
  for (const [revision, code] of [
    ['HEAD', 0],
    ['HEAD~1', 7],
  ] as const)
    expect((await other.run(`status web --serves ${revision}`)).code).toBe(code);
});

test('from the top of a repository, status --serves finds the folder of an app that is named, or says why not', async () => {
  const stage = await Stage.open();
  const clone = await Clone.of(stage);
  await mkdir(join(clone.machine.folder, 'apps/web'), { recursive: true });
  for (const file of ['main.py', 'cerebrium.toml'])
    await rename(join(clone.machine.folder, file), join(clone.machine.folder, 'apps/web', file));
  await clone.commit('moved');
  expect((await clone.run('-C apps/web deploy')).code).toBe(0);
  for (const each of [clone, await clone.clone()])
    expect(await each.run('status web --serves HEAD')).toMatchObject({ code: 0 });
  expect(await clone.run('status --serves HEAD')).toExit(2, 'gantry status web --serves HEAD');
  const before = await clone.run('status web --serves HEAD~1 --json');
  expect(before).toMatchObject({ code: 8 });
  expect(before.json()).toMatchObject({ hasFiles: null, reason: expect.stringContaining('no app in cerebrium.toml') });
});

const inFile = (more: string) => `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n${more}`;
const packages = '[cerebrium.dependencies.pip]\nnumpy = "latest"\n';

const sent: [what: string, files: Record<string, string>, flags?: string, quirks?: Quirks][] = [
  [
    'of patterns',
    {
      'cerebrium.toml': inFile('include = ["src/*", "main.py"]\nexclude = ["*.txt"]\n'),
      'src/a.txt': '',
      'src/b.py': '',
      c: '',
    },
  ],
  ['listed by SHA-256', {}, '', { hasSha256: true }],
  ['what gantry writes of packages', { 'cerebrium.toml': inFile(packages), 'requirements.txt': 'torch\n' }],
  [
    'a file of packages',
    {
      'cerebrium.toml': inFile('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
      'requirements.txt': '',
    },
  ],
  ['another name', {}, '--name web-staging'],
  [
    'line ends of another system',
    { 'main.py': 'def run():\r\n    return 1\r\n', '.gitattributes': '*.py text eol=crlf\n' },
  ],
];

test.each(half(sent))(
  'without a record, the commit is found by its files: %s',
  async (_, files, flags = '', quirks = {}) => {
    const stage = await Stage.open(quirks);
    const upstream = await Clone.of(stage);
    for (const [path, text] of Object.entries(files)) await upstream.write(path, text);
    await upstream.commit('');
    const commit = upstream.id('HEAD');
    expect((await upstream.run(`deploy ${flags}`.trim())).code).toBe(0);
    const other = await upstream.clone();
    const app = flags === '' ? 'web' : 'web-staging';
    const found = { commit, dirty: false, evidence: quirks.hasSha256 ? 'SHA-256' : 'CRC-32' };
    expect((await other.run(`builds get ${app} --json`)).json()).toMatchObject(found);
    expect((await other.run(`builds list ${app} --json`)).json()).toMatchObject([found]);
    expect((await other.run(`status ${app} --serves HEAD`)).code).toBe(0);
    await other.commit({ version: 7 });
    expect((await other.run(`status ${app} --serves HEAD --json`)).json()).toMatchObject({
      hasFiles: files['.gitattributes'] ? null : false,
    });
  },
);

/** A clone at the first of two commits, of which the other one serves. Before that, the first one if `before` deploys it. */
async function newerServes(before?: string, quirks: Quirks = {}) {
  const stage = await Stage.open(quirks);
  const upstream = await Clone.of(stage);
  const first = upstream.id('HEAD');
  await upstream.commit({ version: 2 });
  const older = await upstream.clone({ at: first });
  const [who, line] = before === undefined ? [upstream, 'deploy'] : [older, before];
  expect((await who.run(line)).code).toBe(0);
  return { stage, upstream, older };
}

/** Versions 1 to 3 of the app in the commits of a branch, a change that is not sent, and commits that were taken back. */
class Branch {
  /** The commit that serves, and the machines that have sent it. */
  serves = '';
  sentBy: Clone | undefined;
  version = 1;

  constructor(
    readonly random: Draw,
    readonly upstream: Clone,
    readonly people: readonly Clone[],
    readonly quirks: Quirks,
  ) {}

  get tip(): string {
    return this.upstream.id('main');
  }

  /** One that the branch had before its last. */
  earlier(): string {
    const [last = '', ...others] = this.upstream.git('rev-list', '--first-parent', 'main').split('\n');
    return others.length > 0 ? this.random.pick(others) : last;
  }

  /** A person has what the branch has. */
  async pulled(): Promise<Clone> {
    const person = this.random.pick(this.people);
    person.git('fetch', '--quiet', '--prune', '--force', 'origin');
    person.git('reset', '--quiet', '--hard', 'origin/main');
    return person;
  }

  async push(person: Clone, app: Parameters<Clone['commit']>[0]): Promise<void> {
    await person.commit(app);
    person.git('push', '--quiet', '--force', 'origin', 'HEAD:main');
  }

  /** Whether it is proven that a clone is at an older commit than the one that serves. */
  isOlder(clone: Clone): boolean {
    const { upstream, serves, quirks } = this;
    const head = clone.id('HEAD');
    const known = clone.git('rev-list', '--branches', '--remotes').split('\n');
    const pastOf = (commit: string) => clone.git('rev-list', commit).split('\n');
    const isBefore = (commit: string) => known.includes(commit) && commit !== head && pastOf(commit).includes(head);
    if (upstream.files(head) === upstream.files(serves)) return false;
    if (clone.machine.home === this.sentBy?.machine.home) return isBefore(serves);
    // What serves is the content of one line of commits, whoever has made it: of a squashed branch as well.
    const alike = known.filter((commit) => upstream.files(commit) === upstream.files(serves));
    return !quirks.hasNoChecksums && alike.length > 0 && alike.every(isBefore);
  }

  async deploy(clone: Clone, flags = ''): Promise<void> {
    const expected = this.serves !== '' && flags === '' && this.isOlder(clone) ? 7 : 0;
    const { code, stderr } = await clone.run(`deploy --if-busy wait ${flags}`.trim());
    expect([code, stderr]).toEqual([expected, expect.anything()]);
    if (code === 0) [this.serves, this.sentBy] = [clone.id('HEAD'), clone];
    expect(servedFiles(this.upstream.stage)).toBe(this.upstream.files(this.serves));
  }
}

type Step = (branch: Branch) => Promise<void>;
type Committed = Parameters<Clone['commit']>[0];

const pushing =
  (draw: (branch: Branch) => Committed): Step =>
  async (branch) => {
    const person = await branch.pulled();
    await branch.push(person, draw(branch));
    await branch.deploy(person);
  };

const runningAgain =
  (flags: string, depth?: 1): Step =>
  async (branch) =>
    branch.deploy(await branch.upstream.clone({ at: branch.earlier(), ...(depth && { depth }) }), flags);

const steps: Record<string, Step> = {
  commit: pushing((branch) => ({ version: ++branch.version })),
  notSent: pushing(({ random }) => String(random.next())),
  revert: pushing(({ version }) => ({ version: Math.max(1, version - 1) })),
  again: runningAgain(''),
  againShallow: runningAgain('', 1),
  older: runningAgain('--older'),
  async squash(branch) {
    const person = await branch.pulled();
    person.git('checkout', '--quiet', '-B', 'idea');
    for (let count = 0; count < 2; count++) await person.commit({ version: ++branch.version });
    // Others have no branch of it.
    person.git('push', '--quiet', '--force', 'origin', 'HEAD:refs/kept/idea');
    await branch.deploy(person);
    person.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    await branch.push(person, { version: branch.version });
    await branch.deploy(await branch.pulled());
  },
  async forcePush(branch) {
    const [, before] = branch.upstream.git('rev-list', '--first-parent', 'main').split('\n');
    if (before !== undefined) branch.upstream.git('update-ref', 'refs/heads/main', before);
    await branch.deploy(await branch.pulled());
  },
};

const histories = drawnCases(1, 2);

test(
  `of ${histories} histories the newest commit serves, and nothing is refused without proof`,
  async () => {
    for (let seed = 1; seed <= histories; seed++) {
      const random = new Draw(seed);
      const quirks = random.pick<Quirks>([{}, { wholeSeconds: true }, { hasNoChecksums: true }]);
      const stage = await Stage.open(quirks);
      const upstream = await Clone.of(stage);
      const branch = new Branch(random, upstream, [await upstream.clone(), await upstream.clone()], quirks);
      const drawn = [...Array(5)].map(() => random.pick(Object.keys(steps)));
      for (const step of drawn) await steps[step]?.(branch);
      const pipeline = await upstream.clone();
      await branch.deploy(pipeline);
      const story = { seed, drawn };
      expect({ ...story, serves: servedFiles(stage) }).toEqual({ ...story, serves: upstream.files(branch.tip) });
      await branch.deploy(await upstream.clone({ at: branch.earlier() }));
      const revision = random.pick(pipeline.git('rev-list', 'HEAD').split('\n'));
      const { code } = await pipeline.run(`status --serves ${revision}`);
      const isSame = upstream.files(revision) === servedFiles(stage);
      expect({ ...story, code }).toEqual({ ...story, code: code === 8 && quirks.hasNoChecksums ? 8 : isSame ? 0 : 7 });
    }
  },
  histories * 30_000,
);
