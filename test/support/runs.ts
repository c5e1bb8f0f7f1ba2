import type { Emulator } from '../../src/emulator/index.ts';
import { folderOf, smallApp } from './app.ts';
import { gantry } from './gantry.ts';

type RunRecord = NonNullable<ReturnType<Emulator['store']['runs']['get']>>;

/** Deploys the app `web`, whose runs can be arranged then. */
export async function deployWeb(emulator: Emulator): Promise<void> {
  await using app = await folderOf(smallApp());
  await gantry(['deploy'], { emulator, cwd: app.path });
}

/** Records a call of `web`: a successful one that took 100 ms, unless told otherwise. */
export function record({ store, project }: Emulator, run: Partial<RunRecord> & Pick<RunRecord, 'id' | 'createdAt'>) {
  store.runs.set(run.id, {
    ...{ app: `${project}-web`, functionName: 'run', method: 'POST', async: false, container: 'web-1' },
    ...{ pendingMs: 0, proxyQueueMs: 0, containerQueueMs: 0, coldstartMs: 0, runtimeMs: 100, statusCode: 200 },
    ...run,
  });
}

/** Records calls at even distances in a stretch of time, both its ends included; the latest is `<name>-0`. */
export function recordMany(
  emulator: Emulator,
  { name, number, from, to, ...more }: { name: string; number: number; from: number; to: number } & Partial<RunRecord>,
): string[] {
  const ids = Array.from({ length: number }, (_, index) => `${name}-${index}`);
  for (const [index, id] of ids.entries()) {
    record(emulator, { ...more, id, createdAt: Math.round(to - ((to - from) * index) / Math.max(1, number - 1)) });
  }
  return ids;
}
