import { expect, test } from 'vitest';
import type { Quirks } from '../support/app-platform/types.ts';
import { drawnCases } from '../support/extent.ts';
import { Stage } from './stage.ts';

const worlds: [string, Quirks][] = [
  ['the one that was ready last serves', {}],
  ['the one that was created last serves', { servesLastCreated: true }],
  ['the one that was ready last serves, shown late', { lagsMs: 8_000 }],
  ['the one that was created last serves, shown late', { lagsMs: 8_000, servesLastCreated: true }],
];

test.each(
  worlds.flatMap(([name, quirks]) =>
    Array.from({ length: drawnCases(1) }, (_, round) => [name, round, quirks] as const),
  ),
)('of four deploys at once, with times in whole seconds, each says what serves: %s (%i)', async (_, round, quirks) => {
  const stage = await Stage.open({ ...quirks, wholeSeconds: true });
  stage.pass(round * 130);
  const machines = await Promise.all([1, 2, 3, 4].map((version) => stage.machine({ version })));
  // All are created in the same second, which passes only then.
  const arrived: (() => void)[] = [];
  stage.platform.before = ({ point }) => {
    if (point !== 'create-app') return;
    return new Promise<void>((resolve) => {
      if (arrived.push(resolve) === machines.length) for (const goOn of arrived) goOn();
    });
  };
  const ended = await Promise.all(machines.map((machine) => machine.run('deploy --if-busy wait --json')));
  expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0]);
  const live = stage.platform.live();
  const said = ended.map(({ json }) => json() as { build: string; serves?: string });
  const served = stage.platform.app('web')?.services.map(({ build }) => build.id) ?? [];
  for (const { build, serves } of said) {
    if (serves === undefined) expect(served).toContain(build);
    else expect(served.slice(served.indexOf(build) + 1)).toContain(serves);
  }
  expect(said.filter(({ serves }) => serves === undefined).map(({ build }) => build)).toContain(live);
});

test.each<[string, Quirks]>([
  ['milliseconds', {}],
  ['whole seconds', { wholeSeconds: true }],
])('a build that is created in the same moment, once another one has looked, waits for it: %s', async (_, quirks) => {
  const stage = await Stage.open(quirks);
  await stage.stranger({}, {});
  stage.pass(60_000);
  const creating: (() => void)[] = [];
  const begin = (nth: number) => creating[nth]?.();
  stage.platform.before = async ({ point }) => {
    if (point !== 'create-app') return;
    const begins = new Promise<void>((resolve) => creating.push(resolve));
    if (creating.length === 2) begin(0);
    await begins;
  };
  let isCreated = () => {};
  stage.platform.after = async ({ point }) => {
    if (point === 'create-app' && stage.ids.length === 3) isCreated();
    if (point !== 'list-builds' || stage.ids.length !== 2) return;
    const second = new Promise<void>((resolve) => {
      isCreated = resolve;
    });
    begin(1);
    await second;
  };
  const machines = [await stage.machine(), await stage.machine()];
  const line = 'deploy --if-changed --if-busy wait --watch 40s --json';
  const ended = await Promise.all(machines.map((machine) => machine.run(line)));
  expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
  expect(ended.map(({ json }) => (json() as { changed: boolean }).changed).sort()).toEqual([false, true]);
});
