import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppPlatform } from '../support/app-platform/index.js';
import { Draw } from './draw.js';
import { start } from './start.js';

/** @typedef {{ code: number | null, stdout: string, stderr: string }} Ended */

/** How much faster gantry waits, and replicas live and die. */
const pace = 20;
const clock = resolve(import.meta.dirname, '../docs/faster.cjs');
/** Long commands that change something, what they deploy, and how long a build of somebody else takes meanwhile, in ms. */
const commands = [
  { line: 'deploy', behaves: {} },
  { line: 'deploy --watch 8s', behaves: {} },
  { line: 'deploy --watch 20s --or-rollback', behaves: { replicas: 'crash' } },
  { line: 'deploy --smoke run --watch 8s --or-rollback', behaves: {} },
  { line: 'rollback web --yes', behaves: undefined },
  { line: 'deploy --apply-plan ../plan.json', behaves: {} },
  { line: 'deploy --preview topic', behaves: {} },
  { line: 'deploy --if-busy wait', behaves: {}, othersMs: 400 },
  { line: 'deploy --if-changed --if-busy wait', behaves: {}, othersMs: 400 },
  { line: 'deploy --detach', behaves: {} },
];

/**
 * Kills deploys of the built program at random requests, and holds what they leave behind and what the next command says
 * against the platform. Gives what is wrong.
 * @param {{ count: number, seed: number, program: string, write?: (text: string) => void }} options
 */
export async function kills({ count, seed, program, write = () => {} }) {
  const ground = await Ground.prepare(program);
  /** @type {string[]} */
  const findings = [];
  try {
    for (let number = seed; number < seed + count; number++) {
      const found = await tryOne(ground, new Draw(number));
      if (!found) continue;
      findings.push(`case ${number}: ${found}`);
      write(findings.at(-1) ?? '');
    }
  } finally {
    ground.remove();
  }
  return findings;
}

/** @param {Ground} ground @param {Draw} draw */
async function tryOne(ground, draw) {
  const command = draw.pick(commands);
  const { line, behaves, othersMs } = command;
  const [signals, nth, isAnswered] = [
    draw.pick(/** @type {NodeJS.Signals[][]} */ ([['SIGKILL'], ['SIGINT'], ['SIGTERM', 'SIGTERM']])),
    draw.int(1, 24),
    draw.chance(0.5),
  ];
  const { platform } = ground.reset();
  if (behaves) ground.write(behaves, 3);
  if (othersMs) ground.othersDeploy(othersMs);
  const killed = await ground.run(line, { signals, nth, isAnswered });
  const what = `${line}, ${signals} at ${isAnswered ? 'the answer to ' : ''}request ${nth}`;
  /** @param {string} text @param {Ended} ended */
  const say = (text, ended) => `${what}: ${text}\n${ended.stderr.replace(/^/gm, '    ')}`;
  const wasDetached = line.includes('--detach');
  if (String(signals) === 'SIGINT' && ground.waiting().length > 0)
    return say(`${ground.waiting()} has no upload`, killed);
  const lie = untrue(ground, killed);
  if (lie) return say(lie, killed);
  // Somebody types the line that is safe to type again.
  const name = line.includes('--preview') ? ' --preview topic' : '';
  const next = await ground.run(`deploy${name} --if-changed --if-busy wait --smoke run --watch 20s --timeout 20m`);
  const expected = behaves?.replicas === 'crash' ? 12 : 0;
  if (next.code !== expected) return say(`the next command ended with ${next.code}\n${killed.stderr}`, next);
  const lieOfNext = untrue(ground, next);
  if (lieOfNext) return say(lieOfNext, next);
  if (expected === 0 && !ground.serves(name !== '')) return say('what serves is not what was deployed', next);
  // One whose owner is not known stays, but is named.
  const unnamed = ground.waiting().filter((id) => !new RegExp(`gantry builds cancel \\S+ ${id}`).test(next.stderr));
  if (unnamed.length > 0) return say(`build ${unnamed} still has no upload, after the next command`, next);
  // Whose it is nobody can know if its deploy was killed before it knew its id: until the upload URL expires, it may start.
  const knewItsBuild = /Created build/.test(killed.stderr);
  if (knewItsBuild && /Waited \d+m/.test(next.stderr))
    return say('the next command waited for what cannot start any more', next);
  if (ground.left().length > 0 && !wasDetached) return say(`left in the temporary folder: ${ground.left()}`, next);
  for (const app of platform.world.apps.values()) {
    if (app.builds.some(({ ended, uploadedAt }) => !ended && uploadedAt !== undefined))
      return say(`a build of ${app.name} is in progress`, next);
  }
  return undefined;
}

/** What was said of the build that serves and is not true. @param {Ground} ground @param {Ended} ended */
function untrue({ platform }, { stderr }) {
  const said = [...stderr.matchAll(/(?:web is live, build|web serves build|build) (b-\w+)(?: (?:still )?serves)?/g)];
  const claim = said.filter(([text]) => /live|serves/.test(text)).at(-1)?.[1];
  return claim === undefined || claim === platform.live() ? undefined : `said ${claim}, but ${platform.live()} serves`;
}

