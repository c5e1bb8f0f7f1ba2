import type * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf } from './lists.ts';
import {
  optionalAmount,
  optionalBoolean,
  optionalEnum,
  optionalNumber,
  optionalText,
  optionalTime,
  textOrEmpty,
} from './scalars.ts';

/** One container of an app (docs/platform.md#containers). The documents give only examples for `containerState`. */
export const Container = objectOf({
  /** The full name of the pod, as in runs and log lines. */
  containerId: textOrEmpty,
  containerState: optionalEnum('RUNNING', 'PENDING', 'SUCCEEDED'),
  isTerminating: optionalBoolean,
  appId: optionalText,
  projectId: optionalText,
  buildId: optionalText,
  region: optionalText,
  hardwareProvider: optionalText,
  hostIp: optionalText,
  containerIp: optionalText,
  /** When `containerState` was read (assumed). */
  timestamp: optionalTime,
  containerStartTimestamp: optionalTime,
  containerTerminationTimestamp: optionalTime,
  containerRunningTimeMs: optionalAmount,
  containerRestartCount: optionalNumber,
});
export type Container = v.InferOutput<typeof Container>;

/** List the containers of an app, running and recently ended (docs/platform.md#containers). */
export const listContainers = endpoint('GET /v2/projects/{project}/apps/{app}/containers', {
  reply: listOf(Container, 'containerId'),
  current: true,
});
