import { expect, test } from 'vitest';
import { deployed, staged } from './stage.ts';

test('the history calls a build canceled that was canceled', async () => {
  const { stage, machine } = await staged({ behaves: { buildMs: 60_000 } });
  expect((await machine.run('deploy', { stop: /Uploaded/ })).code).toBe(130);
  const [build] = stage.platform.world.builds.keys();
  expect((await machine.run('history web')).stdout).toContain(`${build} canceled: interrupted`);
  expect((await machine.run('builds list web --json')).json()).toMatchObject([{ status: 'cancelled', found: null }]);
});

test('what a machine does right after a deletion is not written down before it', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  expect((await machine.run('apps delete web --confirm web')).code).toBe(0);
  // The platform tells its time in whole seconds: the next command may know it worse.
  stage.clock.now -= 900;
  await machine.deploys({ version: 2 });
  expect((await machine.run('apps scale web --max-replicas 4')).code).toBe(0);
  const { code, json } = await machine.run('deploy --fail-on-drift --json');
  expect({ code, json: json() }).toMatchObject({ code: 7, json: { error: { code: 'conflict' } } });
});

test('a deleted app did not serve until the next one', async () => {
  const { machine } = await deployed({});
  expect((await machine.run('apps delete web --confirm web')).code).toBe(0);
  const second = await machine.deploys({ version: 2 });
  const { stdout } = await machine.run('history web');
  expect(stdout).toContain('\tdeleted\t');
  expect(stdout).toContain(`${second} serves\t`);
});

test('what is on record of an app is not believed of a later one of its name, which another machine made', async () => {
  const { stage, machine } = await staged({ behaves: { replicas: 'crash' } });
  expect((await machine.run('deploy --watch 40s')).code).toBe(12);
  const [sick] = stage.platform.world.builds.keys();
  const other = await stage.machine({ version: 2 });
  stage.pass(60_000);
  await other.run('apps delete web --confirm web');
  stage.pass(60_000);
  const made = await other.deploys({ version: 2 });
  await machine.run('rollback web --dry-run');
  const events = (await machine.run('history web --json')).json() as Record<string, unknown>[];
  expect(events.slice(0, 2)).toMatchObject([
    { event: 'served', build: made, before: null },
    { event: 'deleted', isNoticed: true },
  ]);
  expect(events).toContainEqual(expect.objectContaining({ event: 'verdict', build: sick, verdict: 'sick' }));
  expect((await machine.run('history web')).stdout).toMatch(/\tdeleted, not from here\t/);
});

test('no event since a time is not no event', async () => {
  const { stage, machine } = await staged();
  expect((await machine.run('history web')).stderr).toContain('has not deployed or watched web');
  await machine.deploys({});
  stage.pass(60_000);
  const { stderr } = await machine.run('history web --since 1s');
  expect(stderr).toMatch(/nothing since then: the last event is from \d{4}-/);
  expect(stderr).not.toContain('has not deployed');
});