/** A machine and a platform on which two builds were deployed; everything is as then after `reset`. */
class Ground {
  #requests = 0;
  /** @type {{ nth: number, isAnswered: boolean, act: () => void } | undefined} */
  #trap;

  /** @param {string} program */
  constructor(program) {
    this.program = program;
    this.root = mkdtempSync(join(tmpdir(), 'gantry-kills-'));
    for (const name of ['now', 'before']) mkdirSync(join(this.root, name));
    this.platform = new AppPlatform({ quirks: { pace } });
    const { apps, builds, calls } = this.platform.world;
    this.state = { apps, builds, calls };
  }

  /** @param {string} program */
  static async prepare(program) {
    const ground = new Ground(program);
    await ground.platform.start();
    const { platform } = ground;
    platform.before = () => ground.#tell(false, ++ground.#requests);
    platform.after = () => ground.#tell(true, ground.#requests);
    for (const name of ['work', 'home', 'tmp']) mkdirSync(ground.at(name));
    ground.write({}, 1);
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['remote', 'add', 'origin', 'https://example.test/org/shop'],
    ]) {
      execFileSync('git', ['-C', ground.at('work'), ...args]);
    }
    await ground.run('deploy');
    ground.write({}, 2);
    await ground.run('deploy');
    ground.write({}, 3);
    const { code, stderr } = await ground.run('deploy --dry-run --save-plan ../plan.json');
    if (code !== 0) throw new Error(stderr);
    cpSync(join(ground.root, 'now'), join(ground.root, 'before'), { recursive: true, preserveTimestamps: true });
    const { apps, builds, calls } = platform.world;
    ground.state = structuredClone({ apps, builds, calls });
    return ground;
  }

  /** @param {string} name */
  at(name) {
    return join(this.root, 'now', name);
  }

  reset() {
    Object.assign(this.platform.world, structuredClone(this.state));
    rmSync(join(this.root, 'now'), { recursive: true, force: true });
    cpSync(join(this.root, 'before'), join(this.root, 'now'), { recursive: true, preserveTimestamps: true });
    return this;
  }

  /** @param {object} behaves @param {number} version */
  write(behaves, version) {
    const config =
      '[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n[cerebrium.scaling]\nmin_replicas = 1\n';
    writeFileSync(join(this.at('work'), 'cerebrium.toml'), config);
    const told = JSON.stringify({ buildMs: 150, ...behaves });
    writeFileSync(join(this.at('work'), 'main.py'), `# behaves ${told}\ndef run():\n    return ${version}\n`);
  }

  /** A build of somebody else that gets its upload at once. @param {number} buildMs */
  othersDeploy(buildMs) {
    const { world } = this.platform;
    const build = world.create({ ...this.platform.app('web')?.builds[0]?.body, cliVersion: '1.0' });
    Object.assign(build, { uploadedAt: world.now(), behavior: { buildMs } });
  }

  /**
   * @param {string} line @param {{ signals: readonly NodeJS.Signals[], nth: number, isAnswered: boolean }} [trap]
   * @returns {Promise<Ended>}
   */
  run(line, trap) {
    const args = ['--require', clock, this.program, ...line.split(' ')];
    const env = {
      PATH: process.env.PATH,
      HOME: this.at('home'),
      TMPDIR: this.at('tmp'),
      LANG: 'C.UTF-8',
      NO_PROXY: '*',
      GANTRY_CONFIG_DIR: this.at('home'),
      FASTER: String(pace),
      ...this.platform.env,
    };
    const { child, ended } = start(args, { cwd: this.at('work'), env });
    this.#requests = 0;
    // Systems that end jobs send a signal again soon.
    const act = () => {
      for (const [at, signal] of trap?.signals.entries() ?? []) setTimeout(() => child.kill(signal), at * 50);
    };
    this.#trap = trap && { ...trap, act };
    const tooLong = setTimeout(() => child.kill('SIGKILL'), 120_000);
    return ended.finally(() => {
      clearTimeout(tooLong);
      this.#trap = undefined;
    });
  }

  /** Builds of ours that nobody uploads any more. */
  waiting() {
    this.platform.world.settle();
    const builds = [...this.platform.world.builds.values()];
    return builds.flatMap(({ id, uploadedAt, ended }) => (uploadedAt === undefined && !ended ? [id] : []));
  }

  /** Whether the newest files serve. @param {boolean} isPreview */
  serves(isPreview) {
    const name = [...this.platform.world.apps.keys()].find((each) => (each === 'web') !== isPreview) ?? '';
    const app = this.platform.app(name);
    const live = app && this.platform.world.live(app);
    return String(live?.files.get('main.py')).includes('return 3');
  }

  left() {
    return readdirSync(this.at('tmp'), { recursive: true });
  }

  remove() {
    this.platform.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** @param {boolean} isAnswer @param {number} nth */
  #tell(isAnswer, nth) {
    const trap = this.#trap;
    if (!trap || trap.nth !== nth || trap.isAnswered !== isAnswer) return;
    this.#trap = undefined;
    trap.act();
  }
}
