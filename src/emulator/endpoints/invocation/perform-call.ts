import type { Socket } from 'node:net';
import { BufferedBody } from '../../http/buffered-body.ts';
import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { markAssigned, markEnded, markStarted } from '../../model/runs/record.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { CallAbortedError, type ReplicaCall } from '../../running/replicas/replica.ts';
import type { ReplicaSlot } from '../../running/replicas/replica-pool.ts';
import { findReadyBuild, whyNotRunnable } from '../builds/ready-build.ts';
import type { Platform } from '../platform.ts';
import { acquireReplica } from './acquire-replica.ts';
import { errorReply, timeoutError } from './call-errors.ts';
import { simulateCall } from './simulate-call.ts';
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
  const stopTimer = runner.limit(app.id, seconds * 1000, () => controller.abort(timeoutError(seconds)));
  const onDisconnect = () => controller.abort(new CallAbortedError('the caller disconnected', 499, -1));
  caller?.once('close', onDisconnect);
  let slot: ReplicaSlot | undefined;
  let hasEnded = false;
  const end = (statusCode: number) => {
    if (hasEnded) return;
    hasEnded = true;
    stopTimer();
    caller?.off('close', onDisconnect);
    slot?.release();
    runner.runs.untrack(run);
    markEnded(run, statusCode, platform);
    if (call.body instanceof BufferedBody) runner.runInBackground(call.body.discard());
  };
  signal.addEventListener('abort', () => end(signal.reason.statusCode), { once: true });

  try {
    const build = findReadyBuild(app, platform);
    if (!build) return trackReply(jsonReply({ message: `app ${app.name} has no successful build` }, 503), end);
    const obstacle = await whyNotRunnable(build, platform);
    if (obstacle?.status) return trackReply(jsonReply({ message: obstacle.reason }, obstacle.status), end);
    if (obstacle) return trackReply(await simulated(app, call, obstacle.reason, platform), end);

    slot = await acquireReplica({ app, build, run, signal }, platform);
    // It may have been aborted before the slot was known.
    if (signal.aborted) slot.release();
    return trackReply(await slot.replica.call({ ...call, signal }), end, signal);
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
