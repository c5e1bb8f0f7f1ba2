import { describe, expect, test } from 'vitest';
import { half } from '../support/extent.ts';
import { deployWeb, emulatorForEach, gantry, recordMany } from '../support/index.ts';
import { deployed, verdictOf } from './stage.ts';

/** Which part of its calls has failed; null if they say nothing about an app. */
type Share = 0 | 1 | null;

/** One reading of a run's result, whatever command reads it: the code decides, the status only without a code. */
const readings: [status: string, code: number | undefined, shown: string, verdict: string, failed: Share][] = [
  ['success', 101, 'success', 'healthy', 0],
  ['failure', 302, 'success', 'healthy', 0],
  ['success', 404, 'failure', 'unknown', 1],
  ['success', 500, 'failure', 'sick', 1],
  ['failed', 500, 'failed', 'sick', 1],
  ['failure', -1, 'closed', 'healthy', null],
  ['success', 0, 'cancelled', 'healthy', null],
  ['failure', 600, '600', 'healthy', null],
  ['success', undefined, 'success', 'healthy', 0],
  ['failure', undefined, 'failure', 'sick', 1],
  ['completed', undefined, 'completed', 'healthy', null],
];

const messages = {
  healthy: 'web is healthy',
  sick: 'rolled back to build',
  unknown: 'whether it is healthy is not known',
};

describe.each(half(readings))('a run with status %s and code %s', (status, code, shown, verdict, failed) => {
  test(`is ${shown}, and makes a build ${verdict}`, async () => {
    const { stage, machine } = await deployed({ behaves: { calls: { everyMs: 1_000 } } }, { hasStatuses: true });
    stage.pass(60_000);
    const [before, { world }] = [stage.platform.live(), stage.platform];
    const runs = world.runs.bind(world);
    const isNew = (pod: string) => !pod.startsWith(String(before));
    world.runs = (app) => runs(app).map((run) => (isNew(run.pod) ? { ...run, code: code as number, status } : run));
    await machine.write({ version: 2, behaves: { calls: { everyMs: 1_000 } } });
    const outcome = await machine.run('deploy --watch 35s --or-rollback --json');
    expect(verdictOf(outcome), outcome.stderr).toBe(verdict);
    expect(outcome.stderr).toContain(messages[verdict as keyof typeof messages]);

    world.runs = (app) => runs(app).map((run) => ({ ...run, code: code as number, status }));
    /** One line as JSON, and what its text has between tabs. */
    const both = async <Json>(line: string) => {
      const { stdout } = await machine.run(line);
      return [await machine.json<Json>(line), stdout.trim().split(/[\t\n]/)] as const;
    };
    const [[listed], row] = await both<{ id: string; status: string }[]>('runs list web');
    const [got, fields] = await both<{ status: string }>(`runs get web ${listed?.id}`);
    // JSON has the platform's spelling, a table ours.
    const ours: Record<string, string> = { success: 'succeeded', failure: 'failed', cancelled: 'canceled' };
    const spelled = ours[shown] ?? shown;
    expect([listed?.status, row[1], got.status, fields[3]]).toEqual([shown, spelled, shown, spelled]);
    const [{ lastHour }, parts] = await both<{ lastHour: { calls: number; errors: number } }>('status');
    expect(lastHour.errors).toBe(lastHour.calls * Number(failed));
    const [, calls, errors] = /(\d+) calls, (\d+) errors/.exec(parts.join(' ')) ?? [];
    expect(Number(errors)).toBe(Number(calls) * Number(failed));
    const [compared, cells] = await both<{ errors: Record<'beforeShare' | 'afterShare', Share> }>('builds compare web');
    expect(compared.errors).toMatchObject({ beforeShare: failed, afterShare: failed });
    const at = cells.indexOf('errors');
    expect(cells.slice(at + 1, at + 3)).toEqual(Array(2).fill(failed === null ? '' : String(failed)));
    const [met, said] = await both<{ value?: number }>('metrics web --until errors>=0 --timeout 10s');
    expect(met.value).toBe(failed === null ? undefined : 100 * failed);
    expect(said[5]).toBe(failed === null ? undefined : String(100 * failed));
    const explained = await machine.json<Record<'run' | 'build', string | null>>('explain web');
    expect((explained.run ?? explained.build) !== null).toBe(failed === 1);
  });
});

/** What the platform has counted: each code that a document names. */
const counts = new Map(readings.flatMap(([, code = 600, , , failed]) => (code < 600 ? [[code, failed]] : [])));

describe('calls are counted alike in charts and counters', () => {
  const clock = { now: Date.UTC(2026, 10, 20, 12) };
  const emulator = emulatorForEach({ real: false, now: () => clock.now });

  test.each(half([...counts]))('with code %s', async (statusCode, share) => {
    await deployWeb(emulator);
    clock.now += 3_600_000;
    const stop = new AbortController();
    let [url, page, pages] = ['', '', 0];
    await gantry(['metrics', 'serve', '--port', '0'], {
      emulator,
      clock,
      stop: stop.signal,
      seen: (stdout) => {
        url = stdout.trim();
      },
      meanwhile: async () => {
        page = await (await fetch(url)).text();
        if (++pages === 1) recordMany(emulator, { name: 'c', number: 3, from: clock.now, to: clock.now, statusCode });
        if (pages === 10) stop.abort();
      },
    });
    const counter = (name: string) => Number(new RegExp(`^gantry_app_${name}_total.* (\\d+)$`, 'm').exec(page)?.[1]);
    const line = ['runs', 'chart', 'web', '--since', '1h', '--by', 'day'];
    const shown = (await gantry(line, { emulator, clock })).stdout.split('\t').slice(1, 3).map(Number);
    const { json } = await gantry([...line, '--json'], { emulator, clock });
    const [bucket] = (json() as { aggregatedData: Record<'totalRequests' | 'failedRequests', number>[] })
      .aggregatedData;
    const all = [[counter('calls'), counter('failed_calls')], shown, [bucket?.totalRequests, bucket?.failedRequests]];
    expect(all).toEqual(Array(3).fill([3, 3 * Number(share)]));
  });
});
