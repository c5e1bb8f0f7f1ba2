/** How an app's replicas get calls, start and end: one model for the emulator and for predictions. */
export { ReplicaSet, type Routing, routings, type Scaling } from './replica-set.ts';
