import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Platform } from '../platform.ts';
import { BufferedBody } from '../running/buffered-body.ts';
import type { ReplicaSlot } from '../running/pool.ts';
import { ProcessStartError } from '../running/process.ts';
import { CallAbortedError, type ReplicaCall, ReplicaError } from '../running/replica.ts';
import { markAssigned, markEnded, markQueued, markStarted } from '../runs/record.ts';
import { jsonReply, type ServerReply } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import { findReadyBuild, whyNotRunnable } from './ready-build.ts';
import { simulateCall } from './simulated.ts';
import { trackReply } from './tracked-reply.ts';

/** A call on its way. `giveUp` ends it from outside. */
export interface CallTask {
  app: AppRecord;
  call: Omit<ReplicaCall, 'signal'>;
  controller: AbortController;
  /** Whoever waits for the answer. When it leaves, the call is given up. */
  caller: Socket | undefined;
}

/**
 * Carries a call out and gives the answer, also of one that failed. The run's record follows it, to the last byte of
 * the answer.
 */
export async function performCall(
  { app, call, controller, caller }: CallTask,
  platform: Platform,
): Promise<ServerReply> {
  const { runner } = platform;
  const { run } = call;
  const { signal } = controller;
  const seconds = app.settings.responseGracePeriodSeconds;
  const limit = afterSeconds(seconds, () => controller.abort(timeoutError(seconds)));
  const leave = () => controller.abort(new CallAbortedError('the caller has left', 499, -1));
  caller?.once('close', leave);
  let place: ReplicaSlot | undefined;
  let over = false;
  const end = (statusCode: number) => {
    if (over) return;
    over = true;
    clearTimeout(limit);
    caller?.off('close', leave);
    place?.release();
    runner.untrackRun(run);
    markEnded(run, statusCode, platform);
    if (call.body instanceof BufferedBody) runner.runInBackground(call.body.discard());
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = findReadyBuild(app, platform);
    if (!build) return trackReply(jsonReply({ message: `app ${app.name} has no build that is ready` }, 503), end);
    const python = await runner.python();
    const why = whyNotRunnable(build, python, platform);
    if (why?.status) return trackReply(jsonReply({ message: why.reason }, why.status), end);
    if (why || !python) return trackReply(await simulated(app, call, why?.reason ?? '', platform), end);

    const folder = await runner.unpackBuild(build).catch((error) => throwStartError(error));
    const interpreter = (await runner.pythonWith(await requirementsIn(folder)).catch(throwStartError)) ?? python;
    const queued = () => markQueued(run, platform);
    const wanted = { app, build, python: interpreter, signal, queued };
    place = await runner.getPool(app.id).acquire(wanted);
    if (signal.aborted) place.release();
    const asked = platform.now();
    markAssigned(run, place.name, platform);
    await raceAbort(
      place.replica.ready.catch((error) => throwStartError(error, runner.installsPackages)),
      signal,
    );
    markStarted(run, place.wasReady ? 0 : platform.now() - asked, platform);
    return trackReply(await place.replica.call({ ...call, signal }), end, signal);
  } catch (error) {
    const reply = errorReply(error, run);
    end(reply.status);
    return reply;
  }
}

async function simulated(
  app: AppRecord,
  call: CallTask['call'],
  why: string,
  platform: Platform,
): Promise<ServerReply> {
  const container = `${app.id}-simulated`;
  markAssigned(call.run, container, platform);
  markStarted(call.run, 0, platform);
  const text = `this call is simulated: ${why}`;
  platform.runner.logs.add(app.id, { container, stream: 'stderr', text, run: call.run });
  return simulateCall({ ...call, signal: platform.runner.signal }, why);
}

async function requirementsIn(folder: string): Promise<string> {
  return readFile(join(folder, 'requirements.txt'), 'utf8').catch(() => '');
}

class AppStartError extends Error {}

function throwStartError({ message }: Error, installs = true): never {
  const isMissing = /^ModuleNotFoundError/.test(message) && !installs;
  const hint = isMissing ? '; dependencies are installed with --install only' : '';
  throw new AppStartError(`the app failed to start: ${message}${hint}`);
}

function timeoutError(seconds: number): CallAbortedError {
  return new CallAbortedError(
    `the app did not answer within its response_grace_period of ${seconds} seconds`,
    504,
    504,
  );
}

function errorReply(error: unknown, run: string): ServerReply {
  if (error instanceof CallAbortedError) return jsonReply({ run_id: run, message: error.message }, error.replyStatus);
  if (error instanceof AppStartError || error instanceof ProcessStartError)
    return jsonReply({ run_id: run, message: error.message }, 503);
  if (error instanceof ReplicaError)
    return jsonReply({ run_id: run, message: `the app broke down: ${error.message}` }, 502);
  const text = error instanceof Error ? error.stack : error;
  return jsonReply({ run_id: run, message: `the emulator has a bug: ${text}` }, 500);
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, failed) => signal.addEventListener('abort', () => failed(signal.reason), { once: true })),
  ]);
}
