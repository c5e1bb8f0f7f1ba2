import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPhase } from '../../contract/builds.ts';
import type { Platform } from '../platform.ts';
import type { Body } from '../receive.ts';
import { type Content, json, type Reply } from '../reply.ts';
import type { AppRecord, BuildRecord } from '../store.ts';
import { readBuild } from '../timeline.ts';
import type { Place } from './pool.ts';
import { beganRun, endRun, queuedRun, reachedReplica } from './records.ts';
import { GivenUp, type ReplicaCall, StartFailure } from './replica.ts';
import { SentBody } from './sent-body.ts';
import { simulate } from './simulated.ts';

/** A call on its way. `giveUp` ends it from outside. */
export interface Work {
  app: AppRecord;
  call: Omit<ReplicaCall, 'signal'>;
  giveUp: AbortController;
}

/**
 * Carries a call out and gives the answer, also of one that failed. The run's record follows it, to the last byte of
 * the answer.
 */
export async function perform({ app, call, giveUp }: Work, platform: Platform): Promise<Reply> {
  const { running } = platform;
  const { run } = call;
  const { signal } = giveUp;
  const seconds = app.settings.responseGracePeriodSeconds;
  const limit = setTimeout(() => giveUp.abort(tooLate(seconds)), seconds * 1000);
  let place: Place | undefined;
  let over = false;
  const end = (statusCode: number) => {
    if (over) return;
    over = true;
    clearTimeout(limit);
    place?.release();
    running.over(run);
    endRun(run, statusCode, platform);
    if (call.body instanceof SentBody) running.behind(call.body.discard());
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = readyBuild(app, platform);
    if (!build) return ended(json({ message: `app ${app.name} has no build that is ready` }, 503), end);
    const python = await running.python();
    const why = whyNotHere(build, python, platform);
    if (why?.status) return ended(json({ message: why.reason }, why.status), end);
    if (why || !python) return ended(await simulated(app, call, why?.reason ?? '', platform), end);

    const folder = await running.unpacked(build, platform);
    const interpreter = (await running.pythonWith(await requirementsIn(folder)).catch(startFailed)) ?? python;
    const queued = () => queuedRun(run, platform);
    const wanted = { app, build, python: interpreter, signal, queued };
    place = await running.poolOf(app.id, platform).acquire(wanted);
    const asked = platform.now();
    reachedReplica(run, place.name, platform);
    await orGivenUp(
      place.replica.ready.catch((error) => startFailed(error, running.installs)),
      signal,
    );
    beganRun(run, platform.now() - asked, platform);
    return ended(await place.replica.call({ ...call, signal }), end, signal);
  } catch (error) {
    return ended(failed(error, run), end);
  }
}

/** The latest build that can be called. */
export function readyBuild(app: AppRecord, { store, now }: Platform): BuildRecord | undefined {
  return store.buildsOf(app.id).find((build) => buildPhase(readBuild(build, now()).status) === 'succeeded');
}

/** Why an app cannot run on this machine. With a status that is the answer, without one calls are simulated. */
function whyNotHere({ settings, files, keyName }: BuildRecord, python: string | undefined, { storage }: Platform) {
  const { runtime, dockerfilePath } = settings;
  if (runtime !== 'cortex' && runtime !== 'custom') {
    return { status: 501, reason: `the emulator cannot run a ${runtime} app: its image is the partner's` };
  }
  if (dockerfilePath) return { status: 501, reason: 'the emulator cannot run an app that has a Dockerfile' };
  if (files || !existsSync(join(storage, keyName))) return { reason: 'this app was made up, it has no code' };
  return python ? undefined : { reason: 'there is no python3 on this machine' };
}

async function simulated(app: AppRecord, call: Work['call'], why: string, platform: Platform): Promise<Reply> {
  const container = `${app.id}-simulated`;
  reachedReplica(call.run, container, platform);
  beganRun(call.run, 0, platform);
  const text = `this call is simulated: ${why}`;
  platform.running.logs.add(app.id, { container, stream: 'stderr', text, run: call.run });
  return simulate({ ...call, signal: platform.running.signal }, why);
}

/** An answer whose end is the end of the run. */
function ended(reply: Reply, end: (statusCode: number) => void, signal?: AbortSignal): Reply {
  const { body, status } = reply;
  if (typeof body === 'string') {
    end(status);
    return reply;
  }
  return {
    ...reply,
    body: { size: body.size, read: (start, stop) => watched(body, [start, stop], end, status, signal) },
  };
}

async function* watched(
  content: Content,
  [start, stop]: [number, number],
  end: (statusCode: number) => void,
  status: number,
  signal: AbortSignal | undefined,
): Body {
  let at = 0;
  let statusCode = -1;
  try {
    for await (const chunk of content.read(start, stop)) {
      signal?.throwIfAborted();
      // Of a known size a part may be asked for.
      const part = content.size === undefined ? chunk : chunk.subarray(Math.max(0, start - at), stop - at);
      at += chunk.length;
      if (part.length > 0) yield part;
    }
    statusCode = status;
  } catch (error) {
    statusCode = error instanceof GivenUp ? error.statusCode : 500;
    throw error;
  } finally {
    end(statusCode);
  }
}

async function requirementsIn(folder: string): Promise<string> {
  return readFile(join(folder, 'requirements.txt'), 'utf8').catch(() => '');
}

function startFailed({ message }: Error, installs = true): never {
  const hint =
    /^ModuleNotFoundError/.test(message) && !installs ? '; dependencies are installed with --install only' : '';
  throw new StartFailure(`the app failed to start: ${message}${hint}`);
}

function tooLate(seconds: number): GivenUp {
  return new GivenUp(`the app did not answer within its response_grace_period of ${seconds} seconds`, 504, 504);
}

function failed(error: unknown, run: string): Reply {
  if (error instanceof GivenUp) return json({ run_id: run, message: error.message }, error.answer);
  if (error instanceof StartFailure) {
    const starting = error.message.startsWith('the app failed to start');
    return json(
      { run_id: run, message: starting ? error.message : `the app broke down: ${error.message}` },
      starting ? 503 : 502,
    );
  }
  throw error;
}

async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, failed) => signal.addEventListener('abort', () => failed(signal.reason), { once: true })),
  ]);
}
