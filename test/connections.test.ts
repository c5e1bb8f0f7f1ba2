import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Draw } from './chaos/draw.js';
import { smallApp } from './support/app.ts';
import { BadConnections, type ConnectionFault, drawFault, isHarmless } from './support/bad-connections.ts';
import { emulatorForAll } from './support/emulators.ts';
import { drawnCases, seed } from './support/extent.ts';
import { newFolder, noise } from './support/files.ts';
import { gantry, type Outcome, type Setting } from './support/gantry.ts';
import { agree } from './support/login.ts';

/** `npm run fuzz -- connections --cases 2000 --seed 7` runs more. */
const cases = drawnCases(12);

/**
 * A command that has not ended after this long never will: each of its requests may be silent for a while, a build is asked
 * for five minutes of the test's clock, and a download may be slow.
 */
const longestMs = 120_000;
/** How long a connection may be silent: at first, and on a machine that is too busy for that. */
const silences = [100, 1_000, 10_000];
const began = Date.UTC(2026, 10, 20, 9, 30);
const clock = { now: began };
/** Of one chunk: what follows it then follows the reply. */
const content = noise(7_000);

let connections: BadConnections;

const emulator = emulatorForAll({ seed: 1, real: false, now: () => clock.now });

beforeAll(async () => {
  connections = await BadConnections.start(emulator);
});

afterAll(async () => {
  connections.close();
});

interface Subject {
  words: string[];
  /** Whether all its requests are repeated after a failure. */
  isRepeated?: true;
  setting?: () => Setting;
  /** Whether what was asked for has happened; by default, whether it printed what it prints on a healthy connection. */
  holds?: (outcome: Outcome, setting: Setting) => boolean;
}

const app = smallApp();

/** Commands of every way to the platform: requests, streams, uploads and downloads, live logs, logins. */
const subjects: Subject[] = [
  ...[
    ['apps', 'list', '--json=id,status'],
    ['apps', 'get', 'web', '--json=id,status,hardware'],
    ['builds', 'list', 'web', '--json=status,createdAt'],
    ['runs', 'list', 'transcriber', '--json=status,createdAt'],
    ['secrets', 'list', '--show-values'],
    ['ls', ':/', '--json'],
    ['volumes', 'usage', ':/', '--json'],
    ['users', 'list', '--json=id,role'],
    ['logs', 'web', '--since', '1d', '--json'],
    ['api', 'GET', '/v2/projects'],
  ].map((words) => ({ words, isRepeated: true as const })),
  // A file that comes longer than listed has changed.
  { words: ['cat', ':/stored'] },
  { words: ['invoke', 'web', 'name=Ada', '--timeout', '1s', '--json=statusCode,encoding'] },
  {
    words: ['secrets', 'set', 'KEY', '--from-file', '-'],
    setting: () => ({ stdin: 'new' }),
    holds: () => emulator.store.secrets.get(emulator.project)?.KEY === 'new',
  },
  { words: ['rm', ':/stored', '--yes'], holds: () => emulator.volume().read('/stored') === undefined },
  {
    words: ['cp', 'local', ':/up'],
    setting: () => ({ cwd: newFolder({ local: content }) }),
    holds: () => emulator.volume().read('/up')?.equals(content) === true,
  },
  {
    words: ['cp', ':/stored', 'down'],
    setting: () => ({ cwd: newFolder() }),
    holds: (_, { cwd = '' }) => readFileSync(join(cwd, 'down')).equals(content),
  },
  {
    words: ['deploy', '--yes'],
    setting: () => ({ cwd: newFolder(app) }),
    holds: () =>
      [...emulator.store.builds.values()].some(({ createdAt, startedAt }) => createdAt >= began && startedAt),
  },
  {
    words: ['login', '--device'],
    setting: () => ({
      env: { GANTRY_CONFIG_DIR: newFolder(), GANTRY_TOKEN: '', GANTRY_PROJECT: '' },
      meanwhile: () => agree(emulator),
    }),
    holds: (_, { env }) => readFileSync(join(env?.GANTRY_CONFIG_DIR ?? '', 'credentials.json'), 'utf8').includes('eyJ'),
  },
];

async function arrange(fault?: ConnectionFault): Promise<void> {
  clock.now = began;
  await emulator.reset();
  emulator.volume().write('/stored', content);
  emulator.store.secrets.set(emulator.project, { OLD: 'old' });
  await connections.reset(fault);
}

async function run({ words, setting }: Subject, silenceMs: number): Promise<{ outcome: Outcome; setting: Setting }> {
  const { env, ...own } = setting?.() ?? {};
  const given = { clock, io: { silenceMs }, ...own, env: { ...connections.env, ...env } };
  return { outcome: await gantry(words, given), setting: given };
}

const gaveUp = 'it gave up';

/** What each prints on a healthy connection. */
const healthy = new Map<Subject, string>();

async function learn(subject: Subject): Promise<void> {
  await arrange();
  const { outcome, setting } = await run(subject, longestMs);
  expect([subject.words, outcome.code, outcome.stderr]).toEqual([subject.words, 0, expect.anything()]);
  expect([subject.words, subject.holds?.(outcome, setting) ?? true]).toEqual([subject.words, true]);
  healthy.set(subject, outcome.stdout);
}

/**
 * What is wrong with how a command ended, or undefined. One that gives up is tried with more time: on a busy machine, a
 * healthy connection is silent as well.
 */
async function problemOf(subject: Subject, fault: ConnectionFault): Promise<string | undefined> {
  if (!healthy.has(subject)) await learn(subject);
  let problem: string | undefined;
  for (const silenceMs of silences) {
    await arrange(fault);
    problem = await problemWith(subject, fault, silenceMs);
    if (!problem?.startsWith(gaveUp)) break;
  }
  return problem;
}

async function problemWith(subject: Subject, fault: ConnectionFault, silenceMs: number): Promise<string | undefined> {
  const ended = await Promise.race([run(subject, silenceMs), setTimeout(longestMs, undefined, { ref: false })]);
  if (!ended) return 'it has not ended';
  const { code, stdout, stderr } = ended.outcome;
  const { holds = () => stdout === healthy.get(subject) } = subject;
  if (code === 0)
    return holds(ended.outcome, ended.setting) ? undefined : `it has not happened: ${stdout.slice(0, 300)}`;
  if (!/^error: \S/m.test(stderr)) return `exit code ${code} without an error`;
  return isHarmless(fault) || (subject.isRepeated && fault.times === 1) ? `${gaveUp}: ${stderr}` : undefined;
}

test(
  `${cases} commands whose connections misbehave end, and none succeeds without what was asked for`,
  async () => {
    const random = new Draw(seed);
    const problems: string[] = [];
    let struck = 0;
    for (let at = 0; at < cases; at++) {
      const subject = random.pick(subjects);
      const fault = drawFault(random);
      const problem = await problemOf(subject, fault);
      if (connections.hasStruck) struck++;
      const line = `case ${at} of seed ${seed}: ${subject.words.join(' ')}, ${JSON.stringify(fault)}`;
      if (problem) problems.push(`${line}: ${problem}`);
    }
    expect(problems.slice(0, 10).join('\n')).toBe('');
    expect(struck).toBeGreaterThan(cases / 4);
  },
  cases * 500 + 60_000,
);
