import { expect, test } from 'vitest';
import type { Behavior } from '../support/app-platform/types.ts';
import { type AppOf, crash, deployed, staged } from './stage.ts';

const failing: Behavior = { calls: { everyMs: 2_000, failing: 1 } };
const again = 'deploy --if-changed --smoke run --watch 40s';

/** A line that was typed, what became of the app, and the next line. */
interface Turn {
  app?: AppOf;
  first: string;
  becomes?: Behavior | { status: string };
  next: string;
  /** Of the next line. */
  code: number;
  says: RegExp;
}

const turns: Record<string, Turn> = {
  'it crashes by now': {
    first: again,
    becomes: crash,
    next: 'deploy --if-changed --watch 40s',
    code: 12,
    says: /restarted \d+ times: watching it again/,
  },
  'its calls fail by now': { first: again, becomes: failing, next: again, code: 12, says: /run: .*returned 500/ },
  'calls of others fail by now': {
    first: 'deploy --watch 40s',
    becomes: failing,
    next: 'deploy --if-changed --watch 40s',
    code: 12,
    says: /calls failed, .*: watching it again/,
  },
  'its status is error by now': {
    first: 'deploy --watch 40s',
    becomes: { status: 'error' },
    next: 'deploy --if-changed --watch 40s',
    code: 8,
    says: /healthy by a watch of 40 s, but the status of the app is error: watching it again/,
  },
  'it was watched for less': {
    app: { behaves: crash },
    first: 'deploy --watch 1s',
    next: 'deploy --if-changed --watch 40s',
    code: 12,
    says: /restarted 2 times/,
  },
  'it was only called': {
    first: 'deploy --smoke run',
    becomes: crash,
    next: 'deploy --if-changed --watch 40s',
    code: 12,
    says: /restarted 2 times/,
  },
  'another answer is expected': {
    first: 'deploy --smoke run:ok',
    next: 'deploy --if-changed --smoke run:NOTTHERE',
    code: 8,
    says: /not known: run: the response does not have the expected text, but the same files .* healthy as build/,
  },
  'it is as well as before': { first: again, next: again, code: 0, says: /run: answered.*not watched again/s },
  'it sleeps': {
    app: { scaling: 'min_replicas = 0\n' },
    first: again,
    next: 'deploy --if-changed --watch 40s',
    code: 0,
    says: /not watched again/,
  },
};

test.each(Object.entries(turns))('a build that was found healthy: %s', async (_, turn) => {
  const { app = {}, first, becomes, next, code, says } = turn;
  const { stage, machine } = await staged(app);
  expect(await machine.run(first)).toMatchObject({ code: 0 });
  stage.pass(120_000);
  if (becomes && 'status' in becomes) Object.assign(stage.web, becomes);
  else if (becomes) Object.assign(stage.platform.world.live(stage.web) ?? {}, { behavior: becomes });
  expect(await machine.run(next)).toExit(code, says);
});

test('restarts of long ago are no reason to roll back', async () => {
  const { stage, machine } = await staged();
  await machine.deploys({}, 'deploy --watch 40s');
  stage.alter((each) => [{ ...each, restarts: 3 }]);
  const outcome = await machine.run('deploy --if-changed --watch 40s --or-rollback');
  expect(outcome).toExit(0, 'restarted 3 times: watching it again');
});

test('what answers otherwise than expected is said to serve, with its answer and how to go back', async () => {
  const { stage, machine } = await deployed({ version: 1 });
  await machine.write({ version: 2 });
  const sick = await machine.run('deploy --smoke run:nothing');
  const said = `the expected text; it answered {"ok":true}; build ${stage.platform.live()} serves\n`;
  expect(sick).toExit(12, said, 'fix gantry rollback web\n');
  await machine.write({ version: 3 });
  const back = await machine.run('deploy --smoke run:nothing --or-rollback');
  expect(back).toExit(12, '; rolled back to build');
  expect(back.stderr).not.toContain('fix gantry rollback');
});

test('an answer that another call expects rolls nothing back, unless the deploy has changed the app', async () => {
  const { stage, machine } = await staged({ version: 1 });
  expect(await machine.run('deploy --smoke run:ok')).toMatchObject({ code: 0 });
  await machine.write({ version: 2 });
  expect(await machine.run('deploy --smoke run:ok')).toMatchObject({ code: 0 });
  const typo = 'deploy --smoke run:nothing --or-rollback';
  for (const line of [typo, `${typo} --if-changed`, typo]) {
    stage.pass(120_000);
    expect(await machine.run(line)).toExit(8, /the same files .* healthy as build.*\n {2}fix correct what/);
  }
  await machine.write({ version: 3 });
  stage.pass(120_000);
  expect((await machine.run(typo)).stderr).toMatch(/is not healthy: run: .*; rolled back to build/);
});

test('what was found of an earlier build of the same files is told of that build', async () => {
  const { stage, machine } = await staged({ behaves: crash });
  expect((await machine.run('deploy --watch 40s')).code).toBe(12);
  expect((await machine.run('deploy')).code).toBe(0);
  expect((await machine.run('explain web --json=build,status')).json()).toEqual({
    build: stage.ids[0],
    status: 'sick',
  });
});
