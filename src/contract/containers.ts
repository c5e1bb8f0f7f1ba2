import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { openEnum, timestamp } from './scalars.ts';

const text = v.optional(v.nullable(v.string()));
const number = v.optional(v.nullable(v.number()));
const time = v.optional(timestamp);

/** One replica of an app (wire §1b). The words of `containerState` are given as examples. */
export const Container = v.looseObject({
  /** The full name of the pod: what runs and log lines call it too. */
  containerId: v.string(),
  containerState: v.optional(v.nullable(openEnum('RUNNING', 'PENDING', 'SUCCEEDED'))),
  isTerminating: v.optional(v.nullable(v.boolean())),
  appId: text,
  projectId: text,
  buildId: text,
  region: text,
  hardwareProvider: text,
  hostIp: text,
  containerIp: text,
  /** When its state was read. */
  timestamp: time,
  containerStartTimestamp: time,
  containerTerminationTimestamp: time,
  containerRunningTimeMs: number,
  containerRestartCount: number,
});
export type Container = v.InferOutput<typeof Container>;

/** Replicas of an app: those that are up, and those that ended lately (wire §1b). */
export const listContainers = endpoint('GET /v2/projects/{project}/apps/{app}/containers', {
  reply: v.nullable(v.array(Container)),
});
