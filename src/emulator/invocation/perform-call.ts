import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { requirementsOf } from '../builds/requirements.ts';
import type { Platform } from '../platform.ts';
import { ProcessStartError } from '../processes/process.ts';
import { BufferedBody } from '../replicas/buffered-body.ts';
import { CallAbortedError, type ReplicaCall, ReplicaError } from '../replicas/replica.ts';
import type { ReplicaSlot } from '../replicas/replica-pool.ts';
import { markAssigned, markEnded, markQueued, markStarted } from '../runs/record.ts';
import { jsonReply, type ServerReply } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import { findReadyBuild, whyNotRunnable } from './ready-build.ts';
import { simulateCall } from './simulated.ts';
import { trackReply } from './tracked-reply.ts';

/** A call to perform. `controller` aborts it. */
export interface CallTask {
  app: AppRecord;
  call: Omit<ReplicaCall, 'signal'>;
  controller: AbortController;
  /** The caller's connection. When it closes, the call is aborted. */
  caller: Socket | undefined;
}

/**
 * Performs a call and returns its response, also if it failed. Updates the run's record until the last byte of the
 * response is sent.
 */
export async function performCall(
  { app, call, controller, caller }: CallTask,
  platform: Platform,
): Promise<ServerReply> {
  const { runner } = platform;
  const { run } = call;
  const { signal } = controller;
  const seconds = app.settings.responseGracePeriodSeconds;
  const timeout = afterSeconds(seconds, () => controller.abort(timeoutError(seconds)));
  const onDisconnect = () => controller.abort(new CallAbortedError('the caller disconnected', 499, -1));
  caller?.once('close', onDisconnect);
  let slot: ReplicaSlot | undefined;
  let hasEnded = false;
  const end = (statusCode: number) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timeout);
    caller?.off('close', onDisconnect);
    slot?.release();
    runner.untrackRun(run);
    markEnded(run, statusCode, platform);
    if (call.body instanceof BufferedBody) runner.runInBackground(call.body.discard());
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = findReadyBuild(app, platform);
    if (!build) return trackReply(jsonReply({ message: `app ${app.name} has no successful build` }, 503), end);
    const python = await runner.python();
    const obstacle = whyNotRunnable(build, python, platform);
    if (obstacle?.status) return trackReply(jsonReply({ message: obstacle.reason }, obstacle.status), end);
    if (obstacle || !python) return trackReply(await simulated(app, call, obstacle?.reason ?? '', platform), end);

    const folder = await runner.unpackBuild(build).catch((error) => throwStartError(error));
    const requirements = await readRequirements(build, folder);
    const interpreter = (await runner.pythonWith(requirements).catch(throwStartError)) ?? python;
    const request = { app, build, python: interpreter, signal, onQueued: () => markQueued(run, platform) };
    slot = await runner.getPool(app.id).acquire(request);
    if (signal.aborted) slot.release();
    const assignedAt = platform.now();
    markAssigned(run, slot.name, platform);
    await raceAbort(
      slot.replica.ready.catch((error) => throwStartError(error, runner.installsPackages)),
      signal,
    );
    markStarted(run, slot.wasReady ? 0 : platform.now() - assignedAt, platform);
    return trackReply(await slot.replica.call({ ...call, signal }), end, signal);
  } catch (error) {
    if (error instanceof AppStartError) logStartError(error, app, run, slot, platform);
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

async function readRequirements({ settings }: BuildRecord, folder: string): Promise<string> {
  const listed = await readFile(join(folder, 'requirements.txt'), 'utf8').catch(() => '');
  return requirementsOf(settings, new Map([['requirements.txt', listed]]));
}

class AppStartError extends Error {}

/** What a replica prints while it starts belongs to no run: so that the log of this run is not empty. */
function logStartError(
  { message }: Error,
  app: AppRecord,
  run: string,
  slot: ReplicaSlot | undefined,
  { runner }: Platform,
): void {
  const container = slot?.name ?? `${app.id}-starting`;
  runner.logs.add(app.id, { container, stream: 'stderr', text: `error: ${message}`, run });
}

function throwStartError({ message }: Error, installs = true): never {
  const isMissing = /^ModuleNotFoundError/.test(message) && !installs;
  const hint = isMissing ? '; pass --install to install dependencies' : '';
  throw new AppStartError(`the app failed to start: ${message}${hint}`);
}

function timeoutError(seconds: number): CallAbortedError {
  return new CallAbortedError(
    `the app did not respond within its response_grace_period of ${seconds} seconds`,
    504,
    504,
  );
}

function errorReply(error: unknown, run: string): ServerReply {
  if (error instanceof CallAbortedError) return jsonReply({ run_id: run, message: error.message }, error.replyStatus);
  if (error instanceof AppStartError || error instanceof ProcessStartError)
    return jsonReply({ run_id: run, message: error.message }, 503);
  if (error instanceof ReplicaError)
    return jsonReply({ run_id: run, message: `the app failed: ${error.message}` }, 502);
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
