import { expect, test } from 'vitest';
import { Stage } from './stage.ts';

test('the history calls a build canceled that was canceled', async () => {
  const stage = await Stage.open();
  const machine = await stage.machine({ behaves: { buildMs: 60_000 } });
  expect((await machine.run('deploy', { stop: /Uploaded/ })).code).toBe(130);
  const [build] = stage.platform.world.builds.keys();
  expect((await machine.run('history web')).stdout).toContain(`${build} canceled: interrupted`);
  expect((await machine.run('builds list web --json')).json()).toMatchObject([{ status: 'cancelled', found: null }]);
});

test('a deleted app did not serve until the next one', async () => {
  const stage = await Stage.open();
  const machine = await stage.machine();
  await machine.deploys({});
  expect((await machine.run('apps delete web --confirm web')).code).toBe(0);
  const second = await machine.deploys({ version: 2 });
  const { stdout } = await machine.run('history web');
  expect(stdout).toContain('\tdeleted\t');
  expect(stdout).toContain(`${second} serves\t`);
});

test('no event since a time is not no event', async () => {
  const stage = await Stage.open();
  const machine = await stage.machine();
  expect((await machine.run('history web')).stderr).toContain('has not deployed or watched it');
  await machine.deploys({});
  stage.pass(60_000);
  const { stderr } = await machine.run('history web --since 1s');
  expect(stderr).toMatch(/nothing since then: the last event is from \d{4}-/);
  expect(stderr).not.toContain('has not deployed');
});
