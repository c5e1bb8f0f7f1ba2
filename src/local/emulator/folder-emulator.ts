import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { gantryCommand } from '../../kernel/command-line.ts';
import { lockHolder, makePrivateFolder, readJsonSync, writeFileAtomic } from '../../kernel/disk/index.ts';
import type { Environment } from '../../kernel/environment.ts';
import { attempt, ConflictError, FailedError, NotFoundError } from '../../kernel/errors.ts';
import { realFolder, resolveFolders } from '../../platform/config/folders.ts';
import { stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { contextUntil } from '../../platform/waiting/index.ts';
import {
  findEmulatorAt,
  findRunningEmulator,
  listRunningEmulators,
  type RunningEmulator,
  stopEmulator,
} from './running-emulators.ts';

type EmulatorVariables = Record<string, string>;

/** What starting an emulator in the background takes of the process. */
interface Background {
  env: Environment;
  elapsed(): number;
  delay(ms: number, signal: AbortSignal): Promise<void>;
  spawnDetached(argv: string[], log: string): Promise<() => boolean>;
}

/**
 * Variables of the emulator of this folder, as far as they are known without starting it: it may have stopped. Undefined
 * if there was none. Throws NotFoundError if another one has its port by now.
 */
export function knownFolderEmulator(env: Environment, cwd: string): EmulatorVariables | undefined {
  const folder = emulatorFolder(env, cwd);
  const running = runningIn(env, folder);
  const last = lastVariables(filesOf(env, folder).variables);
  if (!running && last && findEmulatorAt({ env }, last.GANTRY_API_URL ?? '')) throw notRunning();
  return running?.environment ?? last;
}

/**
 * Variables of the emulator of this folder. Starts it in the background if it does not run, with the data that it had.
 * `onStart` is called before. Throws FailedError if it does not start.
 */
export async function useFolderEmulator(
  background: Background,
  cwd: string,
  onStart: () => Promise<void>,
): Promise<EmulatorVariables> {
  const { env } = background;
  const folder = emulatorFolder(env, cwd);
  const running = runningIn(env, folder);
  if (running) return running.environment;
  await onStart();
  const files = filesOf(env, folder);
  makePrivateFolder(files.root);
  const started = await startIn(background, folder);
  await writeFileAtomic(files.variables, JSON.stringify(started), { mode: 0o600 });
  return started;
}

/** That of this folder, if it ever had one; else the only one, or the one on this port. Throws NotFoundError, UsageError. */
export function findEmulator(context: Context, port: number | undefined): RunningEmulator {
  const folder = emulatorFolder(context.env, context.cwd);
  const isOwn = port === undefined && existsSync(filesOf(context.env, folder).variables);
  const running = isOwn ? runningIn(context.env, folder) : findRunningEmulator(context, port);
  if (running) return running;
  throw notRunning();
}

/** Ends the one that a command has started for itself, also after Ctrl-C. */
export async function endFolderEmulator(context: Context): Promise<void> {
  const uninterrupted = contextUntil(context, new AbortController().signal);
  await stopEmulator(uninterrupted, findEmulator(uninterrupted, undefined));
}

function notRunning(): NotFoundError {
  return new NotFoundError('the emulator of this folder is not running', { fix: gantryCommand`emulator list` });
}

/**
 * The data of the emulator of this folder, for another one that is to be it. The one in the background ends. Undefined
 * without a writable state folder, which is noted. Throws a ConflictError if `gantry dev` runs here.
 */
export async function takeFolderData(context: Context, cwd: string) {
  const { env, progress } = context;
  const files = filesOf(env, emulatorFolder(env, cwd));
  const { data } = files;
  try {
    makePrivateFolder(data);
  } catch (error) {
    progress.note(`what is stored here ends with this command: ${(error as Error).message}`);
    return undefined;
  }
  const holder = lockHolder(join(data, 'lock'))?.pid;
  const running = listRunningEmulators(context).find(({ pid }) => pid === holder);
  if (running?.command === 'dev') {
    throw new ConflictError(`gantry dev runs in this folder already, at ${running.url}`, {
      fix: gantryCommand`emulator stop --port ${String(running.port)}`,
      details: { pid: running.pid },
    });
  }
  if (running) {
    await stopEmulator(context, running);
    progress.note('stopped the emulator of this folder: its data is used here');
  }
  const port = lastPortOf(files.variables);
  const remember = async (variables: EmulatorVariables) => {
    if (port === undefined) await writeFileAtomic(files.variables, JSON.stringify(variables), { mode: 0o600 });
  };
  return { data, port, remember };
}

/** The app folder, or the nearest folder above that has an emulator. */
function emulatorFolder(env: Environment, cwd: string): string {
  const start = realFolder(cwd);
  if (existsSync(join(start, 'cerebrium.toml'))) return start;
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(filesOf(env, folder).root)) return folder;
    if (dirname(folder) === folder) return start;
  }
}

function filesOf(env: Environment, folder: string) {
  const root = join(resolveFolders(env).state, 'local', stateKey('emulator', folder));
  return { root, data: join(root, 'data'), variables: join(root, 'emulator.json'), log: join(root, 'log') };
}

/** The one that `gantry dev` runs for this folder; else one that `gantry emulator start` runs in it, behind or in another terminal. */
function runningIn(env: Environment, folder: string): RunningEmulator | undefined {
  const here = listRunningEmulators({ env }).filter((emulator) =>
    [emulator.folder, ...emulator.folders].some((each) => realFolder(each) === folder),
  );
  return here.find(({ command }) => command === 'dev') ?? here[0];
}

function lastVariables(file: string): EmulatorVariables | undefined {
  const variables = readJsonSync(file);
  return v.is(v.record(v.string(), v.string()), variables) ? variables : undefined;
}

function lastPortOf(file: string): number | undefined {
  const url = lastVariables(file)?.GANTRY_API_URL ?? '';
  return URL.canParse(url) ? Number(new URL(url).port) : undefined;
}

/** At the port that it had, if that is free. Ctrl-C does not end the wait: what was started is known then, and can be ended. */
async function startIn(background: Background, folder: string): Promise<EmulatorVariables> {
  const { env, elapsed, delay, spawnDetached } = background;
  const files = filesOf(env, folder);
  const began = elapsed();
  for (const port of new Set([lastPortOf(files.variables) ?? 0, 0])) {
    const argv = ['emulator', 'start', '-C', folder, '--data-dir', files.data, '--no-seed', '--port', String(port)];
    const isAlive = await spawnDetached(argv, files.log);
    for (let mayStart = true; mayStart; ) {
      // Asked before the look: another command may have started it meanwhile.
      mayStart = isAlive() && elapsed() - began < maxStartMs;
      const running = runningIn(env, folder);
      if (running) return running.environment;
      await delay(pollMs, new AbortController().signal);
    }
  }
  throw new FailedError('cannot start the emulator of this folder', {
    why: lastLines(files.log),
    fix: gantryCommand`emulator start`,
  });
}

const pollMs = 50;
const maxStartMs = 30_000;

function lastLines(file: string): string {
  const log = attempt(() => readFileSync(file, 'utf8')) ?? 'its process ended without a message';
  return log.trim().split('\n').slice(-5).join('\n');
}

/** Aborts when stdin ends: the process that started this one is gone. This one does not wait for it. */
export function stdinEnd(stdin: AsyncIterable<unknown>): AbortSignal {
  const end = new AbortController();
  const read = async () => {
    for await (const _ of stdin);
  };
  const abort = () => end.abort();
  void read().then(abort, abort);
  (stdin as { unref?: () => void }).unref?.();
  return end.signal;
}
