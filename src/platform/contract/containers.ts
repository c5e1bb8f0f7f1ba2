import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf } from './lists.ts';
import { described, maybe, optionalEnum, textOrEmpty } from './scalars.ts';

/** One container of an app (docs/platform.md#containers). The documents give only examples for `containerState`. */
export const Container = objectOf({
  /** The full name of the pod, as in runs and log lines. */
  containerId: described(textOrEmpty, 'full name of the container'),
  containerState: described(
    optionalEnum('RUNNING', 'PENDING', 'SUCCEEDED', 'Failed', 'Unknown'),
    'state; platform value, passed through',
  ),
  isTerminating: described(maybe.boolean, 'whether it is terminating'),
  appId: described(maybe.text, 'app id'),
  projectId: described(maybe.text, 'project'),
  buildId: described(maybe.text, 'build it runs'),
  region: described(maybe.text, 'region'),
  hardwareProvider: described(maybe.text, 'cloud provider'),
  hostIp: described(maybe.text, 'IP address of the host'),
  containerIp: described(maybe.text, 'IP address'),
  /** When `containerState` was read (assumed). */
  timestamp: described(maybe.time, 'when the state was read: RFC 3339, UTC'),
  containerStartTimestamp: described(maybe.time, 'RFC 3339, UTC'),
  containerTerminationTimestamp: described(maybe.time, 'RFC 3339, UTC'),
  containerRunningTimeMs: described(maybe.amount, 'uptime, in ms'),
  containerRestartCount: described(maybe.number, 'number of restarts'),
});
export type Container = v.InferOutput<typeof Container>;

/**
 * Whether a container is listed as running, and is not about to end. One that has ended may be listed so for seconds. An
 * undocumented state is not evidence.
 */
export function isRunning({ containerState, isTerminating }: Container): boolean {
  return /^(running|ready)$/i.test(containerState ?? '') && !isTerminating;
}

/** Whether its state is a word that no document gives: it runs if something else shows it. */
export function mayRun(container: Container): boolean {
  const { containerState: state, isTerminating } = container;
  const isKnown = isDown(container) || isWaiting(container) || /^unknown$/i.test(state ?? '');
  return Boolean(state) && !isTerminating && !isKnown;
}

export function isWaiting({ containerState }: Container): boolean {
  return /^pending$/i.test(containerState ?? '');
}

/** Ended as it should. */
export function hasStopped({ containerState }: Container): boolean {
  return /^(succeeded|completed|terminated|stopped)$/i.test(containerState ?? '');
}

export function hasCrashed({ containerState }: Container): boolean {
  return /fail|error|crash|backoff|oom/i.test(containerState ?? '');
}

/** No call reaches it any more. */
export function isDown(container: Container): boolean {
  return hasStopped(container) || hasCrashed(container);
}

/** List the containers of an app, running and recently ended (docs/platform.md#containers). */
export const listContainers = endpoint('GET /v2/projects/{project}/apps/{app}/containers', {
  reply: listOf(Container, 'containerId'),
});
