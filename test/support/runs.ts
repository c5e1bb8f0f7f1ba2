import type { Emulator } from '../../src/emulator/index.ts';
import type { AppOutput } from '../../src/emulator/running/logs/app-logs.ts';
import { smallApp } from './app.ts';
import { newFolder } from './files.ts';
import { gantry } from './gantry.ts';

type RunRecord = NonNullable<ReturnType<Emulator['store']['runs']['get']>>;

/** Deploys the app `web`, whose runs can be arranged then. */
export async function deployWeb(emulator: Emulator): Promise<void> {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
}

/** A call of `web`: a successful one that took 100 ms, unless told otherwise. */
export function runOf({ project }: Emulator, run: Partial<RunRecord> & Pick<RunRecord, 'id' | 'createdAt'>): RunRecord {
  return {
    app: `${project}-web`,
    functionName: 'run',
    method: 'POST',
    async: false,
    container: 'web-1',
    pendingMs: 0,
    proxyQueueMs: 0,
    containerQueueMs: 0,
    coldstartMs: 0,
    runtimeMs: 100,
    statusCode: 200,
    ...run,
  };
}

/** Records such a call, which shows at once. */
export function record(emulator: Emulator, run: Parameters<typeof runOf>[1]): void {
  emulator.store.runs.set(run.id, runOf(emulator, run));
  emulator.late.pass();
}

/** Prints a line of `web`, which shows at once. */
export function print(emulator: Emulator, text: string, more: Partial<AppOutput> = {}): void {
  emulator.logs.add(`${emulator.project}-web`, { container: 'web-1', stream: 'stdout', ...more, text });
  emulator.late.pass();
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
