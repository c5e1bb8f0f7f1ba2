import { describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

/** One reading of a run's result, whatever command reads it: the code decides, the status only without a code. */
const readings: [status: string, code: number | undefined, shown: string, verdict: string, errors: boolean][] = [
  ...[101, 200, 302, 304, 307].flatMap((code): typeof readings => [
    ['success', code, 'success', 'healthy', false],
    ['failure', code, 'success', 'healthy', false],
  ]),
  ['success', 404, 'failure', 'sick', true],
  ['success', 500, 'failure', 'sick', true],
  ['failed', 500, 'failed', 'sick', true],
  ['failure', -1, 'closed', 'healthy', false],
  ['success', 0, 'cancelled', 'healthy', false],
  ['failure', 600, '600', 'healthy', false],
  ['success', undefined, 'success', 'healthy', false],
  ['failure', undefined, 'failure', 'sick', true],
  ['completed', undefined, 'completed', 'healthy', false],
];

describe.each(readings)('a run with status %s and code %s', (status, code, shown, verdict, errors) => {
  test(`is ${shown}, and makes a build ${verdict}`, async () => {
    const stage = await Stage.open({ hasStatuses: true });
    const machine = await stage.machine();
    await machine.deploys({ behaves: { calls: { everyMs: 1_000 } } });
    stage.pass(60_000);
    const [before, { world }] = [stage.platform.live(), stage.platform];
    const runs = world.runs.bind(world);
    const isNew = (pod: string) => !pod.startsWith(String(before));
    world.runs = (app) => runs(app).map((run) => (isNew(run.pod) ? { ...run, code: code as number, status } : run));
    await machine.write({ version: 2, behaves: { calls: { everyMs: 1_000 } } });
    const deployed = await machine.run('deploy --watch 35s --or-rollback --json');
    const told = deployed.json() as { health?: { verdict: string }; error?: { details?: { verdict: string } } };
    expect(told.health?.verdict ?? told.error?.details?.verdict, deployed.stderr).toBe(verdict);

    world.runs = (app) => runs(app).map((run) => ({ ...run, code: code as number, status }));
    const text = (await machine.run('runs list web')).stdout.split('\n')[0]?.split('\t')[1];
    const [listed] = (await machine.run('runs list web --json')).json() as { id: string; status: string }[];
    const got = (await machine.run(`runs get web ${listed?.id} --json`)).json() as { status: string };
    expect([text, listed?.status, got.status]).toEqual([shown, shown, shown]);
    const { lastHour } = (await machine.run('status --json')).json() as { lastHour: { calls: number; errors: number } };
    expect(lastHour.errors).toBe(errors ? lastHour.calls : 0);
    const explained = (await machine.run('explain web --json')).json() as { run: string | null; build: string | null };
    expect((explained.run ?? explained.build) !== null).toBe(errors);
  });
});
