import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { normalize } from 'node:path';
import { after } from '../../../kernel/clock.ts';
import type { FilePart } from '../../../platform/contract/scalars.ts';
import { refuse } from '../../http/reply.ts';
import { settingDifferences } from '../../model/apps/setting-fidelity.ts';
import { markAssigned, markEnded, markStarted, recordRun } from '../../model/runs/record.ts';
import { type AppRecord, billedSettings } from '../../model/state/records.ts';
import type { Running } from '../app-runner.ts';
import { unpackTar } from '../archives.ts';
import { missingPackageHint } from '../builds/perform-build.ts';
import { createAppEnvironment } from '../processes/environment.ts';
import { AppProcess } from '../processes/process.ts';
import { pythonFile } from '../processes/python-files.ts';
import type { AttachedStorage } from '../replicas/persistent-storage.ts';
import { CallAbortedError } from '../replicas/replica.ts';

interface OneOffRun {
  app: AppRecord;
  query: { filename: string; functionName?: string | undefined; imageDigest?: string | undefined };
  body: { data: FilePart; file: FilePart };
}

/**
 * Unpacks a tar and runs one of its files with Python, in the background. Returns the id of the run. Refuses an invalid
 * tar and a missing file with 400.
 *
 * The data is passed in the environment as `CEREBRIUM_INPUT_DATA`, and as the arguments `FUNCTION --data JSON` if there
 * is a function or data.
 */
export async function runOnce({ app, query, body }: OneOffRun, running: Running): Promise<string> {
  const { runner, store } = running;
  const file = normalize(query.filename);
  const data = Buffer.from(body.data.content).toString();
  if (data.includes('\0')) refuse(400, 'data must not contain NUL: it becomes an environment variable');
  const call = { functionName: query.functionName ?? '', method: 'POST', async: false };
  const { requirements = Buffer.alloc(0) } = runner.images.get(query.imageDigest ?? '') ?? {};
  const refuseIt = (error: Error) => refuse(400, error.message);
  const python = (await runner.pythonFor(app.settings, requirements).catch(refuseIt))?.path;
  const container = `${app.id}-run-${store.newId().slice(0, 5)}`;
  const folder = runner.unpacked.folderFor(app.id, container);
  const files = await unpackTar(body.file.content, folder).catch((error: Error) => refuse(400, error.message));
  if (!files.includes(file)) {
    await rm(folder, { recursive: true, force: true });
    return refuse(400, `${query.filename} is not in the archive`);
  }
  const storage = python && (await runner.storage.attach(app, python));
  const billed = billedSettings(app.settings);
  const run = recordRun({ app: app.id, ...call, container, oneOff: true, billed }, running).id;
  const args = [file, ...(query.functionName ? [query.functionName] : []), ...dataArguments(data, query.functionName)];
  const input = { words: args, environment: { CEREBRIUM_INPUT_DATA: data } };
  const log: AddRunLine = (stream, text) => runner.logs.add(app.id, { container, stream, text, run });
  for (const text of settingDifferences(app.settings)) log('stderr', text);
  const work = storage
    ? runProgram({ app, run, container, folder, python, storage, input, log }, running)
    : simulateRun(run, log, running);
  runner.runInBackground(
    work
      .catch((error: Error) => {
        log('stderr', error.message);
        markEnded(run, 500, running);
      })
      .finally(() => rm(folder, { recursive: true, force: true })),
  );
  return run;
}

function dataArguments(data: string, functionName: string | undefined): string[] {
  const isEmpty = ['', '{}', 'null'].includes(data.trim());
  return isEmpty && !functionName ? [] : ['--data', data.trim() || '{}'];
}

interface ProgramRun {
  app: AppRecord;
  run: string;
  container: string;
  folder: string;
  python: string;
  storage: AttachedStorage;
  input: { words: string[]; environment: Record<string, string> };
  log: AddRunLine;
}

/** Adds a line to the log of the run. */
type AddRunLine = (stream: 'stdout' | 'stderr', text: string) => void;

async function runProgram(
  { app, run, container, folder, python, storage, input, log }: ProgramRun,
  running: Running,
): Promise<void> {
  const { runner, store } = running;
  const { signal } = runner.track(run);
  const worker = pythonFile('emulator/running/one-off-runs/once.py');
  const env = createAppEnvironment(app, '', storage.environment, store, python);
  const { command, args } = storage.launch(python, [worker]);
  const program = runner.trackProcess(
    new AppProcess(command, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] }),
  );
  program.onLine(program.child.stdout, (text) => log('stdout', text));
  let errors = '';
  program.onLine(program.child.stderr, (text) => {
    errors = `${errors}\n${text}`.slice(-10_000);
    log('stderr', text);
  });
  program.child.stdin?.on('error', () => {}).end(JSON.stringify(input));
  runner.usage.watch({ app: app.id, container, pid: () => program.child.pid }, program.ended);
  markAssigned(run, container, running);
  markStarted(run, 0, running);

  const seconds = app.settings.responseGracePeriodSeconds;
  const stopTimer = after(seconds * 1000, () => {
    log('stderr', `the run was stopped: it took longer than ${seconds} seconds`);
    program.kill('SIGKILL');
  });
  signal.addEventListener('abort', () => program.kill('SIGKILL'), { once: true });
  const { code, signal: killedBy } = await program.ended.catch(() => ({ code: 127, signal: null }));
  stopTimer();
  runner.untrack(run);
  const install = 'gantry emulator start --local --install';
  for (const text of code === 0 ? [] : missingPackageHint(errors, runner.installsPackages, install))
    log('stderr', text);
  const reason: unknown = signal.reason;
  const statusCode = reason instanceof CallAbortedError ? reason.statusCode : code === 0 ? 200 : 500;
  markEnded(run, statusCode, running, { exitCode: code ?? 128 + (killedBy ? constants.signals[killedBy] : 0) });
}

async function simulateRun(run: string, log: AddRunLine, running: Running): Promise<void> {
  log('stderr', 'this run is simulated: python3 not found');
  markStarted(run, 0, running);
  markEnded(run, 200, running, { exitCode: 0 });
}
