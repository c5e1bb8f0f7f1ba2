import { expect, test } from 'vitest';
import { deployed, staged } from './stage.ts';

test('the history calls a build canceled that was canceled', async () => {
  const { stage, machine } = await staged({ behaves: { buildMs: 60_000 } });
  expect((await machine.run('deploy', { stop: /Uploaded/ })).code).toBe(130);
  const [build] = stage.platform.world.builds.keys();
  expect((await machine.run('history web')).stdout).toContain(`${build} canceled: interrupted`);
  expect(await machine.json('builds list web')).toMatchObject([{ status: 'canceled', found: null }]);
});

test('what a machine does right after a deletion is not written down before it', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  expect((await machine.run('apps delete web --confirm web')).code).toBe(0);
  // The platform tells its time in whole seconds: the next command may know it worse.
  stage.clock.now -= 900;
  await machine.deploys({ version: 2 });
  expect((await machine.run('apps scale web --max-replicas 4')).code).toBe(0);
  expect((await machine.run('deploy --fail-on-drift')).code).toBe(7);
});

test('a deleted app did not serve until the next one', async () => {
  const { machine } = await deployed({});
  expect((await machine.run('apps delete web --confirm web')).code).toBe(0);
  const second = await machine.deploys({ version: 2 });
  const { stdout } = await machine.run('history web');
  expect(stdout).toContain('\tdeleted\t');
  expect(stdout).toContain(`${second} serves\t`);
});

test('no event since a time is not no event', async () => {
  const { stage, machine } = await staged();
  expect(await machine.run('history web')).toExit(6, 'app web not found');
  await machine.deploys({});
  stage.pass(60_000);
  const { stderr } = await machine.run('history web --since 1s');
  expect(stderr).toMatch(/nothing since then: the last event is from \d{4}-/);
  expect(stderr).not.toContain('has not deployed');
});
