import { expect, test } from 'vitest';
import type { Behavior, Quirks } from '../support/app-platform/types.ts';
import { drawnCases } from '../support/extent.ts';
import type { Outcome } from '../support/gantry.ts';
import { staged } from './stage.ts';

// Platforms as the specification allows them, of which no document fixes the details: what is late, what is left out, and
// which words are used. None of it makes a healthy build unknown, and none of it a sick one healthy.

const points = ['get-app', 'list-builds', 'get-build', 'containers', 'runs', 'run'];
const late = points.flatMap((point) =>
  [200, 2_000, 20_000].map((ms): Case => [`${point} is ${ms} ms late`, { lateMs: { [point]: ms } }]),
);

/** Fields that a reply need not have. */
const optional: Record<string, string[]> = {
  'get-app': [
    ...['latestReadyBuildId', 'latestBuildId', 'latestCreatedBuildId', 'lastBuildStatus', 'status', 'createdAt'],
    ...['updatedAt', 'minReplicaCount', 'cooldownPeriodSeconds', 'costPerSecondCents', 'internalEndpoint', 'name'],
    ...['maxReplicaCount', 'replicaConcurrency', 'region', 'runtime', 'cpu', 'memory'],
  ],
  'list-builds': ['createdAt', 'updatedAt'],
  'get-build': ['createdAt', 'updatedAt'],
  containers: [
    ...['isTerminating', 'containerRestartCount', 'timestamp', 'containerStartTimestamp', 'containerRunningTimeMs'],
    'projectId',
  ],
  runs: ['podName', 'status', 'statusCode', 'createdAt', 'updatedAt', 'method', 'total', 'projectId'],
  run: ['podName', 'status', 'statusCode', 'createdAt', 'updatedAt', 'projectId'],
};
const absent = Object.entries(optional).flatMap(([point, fields]) =>
  fields.map((field): Case => [`${point} has no ${field}`, { alters: altering(point, field, () => undefined) }]),
);

/** Words of which the documents give only examples. */
const words: [point: string, field: string, from: string, to: string][] = [
  ...['running', 'live', 'idle', 'ok'].map((to): [string, string, string, string] => [
    'get-app',
    'status',
    'active',
    to,
  ]),
  ...['Running', 'up', 'started'].map((to): [string, string, string, string] => {
    return ['containers', 'containerState', 'RUNNING', to];
  }),
  ['containers', 'containerState', 'PENDING', 'ContainerCreating'],
  ['runs', 'status', 'success', 'completed'],
  ['run', 'status', 'success', 'completed'],
];
const worded = words.map(([point, field, from, to]): Case => {
  return [`${point}: ${from} is ${to}`, { alters: altering(point, field, (value) => (value === from ? to : value)) }];
});

type Case = [title: string, quirks: Quirks];

function altering(at: string, field: string, change: (value: unknown) => unknown): NonNullable<Quirks['alters']> {
  const alter = (json: unknown): unknown => {
    if (Array.isArray(json)) return json.map(alter);
    if (typeof json !== 'object' || json === null) return json;
    const changed = Object.entries(json).map(([key, value]) => [key, key === field ? change(value) : alter(value)]);
    return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
  };
  return (point, json) => (point === at ? alter(json) : json);
}

interface Build {
  behaves: Behavior;
  scaling?: string;
  line?: string;
}

const kept = 'min_replicas = 1\n';
const idle = 'min_replicas = 0\n';
const watching = 'deploy --watch --or-rollback --json';
const healthy: Build[] = [
  { behaves: {} },
  { behaves: { calls: { everyMs: 2_000 } } },
  { behaves: { replicas: 'restarts-once' } },
  { behaves: {}, scaling: idle, line: 'deploy --smoke run --watch --or-rollback --json' },
];
const sick: Build[] = [
  { behaves: { replicas: 'crash' } },
  { behaves: { calls: { everyMs: 2_000, failing: 1 } } },
  { behaves: { replicas: 'renamed' } },
  { behaves: { calls: { everyMs: 90_000, failing: 1 } }, line: 'deploy --smoke run --or-rollback --json' },
];

const only = process.env.ONLY_CASES;
const every: Case[] = [...late, ...absent, ...worded].filter(([title]) => !only || new RegExp(only).test(title));

async function verdicts(builds: readonly Build[], cases: readonly Case[]) {
  const found: { title: string; code: number; build: Build; says: string }[] = [];
  for (const [number, [title, quirks]] of cases.entries()) {
    const build = builds[(number + Math.floor(number / every.length)) % builds.length] as Build;
    const { behaves, scaling = kept, line = watching } = build;
    const { stage, machine } = await staged({}, { replicaTimes: 'both', hasStatuses: true, ...quirks });
    await machine.write({ behaves: { calls: { everyMs: 2_000 } }, scaling });
    await machine.run('deploy');
    stage.pass(120_000);
    await machine.write({ behaves, scaling, version: 2 });
    const outcome = await machine.run(line);
    found.push({ title, code: outcome.code, build, says: saysOf(outcome) });
  }
  return found;
}

function saysOf({ stderr }: Outcome): string {
  return stderr.split('\n').find((line) => line.startsWith('error:')) ?? '';
}

/** All cases with each build, if there are enough, or a few from everywhere. */
function draw(count: number): Case[] {
  const step = Math.max(1, Math.floor(every.length / count));
  return Array.from(
    { length: count },
    (_, number) => every[(number * step + Math.floor(number / every.length)) % every.length] as Case,
  );
}

const cases = drawnCases(8, 16);

test(`of ${cases} healthy builds on ordinary platforms, none is sick and at most 2 % are unknown`, async () => {
  const found = await verdicts(healthy, draw(cases));
  const wrong = found.filter(({ code }) => code !== 0);
  expect(wrong.filter(({ code }) => code !== 8)).toEqual([]);
  expect(wrong.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(Math.max(1, cases / 50));
}, 600_000);

test(`of ${cases} sick builds on ordinary platforms, none is healthy`, async () => {
  expect((await verdicts(sick, draw(cases))).filter(({ code }) => code === 0)).toEqual([]);
}, 600_000);

test('a watch of two minutes makes at most 60 requests, whatever is called meanwhile', async () => {
  const { stage, machine } = await staged({ behaves: { calls: { everyMs: 700 } } }, { replicaTimes: 'both' });
  const counts: Record<string, number> = {};
  stage.platform.after = ({ point }) => {
    counts[point] = (counts[point] ?? 0) + 1;
  };
  const { code } = await machine.run('deploy');
  const before = Object.values(counts).reduce((sum, count) => sum + count, 0);
  stage.pass(600_000);
  expect([code, (await machine.run('deploy --if-changed --watch')).code]).toEqual([0, 0]);
  const after = Object.values(counts).reduce((sum, count) => sum + count, 0);
  // Finding out that nothing has changed takes a handful.
  expect(after - before).toBeLessThanOrEqual(60 + 6);
});
