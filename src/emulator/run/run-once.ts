import { rm } from 'node:fs/promises';
import { normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FilePart } from '../../contract/scalars.ts';
import type { Platform } from '../platform.ts';
import { createAppEnvironment } from '../running/environment.ts';
import { AppProcess } from '../running/process.ts';
import { CallAbortedError } from '../running/replica.ts';
import { unpackTar } from '../running/unpack.ts';
import { markAssigned, markEnded, markStarted, recordRun } from '../runs/record.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';

interface OneOffRun {
  app: AppRecord;
  query: { filename: string; functionName?: string | undefined; imageDigest?: string | undefined };
  body: { data: FilePart; file: FilePart };
}

/**
 * Unpacks a tar and runs one file of it with Python, in a process of its own. Gives the id of the run, which goes on.
 * Refuses with 400 what cannot be unpacked, or has no such file.
 *
 * The data comes both ways that are known: as `CEREBRIUM_INPUT_DATA` in the environment, and as the words
 * `FUNCTION --data JSON`, where there is a function or there are data.
 */
export async function runOnce({ app, query, body }: OneOffRun, platform: Platform): Promise<string> {
  const { runner, store } = platform;
  const file = normalize(query.filename);
  const data = Buffer.from(body.data.content).toString();
  if (data.includes('\0')) refuse(400, 'data must not contain NUL: it becomes an environment variable');
  const called = { functionName: query.functionName ?? '', method: 'POST', async: false };
  const { requirements = '' } = runner.images.get(query.imageDigest ?? '') ?? {};
  const python = await runner.pythonWith(requirements).catch((error: Error) => refuse(400, error.message));
  const container = `${app.id}-run-${store.newId().slice(0, 5)}`;
  const folder = runner.folderFor(app.id, container);
  const files = await unpackTar(body.file.content, folder).catch((error: Error) => refuse(400, error.message));
  if (!files.includes(file)) {
    await rm(folder, { recursive: true, force: true });
    return refuse(400, `${query.filename} is not in the archive`);
  }
  const run = recordRun({ app: app.id, ...called, container }, platform).id;
  const words = [file, ...(query.functionName ? [query.functionName] : []), ...dataWords(data, query.functionName)];
  const work = python
    ? runProgram(
        { app, run, container, folder, python, given: { words, environment: { CEREBRIUM_INPUT_DATA: data } } },
        platform,
      )
    : simulateRun(app, run, container, platform);
  runner.runInBackground(
    work
      .catch((error: Error) => {
        runner.logs.add(app.id, { container, stream: 'stderr', text: error.message, run });
        markEnded(run, 500, platform);
      })
      .finally(() => rm(folder, { recursive: true, force: true })),
  );
  return run;
}

function dataWords(data: string, functionName: string | undefined): string[] {
  const none = ['', '{}', 'null'].includes(data.trim());
  return none && !functionName ? [] : ['--data', data.trim() || '{}'];
}

interface StartedProgram {
  app: AppRecord;
  run: string;
  container: string;
  folder: string;
  python: string;
  given: { words: string[]; environment: Record<string, string> };
}

async function runProgram(
  { app, run, container, folder, python, given }: StartedProgram,
  platform: Platform,
): Promise<void> {
  const { runner, store } = platform;
  const { signal } = runner.trackRun(run);
  const worker = fileURLToPath(new URL('./once.py', import.meta.url));
  const env = createAppEnvironment(app, '', runner.folder, store, python);
  const program = runner.trackProcess(
    new AppProcess(python, [worker], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] }),
  );
  const say = (stream: 'stdout' | 'stderr') => (text: string) =>
    runner.logs.add(app.id, { container, stream, text, run });
  program.onLine(program.child.stdout, say('stdout'));
  program.onLine(program.child.stderr, say('stderr'));
  program.child.stdin?.on('error', () => {}).end(JSON.stringify(given));
  markAssigned(run, container, platform);
  markStarted(run, 0, platform);

  const seconds = app.settings.responseGracePeriodSeconds;
  const limit = afterSeconds(seconds, () => {
    say('stderr')(`the run was stopped: it took longer than ${seconds} seconds`);
    program.kill('SIGKILL');
  });
  signal.addEventListener('abort', () => program.kill('SIGKILL'), { once: true });
  const { code } = await program.ended.catch(() => ({ code: 127 }));
  clearTimeout(limit);
  runner.untrackRun(run);
  const stopped: unknown = signal.reason;
  const statusCode = stopped instanceof CallAbortedError ? stopped.statusCode : code === 0 ? 200 : 500;
  markEnded(run, statusCode, platform, code === null ? {} : { exitCode: code });
}

async function simulateRun(app: AppRecord, run: string, container: string, platform: Platform): Promise<void> {
  const text = 'this run is simulated: there is no python3 on this machine';
  platform.runner.logs.add(app.id, { container, stream: 'stderr', text, run });
  markStarted(run, 0, platform);
  markEnded(run, 200, platform, { exitCode: 0 });
}
