import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Platform } from '../platform.ts';
import { SentBody } from '../running/buffered-body.ts';
import type { Place } from '../running/pool.ts';
import { StartFailure } from '../running/process.ts';
import { Breakdown, GivenUp, type ReplicaCall } from '../running/replica.ts';
import { beganRun, endRun, queuedRun, reachedReplica } from '../runs/record.ts';
import { json, type Reply } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import { readyBuild, whyNotHere } from './ready-build.ts';
import { simulate } from './simulated.ts';
import { watched } from './tracked-reply.ts';

/** A call on its way. `giveUp` ends it from outside. */
export interface Work {
  app: AppRecord;
  call: Omit<ReplicaCall, 'signal'>;
  giveUp: AbortController;
  /** Whoever waits for the answer. When it leaves, the call is given up. */
  caller: Socket | undefined;
}

/**
 * Carries a call out and gives the answer, also of one that failed. The run's record follows it, to the last byte of
 * the answer.
 */
export async function perform({ app, call, giveUp, caller }: Work, platform: Platform): Promise<Reply> {
  const { running } = platform;
  const { run } = call;
  const { signal } = giveUp;
  const seconds = app.settings.responseGracePeriodSeconds;
  const limit = afterSeconds(seconds, () => giveUp.abort(tooLate(seconds)));
  const leave = () => giveUp.abort(new GivenUp('the caller has left', 499, -1));
  caller?.once('close', leave);
  let place: Place | undefined;
  let over = false;
  const end = (statusCode: number) => {
    if (over) return;
    over = true;
    clearTimeout(limit);
    caller?.off('close', leave);
    place?.release();
    running.over(run);
    endRun(run, statusCode, platform);
    if (call.body instanceof SentBody) running.behind(call.body.discard());
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = readyBuild(app, platform);
    if (!build) return watched(json({ message: `app ${app.name} has no build that is ready` }, 503), end);
    const python = await running.python();
    const why = whyNotHere(build, python, platform);
    if (why?.status) return watched(json({ message: why.reason }, why.status), end);
    if (why || !python) return watched(await simulated(app, call, why?.reason ?? '', platform), end);

    const folder = await running.unpacked(build).catch((error) => startFailed(error));
    const interpreter = (await running.pythonWith(await requirementsIn(folder)).catch(startFailed)) ?? python;
    const queued = () => queuedRun(run, platform);
    const wanted = { app, build, python: interpreter, signal, queued };
    place = await running.poolOf(app.id).acquire(wanted);
    if (signal.aborted) place.release();
    const asked = platform.now();
    reachedReplica(run, place.name, platform);
    await orGivenUp(
      place.replica.ready.catch((error) => startFailed(error, running.installs)),
      signal,
    );
    beganRun(run, place.wasReady ? 0 : platform.now() - asked, platform);
    return watched(await place.replica.call({ ...call, signal }), end, signal);
  } catch (error) {
    const reply = failed(error, run);
    end(reply.status);
    return reply;
  }
}

async function simulated(app: AppRecord, call: Work['call'], why: string, platform: Platform): Promise<Reply> {
  const container = `${app.id}-simulated`;
  reachedReplica(call.run, container, platform);
  beganRun(call.run, 0, platform);
  const text = `this call is simulated: ${why}`;
  platform.running.logs.add(app.id, { container, stream: 'stderr', text, run: call.run });
  return simulate({ ...call, signal: platform.running.signal }, why);
}

async function requirementsIn(folder: string): Promise<string> {
  return readFile(join(folder, 'requirements.txt'), 'utf8').catch(() => '');
}

class NotStarted extends Error {}

function startFailed({ message }: Error, installs = true): never {
  const isMissing = /^ModuleNotFoundError/.test(message) && !installs;
  const hint = isMissing ? '; dependencies are installed with --install only' : '';
  throw new NotStarted(`the app failed to start: ${message}${hint}`);
}

function tooLate(seconds: number): GivenUp {
  return new GivenUp(`the app did not answer within its response_grace_period of ${seconds} seconds`, 504, 504);
}

function failed(error: unknown, run: string): Reply {
  if (error instanceof GivenUp) return json({ run_id: run, message: error.message }, error.answer);
  if (error instanceof NotStarted || error instanceof StartFailure)
    return json({ run_id: run, message: error.message }, 503);
  if (error instanceof Breakdown) return json({ run_id: run, message: `the app broke down: ${error.message}` }, 502);
  const text = error instanceof Error ? error.stack : error;
  return json({ run_id: run, message: `the emulator has a bug: ${text}` }, 500);
}

async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, failed) => signal.addEventListener('abort', () => failed(signal.reason), { once: true })),
  ]);
}
