import { expect, test } from 'vitest';
import { staged } from './stage.ts';

test.each(['running time', 'read time', 'both'] as const)(
  'a replica that was torn down, and is still listed as running, does not count: it shows its %s',
  async (replicaTimes) => {
    const { stage, machine } = await staged({ scaling: 'min_replicas = 2\nmax_replicas = 2\n' }, { replicaTimes });
    const line = 'deploy --if-changed --watch 35s';
    expect((await machine.run(line)).code).toBe(0);
    stage.pass(60_000);
    expect((await machine.run(line)).stderr).not.toContain('replicas run');
    const { world } = stage.platform;
    const replicas = world.replicas.bind(world);
    const seenAt = stage.clock.now;
    world.replicas = (app) => replicas(app).map((each) => (each.id.endsWith('-0') ? { ...each, seenAt } : each));
    expect((await machine.run(line)).stderr).toContain('warning: 1 of 2 replicas run');
  },
);
