import { expect, test } from 'vitest';
import { type Machine, Stage } from './stage.ts';

const ids = ({ platform }: Stage): string[] => [...platform.world.builds.keys()];

/** Three versions, the last of which serves, and a rollback of it that is out of time: its build goes live later. */
async function outOfTime(line: string): Promise<{ stage: Stage; machine: Machine }> {
  const stage = await Stage.open();
  const machine = await stage.machine();
  await machine.deploys({ version: 0, behaves: { buildMs: 4_000 } });
  await machine.deploys({ version: 1, behaves: { buildMs: 4_000 } });
  await machine.deploys({ version: 2 });
  const [zero = ''] = ids(stage);
  expect(await machine.run(`${line.replace('ZERO', zero)} --yes --timeout 2s`)).toMatchObject({ code: 8 });
  stage.pass(10_000);
  expect(stage.platform.live()).toBe(ids(stage)[3]);
  return { stage, machine };
}

test.each(['a colleague', 'the same machine'])(
  'a rollback whose build went live unseen has rolled back, also if another build serves: of %s',
  async (who) => {
    const { stage, machine } = await outOfTime('rollback web');
    // Somebody who has nothing in common with this machine.
    const other = who === 'a colleague' ? await stage.machine() : machine;
    await other.deploys({ version: 3 });
    stage.pass(60_000);
    const { code, stderr } = await machine.run('rollback web --yes');
    const [, one, two, , later] = ids(stage);
    const said = new RegExp(`rollback of web: build ${later} -> (?!${two})b-`);
    expect([code, stderr]).toEqual([0, expect.stringMatching(said)]);
    expect((await machine.run('builds list web --json')).json()).toContainEqual(
      expect.objectContaining({ id: two, found: 'rolled back' }),
    );
    expect((await machine.run('history web')).stdout).toMatch(`rolled back from ${two} to ${one}`);
  },
);
